// Package prioritytest makes jobs and controllers for tests of the packages below
// priority.
package prioritytest

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Multifactor returns a controller with priority/multifactor.
func Multifactor() priority.Controller {
	return priority.Controller{
		ClusterName: "lab", Version: "22.05.8", PriorityType: "priority/multifactor",
		Weights:           priority.Weights{Age: 1000, Fairshare: 10000, TRES: []priority.TRESWeight{{Name: "cpu", Weight: 6.5}}},
		DefaultQueueDepth: 100, BackfillMaxJobTest: 500,
	}
}

// Aging returns a controller that computes priorities every five minutes. A decay
// step changes age by 4, fairshare by 500, and rounding by 1.
func Aging() priority.Controller {
	c := Multifactor()
	c.CalcPeriod, c.PriorityMaxAge = 300, 75_000
	return c
}

// Basic returns a controller with priority/basic.
func Basic() priority.Controller {
	return priority.Controller{ClusterName: "lab", Version: "22.05.8", PriorityType: "priority/basic", DefaultQueueDepth: 100, BackfillMaxJobTest: 500}
}

// TopPriority is the priority that priority/basic gives the first job.
const TopPriority = 0xffff0000

// Job returns an ordinary pending job under priority/multifactor.
func Job(id ostrich.JobID, change func(*priority.Queued)) priority.Queued {
	q := priority.Queued{
		Job: id, Count: 1, User: "ann", Account: "lab", Partition: "main", QOS: "normal", Priority: 5000,
		Listed: true, SiteKnown: true, State: "PENDING", Reason: "Priority", Submit: 1000 + ostrich.Time(id),
	}
	if change != nil {
		change(&q)
	}
	return q
}

// Order returns an order of jobs; each ten consecutive ids are a campaign.
func Order(ids ...ostrich.JobID) []ostrich.Place {
	order := make([]ostrich.Place, len(ids))
	for i, id := range ids {
		order[i] = ostrich.Place{Job: id, Campaign: int(id) / 10}
	}
	return order
}
