package slurmdb

import (
	"errors"
	"regexp"

	"github.com/go-sql-driver/mysql"
)

// Refusal is why a server lets an account in or not, as far as its error says.
type Refusal uint8

// The refusals.
const (
	NotRefused    Refusal = iota // it did not answer, or the error is another one
	NoPassword                   // none was given, and one is asked for
	WrongPassword                // the password is wrong, or there is no such account: the server does not tell these apart
	OtherMeans                   // the account is known by other means than a password
	WrongHost                    // no account may come from this host
	NoDatabase                   // there is no such database, or the account may not use it: told apart only for accounts that may
	Locked                       // the account is locked, or its password has expired
	TooMany                      // connections
)

// refusals are the server's error numbers, of MariaDB and MySQL.
var refusals = map[uint16]Refusal{
	1045: WrongPassword, 1698: OtherMeans, 1524: OtherMeans, 1130: WrongHost, 1044: NoDatabase, 1049: NoDatabase,
	4151: Locked, 3118: Locked, 1820: Locked, 1862: Locked, 1040: TooMany, 1203: TooMany, 1226: TooMany,
}

var (
	withoutPassword = regexp.MustCompile(`\(using password: NO\)`)
	ofAccount       = regexp.MustCompile(`'[^']*'@'[^']*'`)
)

// RefusalOf returns why a server refused a connection, and the account as the server sees
// it, 'name'@'host', if it says so.
func RefusalOf(err error) (why Refusal, account string) {
	e, ok := errors.AsType[*mysql.MySQLError](err)
	if !ok {
		return NotRefused, ""
	}
	why = refusals[e.Number]
	if why == WrongPassword && withoutPassword.MatchString(e.Message) {
		why = NoPassword
	}
	return why, ofAccount.FindString(e.Message)
}
