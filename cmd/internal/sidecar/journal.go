package sidecar

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
