package ostrich

// Classes are the site's own order of jobs, above that of the campaigns: all of one class
// goes before all of the next. The zero value is one class of all jobs.
type Classes struct {
	Names []string // the first goes first; none: one class "" for all

	// Of returns the place in Names of a job, by its partitions and its QOS as Slurm lists
	// them. It is nil without names.
	Of func(partitions, qos string) int
}
