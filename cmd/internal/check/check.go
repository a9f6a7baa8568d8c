// Package check looks whether everything is there that ostrichd needs ("ostrich check").
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
)

// Result is the outcome of a check.
type Result string

// The outcomes.
const (
	OK   Result = "ok"
	Warn Result = "warn"
	Fail Result = "fail"
)

// Finding is one line of what [Run] found.
type Finding struct {
	Name   string `json:"check"`
	Result Result `json:"result"`
	Found  string `json:"found"`
	Fix    string `json:"mend,omitempty"` // what to do; empty if nothing
}

// checklist collects findings in order.
type checklist struct {
	configuration.Config

	as, me     string // whose rights are checked, who runs this
	version    string // of slurmctld
	byOther    bool   // me is neither root nor the service's user, and as is the latter
	partitions []priority.Partition
	unlisted   error // why they are not known
	found      []Finding
}

func (l *checklist) ok(name, format string, args ...any) {
	l.found = append(l.found, Finding{Name: name, Result: OK, Found: plural.Sprintf(format, args...)})
}

func (l *checklist) add(name string, r Result, fix, format string, args ...any) {
	l.found = append(l.found, Finding{Name: name, Result: r, Found: plural.Sprintf(format, args...), Fix: fix})
}

// Run checks everything that an installation needs, and writes nothing. as is the user
// whose rights in Slurm are checked, me who runs this. If as is "", those of me are
// checked, or those of the service's user.
func Run(ctx context.Context, c configuration.Config, as, me string) []Finding {
	l := checklist{Config: c}
	l.whose(as, me)
	slurm := c.Commands()
	controller, err := slurm.Controller(ctx)
	l.partitions, l.unlisted = slurm.Partitions(ctx)
	if err != nil {
		l.add("controller", Fail, answerFix(err), "%v", err)
	} else {
		l.ok("controller", "cluster %s, Slurm %s", controller.ClusterName, controller.Version)
		l.Cluster, l.version = cmp.Or(c.Cluster, controller.ClusterName), controller.Version
		l.checkPriority(controller)
		l.checkHarms(ctx, controller)
		l.checkOperator(ctx)
		l.checkPartitions()
		l.checkUnit(controller)
		l.checkComments(controller)
	}
	before := sidecar.HostClock()
	diag, err := slurm.Diag(ctx)
	clock := reading{diag.At, before, sidecar.HostClock()}
	switch {
	case err != nil:
		l.add("slurmdbd", Fail, "do as said of the controller", "its lag is not known: %v", err)
	case diag.DBDQueue > 0:
		l.add("slurmdbd", Warn, "start slurmdbd, or see in its log why it does not keep up; until then the virtual schedule stands still",
			"%d message{|s} wait{s|} for it in slurmctld", diag.DBDQueue)
	default:
		l.ok("slurmdbd", "no message waits for it in slurmctld")
	}
	if c.From == configuration.Sacct {
		l.checkSacct(ctx, clock)
	} else {
		l.checkDatabase(ctx, clock)
	}
	l.checkFiles(ctx)
	l.checkJournal()
	l.checkForecasts(sidecar.HostClock())
	l.checkTrialDraw()
	if controller.ClusterName != "" {
		l.checkOrphans(ctx, controller)
	}
	if c.From == configuration.Sacct {
		l.checkWriter()
	}
	l.checkWeb(time.Now())
	l.checkMunge(ctx)
	return l.found
}

// checkPriority checks the chosen channel and mode against the controller.
func (l *checklist) checkPriority(controller priority.Controller) {
	o := l.PlanOptions(controller)
	chosen := fmt.Sprintf("channel %s, mode %s", l.Priority.Channel, l.Priority.Mode)
	var no *priority.ImpossibleError
	switch err := priority.Check(o); {
	case errors.As(err, &no):
		l.add("priority", Fail, no.Fix, "%s under %s: %s", chosen, controller.PriorityType, no.Found)
	case err != nil:
		l.add("priority", Fail, "set priority.channel, priority.mode and priority.depth to what the documentation says", "%s: %v", chosen, err)
	default:
		l.ok("priority", "%s under %s; its weights add up to %d", chosen, controller.PriorityType, controller.Weights.Sum())
	}
	for _, h := range priority.Advice(o) {
		l.add("priority", Warn, h.Fix, "%s", h.Found)
	}
}

