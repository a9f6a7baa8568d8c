package sidecar

import (
	"context"

	"slurm-ostrich/priority"
)

// checkHarms looks for settings of Slurm under which an order can do harm.
func (l *checklist) checkHarms(ctx context.Context, controller priority.Controller) {
	o := l.PlanOptions(controller)
	o.Classes = l.Classes(controller, l.partitions)
	if l.Priority.Mode == priority.Strict {
		l.ok("classes", "%s (priority.classes %s)", inTurn(o.Classes), l.Priority.Classes)
	}
	for _, f := range priority.Flags(o) {
		switch {
		case f.Means != "":
			l.ok("PriorityFlags", "%s: %s", f.Name, f.Means)
		case !f.Known:
			l.add("PriorityFlags", Warn, "look it up in slurm.conf(5) of this release", "%s: not known here, so nobody looked at what it does to an order", f.Name)
		}
	}
	if len(controller.PriorityFlags) == 0 {
		l.ok("PriorityFlags", "none")
	}
	slurm := l.Commands()
	around := priority.Surroundings{Partitions: l.partitions} // if they are not known, checkPartitions says so
	if queue, failed := slurm.Queue(ctx); failed == nil {     // else no job is counted
		around.Pending = len(queue)
		defer l.checkSites(queue)
	}
	unknown := controller.PoliciesUnknown
	var err error
	if around.Thresholds, err = slurm.Thresholds(ctx, controller.ClusterName); err != nil {
		unknown = err.Error()
	}
	found := priority.Harms(o, around)
	l.harms(found)
	switch undecided := priority.Undecided(o); {
	case undecided != nil:
		l.add("harm", Fail, "start slurmdbd, and let this user run scontrol show assoc_mgr and sacctmgr show qos", "%v", undecided)
	case unknown != "":
		l.add("harm", Warn, "start slurmdbd, and let this user run scontrol show assoc_mgr, scontrol show federation and sacctmgr show associations", "not all settings are known: %s", unknown)
	case len(found) == 0:
		l.ok("harm", "no setting under which an order can do harm")
	}
}

// harms adds a line for each harm.
func (l *checklist) harms(found []priority.Harm) {
	for _, h := range found {
		result := Warn
		if h.Fatal {
			result = Fail
		}
		l.add(h.Setting, result, h.Fix, "%s", h.Found)
	}
}
