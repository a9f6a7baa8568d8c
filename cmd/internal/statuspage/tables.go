package statuspage

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/view"
)

// id names a row, so that a script finds it again after a refresh. If a name
// repeats, as for a user with an association for each partition, the later rows
// get a number.
func (b *builder) id(parts ...any) string {
	name := strings.Join(format.Texts(parts, func(part any) string { return fmt.Sprint(part) }), "/")
	if b.ids == nil {
		b.ids = make(map[string]int)
	}
	if b.ids[name]++; b.ids[name] > 1 {
		name += "/" + strconv.Itoa(b.ids[name])
	}
	return url.QueryEscape(name)
}

// shareTable is what users are entitled to and hold.
type shareTable struct {
	Caption         string
	Accounts, Pools bool // are columns
	Rows            []*view.User
	More            *link
	longest         float64 // bar, in what work is counted in
}

// Bar returns how long a bar is, in percent of the longest.
func (t *shareTable) Bar(units float64) string { return percent(units / t.longest) }

func (b *builder) shares() *shareTable {
	t := &shareTable{Pools: slices.ContainsFunc(b.s.Pools, func(p Pool) bool { return p.Pool != b.s.Pools[0].Pool }), longest: 1}
	for _, s := range b.s.Shares {
		t.longest = max(t.longest, s.Entitled, s.Held)
		t.Accounts = t.Accounts || s.Account != ""
	}
	// Users who hold or wait for something come first.
	list := slices.Clone(b.s.Shares)
	idle := func(s *view.User) int {
		if s.Active || s.Held > 0 || s.Queued > 0 {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, c *view.User) int { return idle(a) - idle(c) })
	t.Rows = list[:b.rows(len(list), shareRows)]
	t.Caption = format.Counted(len(list), "user")
	if len(t.Rows) < len(list) {
		t.Caption = fmt.Sprintf("%s of %s", format.Count(len(t.Rows)), t.Caption)
		t.More = &link{"Show all users", b.everything("shares")}
	}
	return t
}

// classes reports whether there are classes of jobs.
func (b *builder) classes() bool { return len(b.s.Pools) > 0 && b.s.Pools[0].Class != "" }

type table[Row any] struct {
	Caption string
	Rows    []Row
	More    *link
}

func (b *builder) campaigns() table[*view.Campaign] {
	list := of(b.query.User, b.s.Campaigns, func(c **view.Campaign) string { return (*c).User })
	t := table[*view.Campaign]{Rows: list[:b.rows(len(list), campaignRows)]}
	t.Caption = b.caption(len(t.Rows), len(list), "campaign")
	if len(t.Rows) < len(list) {
		t.More = &link{"Show all campaigns", b.everything("campaigns")}
	}
	return t
}

// caption counts what is shown, and names the user if the rows are narrowed to one.
func (b *builder) caption(shown, all int, what string) string {
	text := format.Counted(all, what)
	if shown < all {
		text = fmt.Sprintf("The first %s of %s", format.Count(shown), text)
	}
	if b.query.User != "" {
		text += " of user " + b.query.User
	}
	return text
}

// queueRow holds the words for a pending job. There may be many jobs, and a template that
// asks for each word is slower.
type queueRow struct {
	Who                                                                              person
	Job, Explain, Class, Campaign, Rank, SlurmRank, Moved, Priority, Reason, To, Why string
	Due                                                                              moment
	PastDue                                                                          bool
}

// queue returns the pending jobs in both orders.
func (b *builder) queue() table[queueRow] {
	most := queueRows
	if b.query.All {
		most = MostQueued
	}
	found := b.s.queued(b.query, most)
	t := table[queueRow]{Caption: b.caption(len(found.Jobs), found.Matched, "pending job")}
	for i := range found.Jobs {
		t.Rows = append(t.Rows, b.queued(&found.Jobs[i]))
	}
	if b.query.Job != "" {
		t.Caption += " by the name of " + b.query.Job
	}
	if b.narrowed() {
		t.Caption += ", of " + format.Counted(found.Pending, "pending job") + " in all"
	}
	switch {
	case found.More == 0:
	case b.query.All:
		t.More = &link{"All of them, as JSON", "v1/plan"}
	default:
		t.More = &link{"Show more jobs", b.everything("queue")}
	}
	return t
}

