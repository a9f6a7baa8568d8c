package sidecar

import (
	"context"
	"fmt"
	"math"

	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
)

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
	version := l.Commands().DatabaseVersion(ctx) // "" if sacctmgr does not tell
	if version == "" {
		version = l.version // slurmdbd is as new as slurmctld or newer
	}
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

// farBelow is how close to the least SiteFactor one is that was most likely meant as a
// small number.
const farBelow = 1 << 20

// rawSite returns what is to be known of a SiteFactor near the least one, "" of others:
// slurmrestd takes site_factor as slurmctld keeps it, with an offset of 2^31.
func rawSite(site int64) string {
	meant := site - math.MinInt32
	if meant < 0 || meant > farBelow {
		return ""
	}
	return fmt.Sprintf("slurmrestd takes site_factor with 2147483648 added, so that %d there means %d, and the priority is 1; for %d send %d",
		meant, site, meant, meant-math.MinInt32)
}

// checkSites warns of SiteFactors that most likely mean another number.
func (l *checklist) checkSites(queue []priority.Queued) {
	n, first := 0, -1
	for i := range queue {
		if queue[i].SiteKnown && rawSite(queue[i].Site) != "" {
			if n++; first < 0 || queue[i].Job < queue[first].Job {
				first = i
			}
		}
	}
	if n > 0 {
		q := &queue[first]
		l.add("SiteFactor", Warn, "let what sets them do so; scontrol update jobid=JOB sitefactor=N takes N as it is meant",
			"%d of the waiting jobs, such as %d, have one near the least, which puts them behind all: %s", n, q.Job, rawSite(q.Site))
	}
}
