package sidecar

import (
	"cmp"
	"fmt"
	"regexp"

	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
)

// mungeSocket matches the socket that a command of Slurm's names.
var mungeSocket = regexp.MustCompile(`"(/[^"]*munge[^"]*)"`)

// answerFix says what to do where Slurm's commands get no answer: munge comes before
// slurmctld, as no command is heard without.
func answerFix(err error) string {
	said := err.Error()
	path := "/run/munge/munge.socket.2"
	if found := mungeSocket.FindStringSubmatch(said); found != nil {
		path = found[1]
	}
	switch {
	case priority.Says(said, "If munged is up", "Munge encode failed", "munge.socket"):
		return fmt.Sprintf("start munged on this host, whose socket %s does not answer (systemctl start munge): without it slurmctld hears no command", path)
	case priority.Says(said, "sack"):
		return "start sackd on this host, or slurmd, whose socket does not answer: without it slurmctld hears no command"
	case priority.Says(said, "authentication"):
		return "let munged of this host have the munge.key of slurmctld's host, and the same time: slurmctld does not accept its credentials"
	}
	return "start slurmctld, or set slurm.conf and slurm.bin to those of its cluster"
}

// databaseFix says what to do where the database does not let us in, by the server's own
// error.
func (l *checklist) databaseFix(err error) string {
	why, account := slurmdb.RefusalOf(err)
	account = cmp.Or(account, l.Database.User)
	switch why {
	case slurmdb.NoPassword:
		return "name the file with the password of " + account + " in database.password_file: none was given"
	case slurmdb.WrongPassword:
		return fmt.Sprintf("let database.password_file have the password that the server has for %s; if it has no account of that name for that host, which it does not tell, run grants.sql with that host", account)
	case slurmdb.OtherMeans:
		return fmt.Sprintf("give %s a password with grants.sql: the server lets the account in by other means, such as unix_socket, or not at all", account)
	case slurmdb.WrongHost:
		return "run grants.sql with this host in the account's name: the server has no account that may come from here"
	case slurmdb.NoDatabase:
		return "set database.name to StorageLoc of slurmdbd.conf; if it is that, grant SELECT on it with grants.sql"
	case slurmdb.Locked:
		return fmt.Sprintf("ALTER USER %s ACCOUNT UNLOCK PASSWORD EXPIRE NEVER", account)
	case slurmdb.TooMany:
		return "raise max_connections or the account's limits, or end connections: the server has too many"
	case slurmdb.NotRefused:
	}
	return "set database.address, database.name, database.user, database.password_file and database.tls to what the server has"
}
