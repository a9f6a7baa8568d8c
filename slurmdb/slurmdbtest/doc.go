// Package slurmdbtest gives tests a private MariaDB with slurmdbd's tables in
// it, and writes rows as slurmdbd writes them.
//
// The server is Debian's mariadb-server, started in a directory of its own with
// a socket of its own; one that already runs on the machine is left alone. A
// package that uses it hands its tests to [Main]:
//
//	func TestMain(m *testing.M) { os.Exit(slurmdbtest.Main(m)) }
//
// Where the program mariadbd is missing, tests that ask for a database are
// skipped.
package slurmdbtest
