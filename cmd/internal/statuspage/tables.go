package statuspage

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/format"
)

// id names a row, so that a script finds it again after a refresh. If a name
// repeats, as for a user with an association for each partition, the later rows
// get a number.
func (b *builder) id(parts ...string) string {
	name := strings.Join(parts, "/")
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
	Rows            []shareRow
	More            *link
}

// shareRow is a user. Bars are in percent of the longest.
type shareRow struct {
	person
	ID, Pool, Account, HeldBar, EntitledBar, Held, Entitled, Share, Active, Queued, Owed string
}

func (b *builder) shares() shareTable {
	t := shareTable{Pools: len(b.s.Pools) > 1}
	longest := 1.0
	for _, s := range b.s.Shares {
		longest = max(longest, s.Entitled, float64(s.Held))
		t.Accounts = t.Accounts || s.Account != ""
	}
	// Users who hold or wait for something come first.
	list := slices.Clone(b.s.Shares)
	idle := func(s Share) int {
		if s.Active || s.Held > 0 || s.Queued > 0 {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, c Share) int { return idle(a) - idle(c) })
	shown := list[:b.rows(len(list), shareRows)]
	for _, s := range shown {
		row := shareRow{
			person: b.person(s.User.User), ID: b.id("share", s.Pool, s.Account, s.User.User), Pool: s.Pool, Account: s.Account,
			HeldBar: percent(float64(s.Held) / longest), EntitledBar: percent(s.Entitled / longest),
			Held: format.Count(s.Held), Entitled: fmt.Sprintf("%.1f", s.Entitled), Share: share(s.Share), Active: "no", Queued: format.Rounded(s.Queued), Owed: format.Rounded(s.Owed),
		}
		if s.Active {
			row.Active = "yes"
		}
		t.Rows = append(t.Rows, row)
	}
	t.Caption = format.Counted(len(list), "user")
	if len(shown) < len(list) {
		t.Caption = fmt.Sprintf("%s of %s", format.Count(len(shown)), format.Counted(len(list), "user"))
		t.More = &link{"Show all users", b.everything("shares")}
	}
	return t
}

// campaignTable is the unfinished campaigns.
type campaignTable struct {
	Caption string
	Rows    []campaignRow
	More    *link
}

type campaignRow struct {
	person
	ID, Campaign, Account, Pending, Running, Done, Work, Progress, Served, Late, Stretch string
	Submitted, Start, End, Bound                                                         moment
}

func (b *builder) campaigns() campaignTable {
	var t campaignTable
	list := b.s.Campaigns
	if user := b.query.User; user != "" {
		list = slices.DeleteFunc(slices.Clone(list), func(c Campaign) bool { return c.User != user })
	}
	shown := list[:b.rows(len(list), campaignRows)]
	for _, c := range shown {
		t.Rows = append(t.Rows, campaignRow{
			person: b.person(c.User), ID: b.id("campaign", c.Pool, c.Account, c.User, fmt.Sprint(c.Campaign.Campaign), fmt.Sprint(c.Submitted)),
			Campaign: fmt.Sprint(c.Campaign.Campaign), Account: c.Account, Pending: format.Count(c.Jobs.Pending), Running: format.Count(c.Jobs.Running), Done: format.Count(c.Jobs.Done),
			Work: format.Rounded(c.Work), Progress: percent(c.Progress), Served: fmt.Sprintf("%.0f %%", 100*c.Progress), Late: c.Late(), Stretch: format.Rounded(c.Stretch),
			Submitted: b.clock.at(float64(c.Submitted)), Start: b.clock.maybe(c.VirtualStart), End: b.clock.maybe(c.VirtualEnd), Bound: b.clock.maybe(c.Bound),
		})
	}
	t.Caption = b.caption(len(shown), len(list), "campaign")
	if len(shown) < len(list) {
		t.More = &link{"Show all campaigns", b.everything("campaigns")}
	}
	return t
}

// caption counts what is shown, and says to whom it belongs.
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

