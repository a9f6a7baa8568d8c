// Package sacctsource reads accounting through Slurm's own commands, for sites that do
// not let anybody read slurmdbd's tables.
//
// A Source reports the same events as a slurmdb.Reader, because the same ledger.Ledger
// makes them from the same rows. Where the reader asks the tables, it asks
//
//   - sacct, once at the start, for the columns that it knows, and for all rows of a window of time,
//   - squeue, which records have changed since, and sacct for their rows by id,
//   - sacct, for the rows that ended since the newest end seen, less the overlap,
//   - sacct, for the folders and lines of submission of new jobs whose names say that these tell something,
//   - sacctmgr, once a minute, for the associations and for the nodes that are out,
//   - sdiag, for the time: that of slurmctld, which writes all times of a row.
//
// A poll in which one of them fails reports nothing. The next one reports everything.
package sacctsource

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/accounting/tools"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// Commands are Slurm's. slurm.Commands is one.
type Commands interface {
	// Run runs sacct or sacctmgr and passes on what it prints.
	Run(ctx context.Context, to io.Writer, name string, args ...string) error
	Unfinished(ctx context.Context) ([]slurm.Unfinished, error)
	Diag(ctx context.Context) (slurm.Diag, error)
}

// Source is a sidecar's accounting. It is not safe for concurrent use.
type Source struct {
	*ledger.Ledger

	commands Commands
	config   slurmdb.Config
	cold     bool

	format  string                   // of sacct's rows; "" before sacct was asked for its columns
	like    []string                 // patterns of names, of jobs of which the folder or the line of submission is asked for
	texts   map[accounting.Key]texts // of such jobs, unless they have ended long ago
	seen    map[ostrich.JobID]string // what squeue said of records whose rows are known, as they are now
	sitesAt ostrich.Time             // when sacctmgr was asked
}

// siteAge is how long the associations and the nodes are used before sacctmgr is asked
// again.
const siteAge = ostrich.Time(60)

// New returns a source for the cluster of a reader's configuration, and ignores what that
// says of a connection. It asks nothing yet.
func New(commands Commands, c slurmdb.Config) (*Source, error) {
	if c.Cluster == "" {
		return nil, fmt.Errorf("sacct: %w: no cluster", slurmdb.ErrConfig)
	}
	ledger, err := slurmdb.NewLedger(c)
	if err != nil {
		return nil, err
	}
	return &Source{
		Ledger: ledger, commands: commands, config: c, cold: true, seen: map[ostrich.JobID]string{}, texts: map[accounting.Key]texts{},
	}, nil
}

// Close does nothing: no connection is kept.
func (s *Source) Close() error { return nil }

// PollEach reads what is new, and passes the events on as slurmdb.Reader does.
func (s *Source) PollEach(ctx context.Context, emit func(ostrich.Event)) (ledger.Batch, error) {
	diag, err := s.commands.Diag(ctx)
	if err != nil {
		return ledger.Batch{}, err
	}
	if believe := s.config.Believe; believe != nil {
		if err = believe(diag.At); err != nil {
			return ledger.Batch{}, fmt.Errorf("sdiag: %w", err)
		}
	}
	// squeue comes first: what it shows is in accounting a moment later, or is asked for
	// again.
	queue, err := s.commands.Unfinished(ctx)
	if err != nil {
		return ledger.Batch{}, err
	}
	p := poll{Poll: s.Begin(diag.At), source: s, now: diag.At, rows: make(map[ostrich.JobID]glance), arrays: make(map[ostrich.JobID]*slurm.Unfinished), told: make(map[accounting.Key]bool)}
	for i := range queue {
		if u := &queue[i]; u.Tasks > 0 {
			p.arrays[u.Job] = u
		}
	}
	sites, err := p.read(ctx, queue)
	if err != nil {
		return ledger.Batch{}, err
	}
	batch := p.Enter(emit)
	maps.DeleteFunc(s.texts, func(k accounting.Key, _ texts) bool {
		_, lives := s.Record(k.ID)
		return !lives && !p.told[k]
	})
	s.cold, s.seen = false, p.agreed(queue)
	if sites {
		s.sitesAt = diag.At
	}
	return batch, nil
}

// poll is a poll that is under way.
type poll struct {
	*ledger.Poll

	source *Source
	now    ostrich.Time
	rows   map[ostrich.JobID]glance // the latest row read of each job
	arrays map[ostrich.JobID]*slurm.Unfinished
	told   map[accounting.Key]bool // rows read of which the texts count
}

// glance is what is compared of a row with squeue.
type glance struct {
	submit, end, eligible ostrich.Time
	started               bool
}