func (b *builder) queued(j *view.Job) queueRow {
	ask := url.Values{"job": {j.Job}}
	if b.query.All {
		ask.Set("all", "1")
	}
	row := queueRow{
		Who: b.Row(j.User, "job", j.JobID), Job: j.Job, Explain: "explain?" + ask.Encode() + "#explain",
		Class: j.Class, Campaign: "–", Rank: "–", SlurmRank: format.Count(j.SlurmRank), Moved: "–", Priority: format.Count(int(j.Priority)), Reason: j.Reason, To: "–", Why: j.Why,
		Due: b.clock.at(0),
	}
	if j.Campaign != nil {
		row.Campaign = fmt.Sprint(*j.Campaign)
	}
	if j.Rank != nil {
		row.Rank = format.Count(*j.Rank)
		row.Moved = format.Count(j.Moved)
		if j.Moved > 0 {
			row.Moved = "+" + row.Moved
		}
	}
	if j.Due != nil {
		row.Due, row.PastDue = b.At(*j.Due), *j.Due < b.s.cycle.Time
	}
	if j.Write {
		row.To = strconv.FormatInt(j.From, 10) + " → " + strconv.FormatInt(j.To, 10)
	}
	return row
}

// Made reports whether a write was made, as far as is known.
func (w Write) Made() bool { return w.Result == "applied" || w.Result == "intended" }

// Reason returns why the write was made, and what Slurm said.
func (w Write) Reason() string {
	if w.Words == "" {
		return w.Why
	}
	return strings.TrimPrefix(w.Why+"; Slurm: "+w.Words, "; ")
}

// promiseView is how many campaigns took no longer than with a private share, and
// the users furthest from it.
type promiseView struct {
	Words string
	Rows  []live.PromiseUser
}

// promise returns nil while no campaign has a known ρ.
func (b *builder) promise() *promiseView {
	p := &b.s.Promise
	if p.Campaigns == 0 {
		return nil
	}
	words := fmt.Sprintf("%s %% of %s that ended within 24 hours took no longer than with a private share of the machine (ρ ≤ 1); mean ρ %s, 95th percentile %s.",
		percent(p.Le1), format.Counted(p.Campaigns, "campaign"), format.Rounded(p.Mean), format.Rounded(p.P95))
	return &promiseView{words, of(b.query.User, p.Users, func(u *live.PromiseUser) string { return u.User })}
}

// MostQueued is how many jobs of the queue the page shows, at most, if it is asked for all.
const MostQueued = 500

// queued lists the pending jobs that q asks for, at most so many.
func (s *Snapshot) queued(q Query, most int) view.Plan {
	if s.cycle == nil {
		return view.Plan{}
	}
	by := &view.Selection{Limit: most}
	if q.User != "" {
		by.Users = []string{q.User}
	}
	if q.Job != "" {
		by.Jobs = []string{q.Job}
	}
	return s.cycle.Chosen(s.sees(), by)
}

// explain says why jobs stand where they stand, or what became of them, as "ostrich explain"
// does. The error is for the reader.
func (s *Snapshot) explain(ctx context.Context, jobs string) (*view.Answer, error) {
	names, err := view.ParseJobs(jobs)
	switch {
	case err != nil:
		return nil, err
	case s.cycle == nil:
		return nil, ErrNoCycle
	case len(names) == 0:
		return nil, errors.New("name a job")
	}
	ctx, cancel := context.WithTimeout(ctx, api.Asking)
	defer cancel()
	a, err := s.cycle.Answer(ctx, s.sees(), &view.Selection{Jobs: view.Split(jobs)})
	if err == nil && len(a.Unknown) > 0 {
		err = fmt.Errorf("job %s: neither in the queue nor in accounting", strings.Join(a.Unknown, ", "))
	}
	return a, err
}

func textOf(a *view.Answer) string {
	texts := format.Texts(a.Jobs, (*view.Explanation).String)
	if a.Incomplete != "" {
		texts = append(texts, "Something may be missing: "+a.Incomplete+".\n")
	}
	return strings.Join(texts, "\n")
}
