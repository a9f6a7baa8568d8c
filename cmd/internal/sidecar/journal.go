package sidecar

import (
	"sync"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// JournalError is what went wrong with the journal.
type JournalError struct{ Err error }

func (e JournalError) Error() string { return e.Err.Error() }
func (e JournalError) Unwrap() error { return e.Err }

// journaled marks errors of the journal; nil stays nil.
func journaled(err error) error {
	if err == nil {
		return nil
	}
	return JournalError{err}
}

// readJournal opens the journal for reading, where it tells something of this
// cluster; else it returns nil. The journal knows which jobs Slurm refused to change, and in channel priority it
// tells our own pins from those of administrators. Only there no plan is right
// without it.
func readJournal(c *Config) (*journal.Journal, error) {
	if c.Journal == "" || c.foreign() {
		return nil, nil
	}
	j, err := journal.Read(c.Journal)
	switch {
	case err == nil:
		return j, nil
	case c.Priority.Channel == string(priority.Priority):
		return nil, journaled(err)
	}
	return nil, nil
}

// alive returns a function that tells whether the journal has to remember a
// job: it has not ended, or it is an array with tasks that have not.
func (s *Sidecar) alive() func(ostrich.JobID) bool {
	arrays := sync.OnceValue(s.arrays)
	return func(id ostrich.JobID) bool {
		_, known := s.accounting.Record(id)
		return known || s.provisional.has(id) || arrays()[id]
	}
}

// arrays are the job arrays that accounting knows, with tasks that have not ended.
func (s *Sidecar) arrays() map[ostrich.JobID]bool {
	live := make(map[ostrich.JobID]bool)
	for _, r := range s.accounting.Live() {
		live[r.ArrayJob] = true
	}
	return live
}
