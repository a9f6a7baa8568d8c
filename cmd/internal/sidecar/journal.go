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
// cluster. It knows which jobs Slurm refused to change, and in channel priority it
// tells our own pins from those of administrators. Only there no plan is right
// without it.
func (s *Sidecar) readJournal() error {
	c := &s.config
	if c.Journal == "" || c.foreign() {
		return nil
	}
	j, err := journal.Read(c.Journal)
	switch {
	case err == nil:
		s.journal = j
	case c.Priority.Channel == string(priority.Priority):
		return journaled(err)
	}
	return nil
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
