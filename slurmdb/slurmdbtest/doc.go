// Package slurmdbtest gives tests a private MariaDB or MySQL with slurmdbd's tables, and
// writes rows as slurmdbd does.
//
// The server is Debian's mariadb-server, else mysql-server-core, in a directory of its
// own with a socket of its own. A server that already runs on the machine is left
// alone. A package that uses it passes its tests to [Main]:
//
//	func TestMain(m *testing.M) { os.Exit(slurmdbtest.Main(m)) }
//
// If both are missing, tests that need a database are skipped.
package slurmdbtest
