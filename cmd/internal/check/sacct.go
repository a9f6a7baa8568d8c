package check

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/sacctsource"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/slurmdb"
)

// lately is how far back the check asks sacct for jobs.
const lately = ostrich.Duration(86400)

// checkSacct checks what the source sacct needs, in place of the database.
func (l *checklist) checkSacct(ctx context.Context, controller reading) {
	source, err := l.Source()
	if err == nil && source.Cluster == "" {
		l.add("cluster", Fail, "set cluster to the ClusterName of slurm.conf", "not known, as the controller does not answer")
		return
	}
	var s *sacctsource.Source
	if err == nil {
		s, err = sacctsource.New(l.AccountingCommands(), source)
	}
	if err != nil {
		l.add("sacct", Fail, "set what the message names", "%v", err)
		return
	}
	began := time.Now()
	h, err := s.History(ctx, ostrich.Time(began.Unix())-ostrich.Time(lately), foretellJobs)
	took := time.Since(began).Round(10 * time.Millisecond)
	switch {
	case err == nil:
		l.ok("sacct", "tells of %d job{|s} of the last day within %s", len(h.Jobs), took)
	case errors.Is(err, accounting.ErrEmpty):
		l.ok("sacct", "tells of no job of the last day, within %s", took)
	case errors.Is(err, slurmdb.ErrTooMuch):
		l.add("sacct", Warn, "let ostrichd read the database, with source: database; or make database.history shorter", "tells of more than %d jobs of the last day, within %s", foretellJobs, took)
	default:
		l.add("sacct", Fail, "let sacct reach slurmdbd from here: AccountingStorageType and AccountingStorageHost in slurm.conf, and munge", "%v", err)
		return
	}
	site, err := s.Site(ctx)
	if err != nil {
		l.add("associations", Fail, "let sacctmgr show associations from here", "%v", err)
	} else {
		l.ok("associations", "%d of users in %d account{|s}", len(site.Associations), len(site.Accounts))
	}
	l.checkPrivate(ctx)
	l.checkHost(controller)
	l.checkNames(ctx, s)
	l.checkPredictor(ctx, func(ctx context.Context) (*accounting.History, error) {
		h, err := s.History(ctx, ostrich.Time(began.Unix())-foretellDays*86400, foretellJobs)
		if errors.Is(err, slurmdb.ErrTooMuch) {
			h, err = s.History(ctx, ostrich.Time(began.Unix())-ostrich.Time(lately), foretellJobs)
		}
		return h, err
	})
}

// checkPrivate checks that slurmdbd shows us everybody's jobs.
func (l *checklist) checkPrivate(ctx context.Context) {
	private, err := l.Commands().Private(ctx)
	hides := slices.DeleteFunc(private, func(what string) bool { return !slices.Contains([]string{"jobs", "users", "accounts"}, what) })
	switch {
	case err != nil:
		l.add("private", Warn, "let sacctmgr show configuration from here", "what slurmdbd hides is not known: %v", err)
	case len(hides) > 0:
		l.add("private", Warn, "nothing for an operator or root, who sees all; else make the user an operator", "slurmdbd hides %s of others (PrivateData)", strings.Join(hides, ", "))
	default:
		l.ok("private", "slurmdbd shows everybody all jobs and associations")
	}
}

// checkHost compares slurmctld's clock, whose times accounting has, with this host's.
func (l *checklist) checkHost(controller reading) {
	apart := controller.ahead()
	switch {
	case controller.there == 0:
		l.add("clocks", Fail, "do as said of the controller", "slurmctld's is not known")
	case max(apart, -apart) > maxSkew:
		l.add("clocks", Warn, "let all hosts follow one time server", "slurmctld's is %+d s against this host's", apart)
	default:
		l.ok("clocks", "within %d s of one another: this host and slurmctld", maxSkew)
	}
}

// checkWriter says which daemons keep one another from writing.
func (l *checklist) checkWriter() {
	if !l.Writes() || l.Journal == "" {
		l.ok("writer", "nothing is written in mode observe")
		return
	}
	l.add("writer", Warn, "run one ostrichd for this cluster; a second one on another host must have its journal in the same folder, on a file system that both mount",
		"without a database, only daemons with the journal %s keep one another from writing", l.Journal)
}
