// Package scripttest runs the commands in test scripts (testscript), against a
// private MariaDB with slurmdbd's tables and against commands that answer as
// Slurm's do.
//
// A script has these, beside what testscript brings:
//
//   - cluster FILE writes jobs, users and sizes into the database and into the
//     queue that the fake commands show; see type cluster for the file.
//   - the folder slurm: what the fake commands read and write. A file config
//     adds lines to "scontrol show config", of which the last counts, and
//     SLURM_VERSION tells how squeue behaves; partitions is "scontrol -o show
//     partition"; admins has lines of user and AdminLevel; dbd the messages
//     that wait for slurmdbd; clock is slurmctld's time, or now; fail-squeue is
//     what squeue says before it fails; hang-squeue makes it sleep; used-squeue
//     appears when it is used. What scontrol is told is added to log.
//   - await FILE waits until a file exists.
//   - the environment names the database, its password file, the journal and an
//     empty configuration file. The clock of the database stands at 1700000000,
//     which is 2023-11-14T22:13:20 UTC; with a database account whose name
//     begins with live it runs.
//
// Times in files are seconds after that moment, mostly negative.
package scripttest
