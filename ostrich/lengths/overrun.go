package lengths

// minute is Slurm's own unit for limits.
const minute Duration = 60

// More returns for how much longer a job is expected to run that has run for as long as was
// expected. One that outlives a prediction is expected to run for as long again, up to its
// limit; one that outlives its limit, for a step more.
func More(elapsed, limit Duration) Duration {
	more := step(elapsed)
	if left := limit - elapsed; left > 0 {
		more = min(left, max(more, elapsed))
	}
	return more
}

// step is a minute, and a sixteenth once a job has run long, so that a job that Slurm lost
// costs few steps however old it is. In steps, because a length that grew at every look
// would depend on how often one looks.
func step(elapsed Duration) Duration {
	return max(minute, elapsed/16/minute*minute)
}

// Differs reports whether a new prediction is worth to replace a former one: it changes by at
// least a half. Predictions are worse than that, and each change of the order costs writes.
func Differs(was, d Duration) bool {
	return d-was >= was-was/2 || was-d >= d-d/2 // halves rounded up, of lengths of any size
}
