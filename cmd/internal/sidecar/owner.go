package sidecar

import "strings"

// Owner splits a name of Accounting.UserName into account and user. With flat
// shares the name is a user's, and the account is empty.
func Owner(name string) (account, user string) {
	if account, user, ok := strings.Cut(name, "/"); ok {
		return account, user
	}
	return "", name
}
