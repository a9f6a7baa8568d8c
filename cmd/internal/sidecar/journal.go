package sidecar

import (
	"sync"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// JournalError is an error of the journal.
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

// readJournal opens the journal for reading if it holds anything of this cluster;
// otherwise it returns nil. The journal knows which jobs Slurm refused to change.
// In channel priority it also distinguishes our pins from those of administrators, so
// only there a journal that cannot be read is an error.
func readJournal(c *configuration.Config) (*journal.Journal, error) {
	if c.Journal == "" || c.Foreign() != "" {
		return nil, nil
	}
	j, err := journal.Read(c.Journal)
	switch {
	case err == nil:
		return j, nil
	case c.Priority.Channel == priority.Priority:
		return nil, journaled(err)
	}
	return nil, nil
}

// alive returns a function that reports whether the journal has to remember a job:
// the job, or a task of its array, has not ended.
func (s *Sidecar) alive() func(ostrich.JobID) bool {
	waits := sync.OnceValue(s.waits)
	return func(id ostrich.JobID) bool {
		_, known := s.accounting.Record(id)
		return known || s.provisional.has(id) || waits()[id]
	}
}

// waits returns the job arrays with unfinished tasks that accounting knows, and the
// jobs of the queue with their arrays: accounting may not know them, or no more.
func (s *Sidecar) waits() map[ostrich.JobID]bool {
	live := make(map[ostrich.JobID]bool)
	for _, r := range s.accounting.Live() {
		live[r.ArrayJob] = true
	}
	for i := range s.printed {
		live[s.printed[i].Job], live[s.printed[i].Array] = true, true
	}
	return live
}
