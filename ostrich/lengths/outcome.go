package lengths

// Outcome is what the end of a job says of how long jobs like it run.
type Outcome uint8

const (
	// Done is a job that ran to its end, as far as anybody knows. It is the zero value.
	Done Outcome = iota
	// Stopped is one that failed, or was ended by a limit, cancelled, preempted or lost. It would
	// have run for at least as long as it did.
	Stopped
)
