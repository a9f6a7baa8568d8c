package view

import (
	"slices"
	"strings"
)

// Selection chooses rows as the options of squeue do. An empty list chooses all.
type Selection struct {
	Users, Accounts, Partitions []string

	Jobs []string // as squeue names them; only explain looks at it
}

// chosen reports whether a row is chosen. A job can be in several
// partitions, with commas between them; a user can have jobs in several accounts.
func (s *Selection) chosen(user, accounts, partitions string) bool {
	return among(s.Users, user) && among(s.Accounts, accounts) && among(s.Partitions, partitions)
}

// among reports whether one of some values, with commas between them, is wanted.
func among(wanted []string, values string) bool {
	if len(wanted) == 0 {
		return true
	}
	for value := range strings.SplitSeq(values, ",") {
		if slices.Contains(wanted, value) {
			return true
		}
	}
	return false
}
