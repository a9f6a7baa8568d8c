package check

import (
	"cmp"
	"context"
	"fmt"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
)

// checkHarms looks for settings of Slurm under which an order can do harm.
func (l *checklist) checkHarms(ctx context.Context, controller priority.Controller) {
	o := l.PlanOptions(controller)
	o.Classes = l.Classes(controller, l.partitions)
	if l.Priority.Mode == priority.Strict {
		l.ok("classes", "%s (priority.classes %s)", sidecar.InTurn(o.Classes), l.Priority.Classes)
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

func (l *checklist) harms(found []priority.Harm) {
	for _, h := range found {
		result := Warn
		if h.Fatal {
			result = Fail
		}
		l.add(h.Setting, result, h.Fix, "%s", h.Found)
	}
}

// isolated is the first release, year and month, whose slurmdbd is not to run on a
// database with innodb_snapshot_isolation.
var isolated = [2]int{26, 5}

// checkIsolation warns of a database on which slurmdbd may end.
func (l *checklist) checkIsolation(ctx context.Context, r *slurmdb.Reader) {
	on, err := r.SnapshotIsolation(ctx)
	if err != nil {
		l.add("isolation", Warn, "let the account read the server's variables", "%v", err)
		return
	}
	version := cmp.Or(l.Commands().DatabaseVersion(ctx), l.version) // slurmdbd is as new as slurmctld or newer
	l.isolation(on, version)
}

func (l *checklist) isolation(on bool, version string) {
	if on && since(version, isolated) {
		l.add("isolation", Warn, "set innodb_snapshot_isolation=OFF in the server's configuration, and restart it and slurmdbd",
			"innodb_snapshot_isolation is on, by default since MariaDB 11.6, and Slurm %s does not support that: slurmdbd may end when two of its writes conflict", version)
	}
}

// since reports whether a release of Slurm, such as 26.05.1, is not older than one.
func since(version string, release [2]int) bool {
	var year, month int
	if n, _ := fmt.Sscanf(version, "%d.%d", &year, &month); n < 2 {
		return false
	}
	return year > release[0] || year == release[0] && month >= release[1]
}

// checkSites warns of SiteFactors that most likely mean another number.
func (l *checklist) checkSites(queue []priority.Queued) {
	n, first := 0, -1
	for i := range queue {
		if queue[i].SiteKnown && sidecar.RawSite(queue[i].Site) != "" {
			if n++; first < 0 || queue[i].Job < queue[first].Job {
				first = i
			}
		}
	}
	if n > 0 {
		q := &queue[first]
		l.add("SiteFactor", Warn, "let what sets them do so; scontrol update jobid=JOB sitefactor=N takes N as it is meant",
			"%d of the waiting jobs {has|have} one near the least, which puts {it|them} behind all, such as %d: %s", n, q.Job, sidecar.RawSite(q.Site))
	}
}
