package sidecar

import "strings"

// Owner splits the name of what competes for the machine, see
// Accounting.UserName, into account and user. The account is empty with flat
// shares, where it is a user.
func Owner(name string) (account, user string) {
	if account, user, ok := strings.Cut(name, "/"); ok {
		return account, user
	}
	return "", name
}