func (l *checklist) checkPartitions() {
	if l.unlisted != nil {
		l.add("partitions", Fail, "do as said of the controller", "%v", l.unlisted)
		return
	}
	var names, each []string
	tiers := make(map[int]bool)
	for _, p := range l.partitions {
		names, each = append(names, p.Name), append(each, fmt.Sprintf("%s %d", p.Name, p.PriorityTier))
		tiers[p.PriorityTier] = true
	}
	err := sidecar.CheckPools(l.Pools, l.partitions)
	switch {
	case errors.Is(err, sidecar.ErrShared):
		l.add("partitions", Fail, "put partitions that share nodes into one pool", "%v", err)
		return
	case err != nil:
		l.add("partitions", Fail, "name only partitions of slurm.conf in pools: "+strings.Join(names, ", "), "%v", err)
		return
	}
	if len(tiers) > 1 {
		l.add("partitions", Warn, "nothing, if that is wanted; else give all the same PriorityTier in slurm.conf",
			"PriorityTier differs, which no priority can cross: %s", strings.Join(each, ", "))
		return
	}
	l.ok("partitions", "%s", strings.Join(names, ","))
}

// checkUnit reports by what work is counted, and why.
func (l *checklist) checkUnit(controller priority.Controller) {
	if l.unlisted != nil {
		return // the partitions say so
	}
	u, err := sidecar.UnitOf(&l.Config, controller, l.partitions)
	if err != nil {
		l.add("resource", Fail, "set schedule.resource to one that can be counted, or mend what slurm.conf says", "%v", err)
		return
	}
	l.CountBy(u.Unit)
	for _, warning := range u.Warnings {
		l.add("resource", Warn, "write the unit, as in Mem=0.25G, if the weight is for a gigabyte", "%s", warning)
	}
	l.ok("resource", "work is counted by %s", u)
}

func (l *checklist) checkDatabase(ctx context.Context, controller reading) {
	source, err := l.Source()
	if err != nil {
		fix := "let database.password_file name a file that this user can read"
		if l.byOther {
			fix = RunAs(&l.Config, "check")
		}
		l.add("password", Fail, fix, "%v", err)
		return
	}
	if source.Cluster == "" {
		l.add("cluster", Fail, "set cluster to the ClusterName of slurm.conf", "not known, as the controller does not answer")
		return
	}
	source.Classes = true
	r, err := slurmdb.Open(ctx, source)
	switch {
	case errors.Is(err, slurmdb.ErrCluster):
		l.add("cluster", Fail, "set cluster to one that exists", "%v", err)
		return
	case errors.Is(err, slurmdb.ErrColumns):
		l.add("columns", Fail, "grant SELECT on the tables, as grants.sql does; or set database.name to StorageLoc of slurmdbd.conf", "%v", err)
		return
	case err != nil:
		l.add("database", Fail, l.databaseFix(err), "%v", err)
		return
	}
	defer func() { _ = r.Close() }() // Nothing was written that could be lost.
	l.checkServers(&source, r)
	l.ok("cluster", "%s", source.Cluster)
	l.harms(priority.Harms(priority.Options{}, priority.Surroundings{Clusters: r.Clusters()}))
	columns := r.Columns()
	l.ok("columns", "all that are needed; of the optional ones %d are there and %d are not", len(columns.Found), len(columns.Missing))
	grants, readOnly, err := r.Grants(ctx)
	switch {
	case err != nil:
		l.add("read-only", Warn, "let the account run SHOW GRANTS", "grants are not known: %v", err)
	case !readOnly:
		l.add("read-only", Warn, fmt.Sprintf("REVOKE ALL PRIVILEGES, GRANT OPTION FROM %s; and then grants.sql again", accountOf(grants)), "the account may do more than read: %s", strings.Join(slices.Compact(grants), "; "))
	default:
		l.ok("read-only", "the account can only read")
	}
	l.checkIsolation(ctx, r)
	l.checkClocks(ctx, r, controller)
	l.checkNames(ctx, r)
	l.checkPredictor(ctx, func(ctx context.Context) (*accounting.History, error) {
		return latest(ctx, r, foretellJobs)
	})
}

// checkServers reports which server let the account in, and why the ones before it did
// not: each may be the only one some day.
func (l *checklist) checkServers(source *slurmdb.Config, r *slurmdb.Reader) {
	if passed := r.Passed(); passed != nil {
		l.add("database", Warn, "let the server answer, or leave its address out of database.address", "%s at %s, account %s, because of those before it: %v",
			source.Database, r.Reached().Address, source.User, passed)
		return
	}
	l.ok("database", "%s at %s, account %s", source.Database, r.Reached().Address, source.User)
}

// accountOf returns the account from a line of SHOW GRANTS: GRANT … TO account ….
func accountOf(grants []string) string {
	for _, g := range grants {
		if _, rest, found := strings.Cut(g, " TO "); found {
			return strings.Fields(rest)[0]
		}
	}
	return "the account"
}

// checkNames checks the names in include and exclude.
func (l *checklist) checkNames(ctx context.Context, from sidecar.Namer) {
	if !sidecar.ChoosesByName(&l.Config) {
		return
	}
	err := l.unlisted
	var unknown error
	if err == nil {
		unknown, err = sidecar.UnknownNames(ctx, &l.Config, from, l.partitions)
	}
	result := Warn
	if l.Writes() {
		result = Fail
	}
	switch {
	case err != nil:
		l.add("names", Fail, "do as said of the lines above", "those of include and exclude cannot be looked up: %v", err)
	case unknown != nil:
		l.add("names", result, "write them in include and exclude as Slurm does; mode enforce does not begin with names that it does not know", "%v", unknown)
	default:
		l.ok("names", "Slurm knows all that include and exclude name")
	}
}

