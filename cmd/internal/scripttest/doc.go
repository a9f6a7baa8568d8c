// Package scripttest runs the commands in test scripts (testscript), with a
// private MariaDB that has slurmdbd's tables, and with fake commands of Slurm.
//
// Scripts have these in addition to testscript's own:
//
//   - cluster FILE writes jobs, users and sizes into the database and into the
//     queue that the fake commands show; see type cluster for the file.
//   - the folder slurm: what the fake commands read and write, see package
//     slurmtest.
//   - await FILE waits until a file exists.
//   - the environment names the database, its password file, the journal and an
//     empty configuration file. The clock of the database stands at 1700000000,
//     which is 2023-11-14T22:13:20 UTC; for a database account whose name begins
//     with live, it runs.
//
// Times in files are seconds after that moment, mostly negative.
package scripttest