// finishedRow is a campaign that has ended.
type finishedRow struct {
	person
	ID, Campaign, Account, Flow, Stretch, Kept string
	Submitted, Ended, Bound                    moment
}

func (b *builder) finished() []finishedRow {
	var rows []finishedRow
	for _, f := range b.s.Finished {
		if b.query.User != "" && f.User != b.query.User {
			continue
		}
		row := finishedRow{
			person: b.person(f.User), ID: b.id("finished", f.Pool, f.User, fmt.Sprint(f.Campaign), fmt.Sprint(f.Submitted)), Campaign: fmt.Sprint(f.Campaign), Account: f.Account,
			Flow: format.Span(float64(f.Flow)), Stretch: format.Rounded(f.Stretch), Submitted: b.clock.at(float64(f.Submitted)), Ended: b.clock.at(float64(f.Ended)),
			Bound: b.clock.maybe(f.Bound), Kept: "yes",
		}
		switch {
		case f.Bound == nil:
			row.Kept = "none"
		case f.Broken:
			row.Kept = "no"
		}
		rows = append(rows, row)
	}
	return rows
}

// queueTable is the pending jobs in both orders.
type queueTable struct {
	Caption string
	Rows    []queueRow
	More    *link
}

type queueRow struct {
	person
	ID, Job, Explain, Campaign, Rank, SlurmRank, Moved, Priority, Reason, To, Why string
	Due                                                                           moment
	PastDue                                                                       bool
}

func (b *builder) queue() queueTable {
	var t queueTable
	most := queueRows
	if b.query.All {
		most = MostQueued
	}
	found := b.s.Queue(b.query, most)
	for i := range found.Jobs {
		t.Rows = append(t.Rows, b.queued(&found.Jobs[i]))
	}
	t.Caption = b.caption(len(found.Jobs), found.Matched, "pending job")
	if b.query.Job != "" {
		t.Caption += " by the name of " + b.query.Job
	}
	if b.narrowed() {
		t.Caption += ", of " + format.Counted(found.Pending, "pending job") + " in all"
	}
	switch {
	case found.More == 0:
	case b.query.All:
		t.More = &link{"All of them, as JSON", "api/v1/queue.json"}
	default:
		t.More = &link{"Show more jobs", b.everything("queue")}
	}
	return t
}

func (b *builder) queued(j *Queued) queueRow {
	ask := url.Values{"job": {j.Job.Job}}
	if b.query.All {
		ask.Set("all", "1")
	}
	row := queueRow{
		person: b.person(j.User), ID: b.id("job", fmt.Sprint(j.JobID)), Job: j.Job.Job, Explain: "explain?" + ask.Encode() + "#explain",
		Campaign: "–", Rank: "–", SlurmRank: format.Count(j.SlurmRank), Moved: "–", Priority: format.Count(int(j.Priority)), Reason: j.Reason, To: "–", Why: j.Why,
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
	row.Due = b.clock.at(0)
	if j.Due != nil {
		row.Due, row.PastDue = b.clock.at(float64(*j.Due)), *j.Due < b.s.cycle.Time
	}
	if j.Write {
		row.To = strconv.FormatInt(j.From, 10) + " → " + strconv.FormatInt(j.To, 10)
	}
	return row
}

// writeRow is a write to Slurm.
type writeRow struct {
	ID, Job, Channel, From, To, Result, Class, Why string
	At                                             moment
}

func (b *builder) writes() []writeRow {
	rows := make([]writeRow, 0, len(b.s.Writes))
	for _, w := range b.s.Writes {
		row := writeRow{
			At: b.clock.at(float64(w.Time)), Job: fmt.Sprint(w.Job), Channel: string(w.Channel),
			From: strconv.FormatInt(w.From, 10), To: strconv.FormatInt(w.To, 10), Result: w.Result, Why: w.Why,
		}
		if w.Words != "" {
			row.Why = strings.TrimPrefix(row.Why+"; Slurm: "+w.Words, "; ")
		}
		if w.Result != "applied" && w.Result != "intended" {
			row.Class = "bad"
		}
		rows = append(rows, row)
	}
	return rows
}
