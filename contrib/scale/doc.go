// Command scale measures OStrich at the size of a large site, and compares with an envelope.
//
//	go run ./contrib/scale [--json] [--envelope FILE] PART...
//
// Each part runs one benchmark or test of the tree with the sizes of the design, and reads
// its figures. The envelope, contrib/scale/envelope.json, has the most that each may be. The
// exit code is 0 if all are within it, 1 if one is not, and 2 if something could not be measured.
//
//	cycle   a cycle over 100 000 pending jobs, without the database and Slurm's commands: 1 min
//	cold    ostrichd --once over 1 million ended jobs in a private MariaDB: 2 min
//	poll    a poll of 10 million ended and 5 000 live jobs in a private MariaDB, which must not
//	        scan the table: 15 min, 8 GB of disk
//	slurm   ostrichd beside a real slurmctld with 20 000 pending jobs, for ten minutes with it
//	        and ten without: 40 min, as root on Debian with Slurm
package main