// read asks Slurm for all that has changed. It reports whether that includes the
// associations and the nodes.
func (p *poll) read(ctx context.Context, queue []slurm.Unfinished) (sites bool, err error) {
	s := p.source
	states := ended
	if s.cold {
		states += "," + unfinished
	}
	err = p.sacct(ctx, "--allusers", "--starttime", uts(p.Window), "--endtime", "now+1day", "--state", states)
	if err != nil {
		return false, err
	}
	var known, fresh []ostrich.JobID // that have changed
	for _, u := range queue {
		if s.seen[u.Job] == u.Text {
			p.Same(u.Job)
		} else if p.agrees(&u) {
			continue
		} else if _, is := s.Record(u.Job); is {
			known = append(known, u.Job)
		} else {
			fresh = append(fresh, u.Job)
		}
	}
	slices.Sort(known)
	missed := slices.DeleteFunc(p.Missed(), func(id ostrich.JobID) bool {
		_, is := slices.BinarySearch(known, id)
		return is
	})
	// Asked by the id of an array, sacct prints all its tasks. For known records, those
	// that ended since Window are enough.
	if err = p.byID(ctx, p.Window, known); err == nil {
		err = p.byID(ctx, p.First, append(fresh, missed...))
	}
	if err != nil {
		return false, err
	}
	for _, id := range p.Missed() { // Rows of earlier runs may be there still.
		if _, asked := slices.BinarySearch(missed, id); asked {
			p.Gone(id)
		}
	}
	if !s.cold && p.now-s.sitesAt < siteAge {
		return false, nil
	}
	return true, p.sites(ctx)
}

// chunk is how many jobs sacct is asked for at once.
const chunk = 1000

// byID asks for the rows of jobs that have not ended, or ended at a time or later.
func (p *poll) byID(ctx context.Context, since ostrich.Time, ids []ostrich.JobID) error {
	slices.Sort(ids)
	for some := range slices.Chunk(slices.Compact(ids), chunk) {
		if err := p.sacct(ctx, "--starttime", uts(since), "--endtime", "now+1day", "--jobs", list(some)); err != nil {
			return err
		}
	}
	return nil
}

// The states of rows that have not ended and that have, as sacct's option names them.
const (
	unfinished = "PD,R,S"
	ended      = "BF,CA,CD,DL,F,NF,OOM,PR,RQ,RS,RV,TO"
)

// uts returns a time as sacct's options take it, in any time zone.
func uts(t ostrich.Time) string { return "uts" + strconv.FormatInt(max(86400, int64(t)), 10) }

func list(ids []ostrich.JobID) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatUint(uint64(id), 10))
	}
	return b.String()
}

// sacct reports the rows that sacct prints. A cold start may read millions that have
// ended, which are not compared with anything.
func (p *poll) sacct(ctx context.Context, which ...string) error {
	var held []*accounting.Row // until their texts are known
	err := p.source.each(ctx, func(r accounting.Row) error {
		if g, known := p.rows[r.ID]; (!known || r.Submit >= g.submit) && (r.End == 0 || !p.source.cold) {
			p.rows[r.ID] = glance{r.Submit, r.End, r.Eligible, r.Started()}
		}
		if p.count(&r); p.source.looks(&r) {
			held = append(held, &r)
			p.told[keyOf(&r)] = true
		} else {
			p.Row(&r)
		}
		return nil
	}, which...)
	for some := range slices.Chunk(held, chunk) {
		if err == nil {
			err = p.source.tell(ctx, p.First, some)
		}
		for _, r := range some {
			if p.Row(r); p.source.cold && r.End != 0 && r.End < p.now-lately {
				p.forget(r)
			}
		}
	}
	return err
}

// lately is for how long after its end a row's texts are kept by a cold start, as the next poll may read it again.
const lately = ostrich.Time(3600)

// forget drops the texts of a row that was reported: a cold start may read millions.
func (p *poll) forget(r *accounting.Row) {
	delete(p.told, keyOf(r))
	delete(p.source.texts, keyOf(r))
	r.Folder, r.Line = "", ""
}

// smallArray is up to which task number an array is taken to have its whole mask in
// accounting: Slurm's default for MaxArraySize is 1001.
const smallArray = 1000

// count sets the number of the waiting tasks of a large array to what the queue says.
// slurmdbd keeps which tasks wait as a mask in a column of 65535 characters. That of an
// array with a task above 262131 loses its end, so that sacct shows others than wait, or
// none, also when only few of them are left.
func (p *poll) count(r *accounting.Row) {
	if r.Array == 0 || r.Task >= 0 || r.Start != 0 || r.End != 0 {
		return
	}
	u, waits := p.arrays[r.ID]
	if waits && u.Submit == r.Submit && (r.Tasks == 0 || u.LastTask > smallArray) {
		r.Tasks = uint32(u.Tasks)
	}
	if r.Tasks == 0 && r.Impossible == "" {
		r.Impossible = "sacct: an array of which no task waits"
	}
}

// newMark returns a delimiter. Anybody can see it while sacct runs, and name a job so: it is used once.
func newMark() string { return "\x1e" + rand.Text() + "\x1e" }

