package sim

import (
	"cmp"
	"slices"
)

// Order is an order of jobs that is fixed when a job arrives. Ties go in
// the order of a log, and by id among the jobs of campaigns.
type Order struct {
	Name string
	// Compare puts the job that goes first in front; nil is the order of arrival.
	Compare func(a, b *Job) int
	// Places are those of the jobs of Replay, by their numbers from 0, each another; the smaller one
	// goes first. They go before Compare.
	Places []int32
}

// FCFS is first come, first served.
var FCFS = Order{Name: "fcfs"}

// SPT is shortest processing time first, by estimate.
var SPT = Order{Name: "spt", Compare: func(a, b *Job) int { return cmp.Compare(a.Estimate, b.Estimate) }}

// LPT is longest processing time first, by estimate.
var LPT = Order{Name: "lpt", Compare: func(a, b *Job) int { return cmp.Compare(b.Estimate, a.Estimate) }}

// LJF is largest job first, by processors.
var LJF = Order{Name: "ljf", Compare: func(a, b *Job) int { return cmp.Compare(b.Procs, a.Procs) }}

// arrival reports whether the order is that of arrival.
func (o *Order) arrival() bool { return o.Compare == nil && o.Places == nil }

// byID lets ties go by id.
func (o Order) byID() Order {
	return Order{Name: o.Name, Compare: func(a, b *Job) int { return cmp.Or(o.Compare(a, b), cmp.Compare(a.ID, b.ID)) }}
}

// slots gives each job its place among all jobs of the workload.
func (o Order) slots(jobs []*Job) []int32 {
	if o.Places != nil {
		return o.Places
	}
	order := make([]int32, len(jobs))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return o.Compare(jobs[a], jobs[b]) })
	slot := make([]int32, len(jobs))
	for s, i := range order {
		slot[i] = int32(s)
	}
	return slot
}
