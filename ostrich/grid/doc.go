// Package grid simulates bags of sequential tasks on clusters of several speeds:
// the scheduling model and the measures of Iosup, Sonmez, Anoep and Epema, "The
// Performance of Bags-of-Tasks in Large-Scale Distributed Systems" (HPDC 2008),
// sections 2 and 4.1. Package bot has the workloads of its section 3.
//
// An [Experiment] has a [Platform], a resource-management [Architecture], a selection
// ([Selections]: which tasks are eligible) and a policy ([Policies]: where they run,
// and in which order). [Experiment.Run] runs bags and returns a [Result], which has
// the [Measures].
//
//	bags := grid.FromLog(jobs, numbers)
//	err := grid.Spread(bags, p, grid.Sized)
//	x := grid.Experiment{Platform: p, Architecture: grid.CSP, Selection: "S-T", Policy: "FPLT", Load: 0.95}
//	result, err := x.Run(bags)
//	m := result.Measures()
//
// # Semantics
//
// A task that has started runs to its end, or until another copy of it ends. Times
// are whole seconds, and a task takes RunTime. At one moment all ends come first, by
// task, then all submissions, then CSP looks at its clusters, then each resource
// manager starts what it can. The paper's managers schedule periodically as well: but
// for the looks of CSP, nothing could start then that has not. Under FCondor the
// managers start what they can after the ends, and again after each submitted task, to
// find out whether it has to wait.
//
// A manager with an idle processor and nothing eligible that waits draws the next
// eligible set, see Redraw. S-T draws none: its tasks are eligible as they come. Under
// a chart (ECT, ECT-P, MaxMin) a task in the queue of a cluster has left the eligible set. Otherwise one
// task that waits for a fast processor would keep all others from idle slow ones.
//
// Under OStrich and FairCamp the eligible tasks of a list are always those of the bag
// in front, which may be another one at each start. A chart draws the first bag that
// has tasks in no queue.
//
// A policy is told the run times of tasks and the speeds of processors in two places,
// which give it nothing but what its classes of [Information] allow. A chart reads speeds
// itself; only policies that know them have one.
package grid