// columns finds out which columns sacct knows.
func (s *Source) columns(ctx context.Context) error {
	if s.format != "" {
		return nil
	}
	var known bytes.Buffer
	if err := s.commands.Run(ctx, &known, "sacct", "--helpformat"); err != nil {
		return err
	}
	s.format = sacct.RowFormat(known.String())
	if (s.config.Class == ledger.ByKind || s.config.Declared == ledger.ByTool) && strings.Contains(known.String(), "SubmitLine") {
		s.like = append(s.config.Tools.Like(tools.Folder), s.config.Tools.Like(tools.Line)...)
	}
	return nil
}

// each passes the rows that sacct prints to visit, until that returns an error.
func (s *Source) each(ctx context.Context, visit func(accounting.Row) error, which ...string) error {
	if err := s.columns(ctx); err != nil {
		return err
	}
	return s.rows(ctx, s.format, visit, which...)
}

// rows is each with the columns of a format.
func (s *Source) rows(ctx context.Context, format string, visit func(accounting.Row) error, which ...string) error {
	mark := newMark()
	rows := sacct.Rows{Mark: mark, Format: format, Named: s.config.Named(), Visit: visit}
	args := append([]string{
		"--allocations", "--duplicates", "--noheader", "--parsable2", "--delimiter", mark, "--format", format,
	}, which...)
	if err := s.commands.Run(ctx, &rows, "sacct", args...); err != nil {
		return err
	}
	return rows.Close()
}

// agrees reports whether the latest row read of a job is that of squeue's record.
func (p *poll) agrees(u *slurm.Unfinished) bool {
	g, known := p.rows[u.Job]
	switch {
	case !known || g.submit != u.Submit:
		return false
	case u.Status == slurm.Ends:
		return g.end != 0
	case u.Status == slurm.Runs: // not of a row that is half written: accounting has a start there before the job runs
		return g.end == 0 && g.started
	case u.Wait == priority.Able && (g.eligible == 0 || g.eligible > p.now):
		return false // it was released a moment ago
	}
	return g.end == 0 && !g.started
}

// agreed returns what squeue said of the records whose rows are as squeue has them. The
// others are asked for again in the next poll: accounting hears of changes seconds late.
func (p *poll) agreed(queue []slurm.Unfinished) map[ostrich.JobID]string {
	seen := make(map[ostrich.JobID]string, len(queue))
	for i := range queue {
		u := &queue[i]
		if p.source.seen[u.Job] == u.Text || p.agrees(u) {
			seen[u.Job] = u.Text
		}
	}
	return seen
}

// sites reports the associations and the nodes that are out.
func (p *poll) sites(ctx context.Context) error {
	site, err := p.source.associations(ctx, sacct.AssociationsCommand)
	if err != nil {
		return err
	}
	p.Associations(site)
	if p.source.config.Unit.Charges() {
		if err = p.source.factors(ctx, p.Poll); err != nil {
			return err
		}
	}
	nodes, err := p.source.nodes(ctx, p.First)
	p.Nodes(nodes...)
	return err
}

// Site reads the association tree and the QOS, with their limits.
func (s *Source) Site(ctx context.Context) (*accounting.Site, error) {
	site, err := s.associations(ctx, sacct.AssociationsCommand+sacct.AssociationLimits)
	if err == nil {
		err = s.qos(ctx, site, sacct.QOSCommand+sacct.QOSLimits)
	}
	return site, err
}

// associations reads the association tree.
func (s *Source) associations(ctx context.Context, command string) (*accounting.Site, error) {
	out, err := s.sacctmgr(ctx, command, "cluster="+s.config.Cluster)
	if err != nil {
		return nil, err
	}
	site := new(accounting.Site)
	return site, sacct.ReadAssociations(site, out, "show associations", s.config.Cluster)
}

// qos adds the QOS.
func (s *Source) qos(ctx context.Context, site *accounting.Site, command string) error {
	out, err := s.sacctmgr(ctx, command)
	if err != nil {
		return err
	}
	return sacct.ReadQOS(site, out, "show qos")
}

// factors reads what the jobs of each QOS are charged.
func (s *Source) factors(ctx context.Context, p *ledger.Poll) error {
	var site accounting.Site
	if err := s.qos(ctx, &site, sacct.QOSCommand); err != nil {
		return err
	}
	factors := make(map[string]float64)
	for i := range site.QOS {
		factors[site.QOS[i].Name] = site.QOS[i].UsageFactor
	}
	p.Factors(factors)
	return nil
}

// nodes reads the rows of the event table since a time, and those that are open.
func (s *Source) nodes(ctx context.Context, since ostrich.Time) ([]accounting.NodeEvent, error) {
	out, err := s.sacctmgr(ctx, sacct.EventsCommand, "cluster="+s.config.Cluster, "start="+uts(since))
	if err != nil {
		return nil, err
	}
	return sacct.ReadEvents(out, "show event", s.config.Unit.Named())
}

// sacctmgr runs a command of sacctmgr's with further words.
func (s *Source) sacctmgr(ctx context.Context, command string, more ...string) (io.Reader, error) {
	var out bytes.Buffer
	err := s.commands.Run(ctx, &out, "sacctmgr", append(strings.Fields(command)[1:], more...)...)
	return &out, err
}