// reading is the time of another clock, which was read between two times of this host's
// clock: a command may take long to answer.
type reading struct{ there, before, after ostrich.Time }

// ahead returns by how much the other clock is ahead of this host's, at least; below 0 if
// it is behind.
func (r reading) ahead() ostrich.Time { return r.there - min(max(r.there, r.before), r.after) }

// maxSkew is the largest difference between clocks that needs no mention.
const maxSkew = 2

func (l *checklist) checkClocks(ctx context.Context, r *slurmdb.Reader, controller reading) {
	before := sidecar.HostClock()
	now, err := r.Now(ctx)
	if err != nil {
		l.add("clocks", Fail, "do as said of the database", "%v", err)
		return
	}
	l.compareClocks(reading{now, before, sidecar.HostClock()}, controller)
}

// compareClocks compares the clocks of the database and of slurmctld with this host's.
func (l *checklist) compareClocks(database, controller reading) {
	least, most := min(0, database.ahead()), max(0, database.ahead())
	ofSlurmctld := "not known"
	if controller.there != 0 {
		least, most = min(least, controller.ahead()), max(most, controller.ahead())
		ofSlurmctld = fmt.Sprintf("%+d s", controller.ahead())
	}
	if most-least > maxSkew {
		l.add("clocks", Warn, "let all hosts follow one time server", "up to %d s apart; against this host the database is %+d s and slurmctld %s",
			most-least, database.ahead(), ofSlurmctld)
		return
	}
	l.ok("clocks", "within %d s of one another: this host, the database and slurmctld", maxSkew)
}

// mungeSocket matches the socket that a command of Slurm's names.
var mungeSocket = regexp.MustCompile(`"(/[^"]*munge[^"]*)"`)

// answerFix says what to do where Slurm's commands get no answer: munge comes before
// slurmctld, as no command is heard without.
func answerFix(err error) string {
	said := err.Error()
	path := "/run/munge/munge.socket.2"
	if found := mungeSocket.FindStringSubmatch(said); found != nil {
		path = found[1]
	}
	switch {
	case priority.Says(said, "If munged is up", "Munge encode failed", "munge.socket"):
		return fmt.Sprintf("start munged on this host, whose socket %s does not answer (systemctl start munge): without it slurmctld hears no command", path)
	case priority.Says(said, "sack"):
		return "start sackd on this host, or slurmd, whose socket does not answer: without it slurmctld hears no command"
	case priority.Says(said, "authentication"):
		return "let munged of this host have the munge.key of slurmctld's host, and the same time: slurmctld does not accept its credentials"
	}
	return "start slurmctld, or set slurm.conf and slurm.bin to those of its cluster"
}

// databaseFix says what to do where the database does not let us in, by the server's own
// error.
func (l *checklist) databaseFix(err error) string {
	why, account := slurmdb.RefusalOf(err)
	account = cmp.Or(account, l.Database.User)
	switch why {
	case slurmdb.NoPassword:
		return "name the file with the password of " + account + " in database.password_file: none was given"
	case slurmdb.WrongPassword:
		return fmt.Sprintf("let database.password_file have the password that the server has for %s; if it has no account of that name for that host, which it does not tell, run grants.sql with that host", account)
	case slurmdb.OtherMeans:
		return fmt.Sprintf("give %s a password with grants.sql: the server lets the account in by other means, such as unix_socket, or not at all", account)
	case slurmdb.WrongHost:
		return "run grants.sql with this host in the account's name: the server has no account that may come from here"
	case slurmdb.NoDatabase:
		return "set database.name to StorageLoc of slurmdbd.conf; if it is that, grant SELECT on it with grants.sql"
	case slurmdb.Locked:
		return fmt.Sprintf("ALTER USER %s ACCOUNT UNLOCK PASSWORD EXPIRE NEVER", account)
	case slurmdb.TooMany:
		return "raise max_connections or the account's limits, or end connections: the server has too many"
	case slurmdb.NotRefused:
	}
	return "set database.address, database.name, database.user, database.password_file and database.tls to what the server has"
}

// checkComments reports what a restart does not know of comments.
func (l *checklist) checkComments(controller priority.Controller) {
	switch {
	case !l.ReadsComments():
	case controller.StoresComments:
		l.ok("comments", "slurmctld has those of unfinished jobs, accounting those of ended ones")
	default:
		l.add("comments", Warn, "set AccountingStoreFlags=job_comment in slurm.conf",
			"accounting does not store them: after a restart, what ended jobs said is not known")
	}
}
