package statuspage

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

//go:embed page.html
var pageText string

// Assets are the files that the page loads: page.css and page.js.
//
//go:embed page.css page.js
var Assets embed.FS

// words are how the page writes what rows hold.
var words = template.FuncMap{
	"count": format.Count, "rounded": format.Rounded, "percent": percent, "share": share,
	"served": func(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) },
	"span":   func(d ostrich.Duration) string { return format.Span(float64(d)) },
}

var pageTemplate = template.Must(template.New("page").Funcs(words).Parse(pageText))

// Rows that the page shows without being asked for all.
const (
	laneRows     = 40
	shareRows    = 40
	campaignRows = 50
	queueRows    = 100
)

// refresh returns how many seconds the page waits before it asks anew: half an interval,
// as there is nothing new more often.
func refresh(interval ostrich.Duration) int { return int(min(max(interval/2, 5), 60)) }

// render writes the page in a time zone. All its links are relative, so a proxy may serve
// it under any path.
func render(w io.Writer, s *Snapshot, q Query, e *explained, zone *time.Location) error {
	var whole bytes.Buffer // nothing half-written
	if err := pageTemplate.Execute(&whole, newContent(s, q, e, zone)); err != nil {
		return fmt.Errorf("status page: %w", err)
	}
	if _, err := whole.WriteTo(w); err != nil {
		return fmt.Errorf("status page: %w", err)
	}
	return nil
}

// content is the page. Rows of tables are what the snapshot has, and the page asks the
// builder for what they look like.
type content struct {
	*builder
	Title, Zone, Here string
	Hidden            string // what this viewer does not see; "" if nothing is left out
	Refresh           int    // seconds
	All               bool
	User, Job         string // that the rows are narrowed to
	Unfiltered        string // link, where they are
	Closed            string // link to the page without the explanation
	Unit              format.Unit
	Strip             strip
	Pools             []poolView
	Shares            *shareTable
	Campaigns         table[*view.Campaign]
	Finished          []*live.Finished
	Promise           *promiseView
	Queue             table[queueRow]
	Due               bool // whether the queue has due dates
	Classes           bool // whether there are classes of jobs, which are a column
	Explain           *explained
	Trends            *trendView
	Nights            []live.Night
	NoNight           string // why there are none
	Writes            []Write
	NoWrites          string
	Checks            []Check
	Version           string
	API               []Question
}

// explained is what the box of questions answers: Words, or why there are none.
type explained struct {
	Job, Words, Error string
	Odds              []jobOdds // of the jobs of which they are told
}

// link leads to more of a list.
type link struct{ Text, Link string }

// person is a user, wherever the page names one. Rows with the same Number light
// up together.
type person struct {
	Name, Class, Link, ID string // ID is of a row of a table
	Number                int
}

// colours is how many the style sheet has.
const colours = 12

func (b *builder) person(name string) person {
	number := b.s.number(name)
	q := url.Values{"user": {name}}
	if b.query.All {
		q.Set("all", "1")
	}
	return person{Name: name, Number: number, Class: "u" + strconv.Itoa(number%colours), Link: "./?" + q.Encode() + "#campaigns"}
}

// Row describes the user of a row. parts name the row.
func (b *builder) Row(user string, parts ...any) person {
	p := b.person(user)
	p.ID = b.id(parts...)
	return p
}

// At returns a moment as the page shows it.
func (b *builder) At(t ostrich.Time) moment { return b.clock.at(float64(t)) }

// Maybe returns a moment as the page shows it; nil is never.
func (b *builder) Maybe(t *float64) moment { return b.clock.maybe(t) }

// Telling returns the bound of a campaign if it says something, see view.Telling.
func (b *builder) Telling(c *view.Campaign) *float64 {
	if !view.Telling(c.Submitted, c.VirtualEnd, c.Bound) {
		return nil
	}
	return c.Bound
}

// builder makes the content of a snapshot.
type builder struct {
	s     *Snapshot
	query Query
	clock clock
	ids   map[string]int // how many rows have one
}

func newContent(s *Snapshot, q Query, e *explained, zone *time.Location) *content {
	b := &builder{s: s, query: q, clock: clock{time.Unix(int64(s.Health.Now), 0).In(zone)}}
	v := &content{
		builder: b,
		Title:   strings.TrimSuffix("OStrich on "+s.Health.Cluster, " on "), Zone: b.clock.zone(), Hidden: s.hidden(), Refresh: refresh(s.Health.Interval),
		All: q.All, User: q.User, Job: q.Job, Explain: e, Version: s.Health.Version, API: Questions(),
		Unit: b.unit(), Strip: b.strip(), Pools: b.pools(), Shares: b.shares(), Campaigns: b.campaigns(), Finished: of(q.User, s.Finished, func(f **live.Finished) string { return (*f).User }),
		Promise: b.promise(), Queue: b.queue(), Due: s.cycle != nil && s.cycle.DueShown, Classes: b.classes(), Trends: b.trends(), Nights: s.Nights, NoNight: live.NoNight, Writes: s.Writes, Checks: s.Checks,
	}
	switch offset := b.clock.offset(); {
	case v.Zone == "UTC":
	case strings.HasPrefix(v.Zone, "+"), strings.HasPrefix(v.Zone, "-"):
		v.Zone = offset // a zone without a name calls itself +03
	default:
		v.Zone += " (" + offset + ")"
	}
	here := url.Values{}
	if q.All {
		here.Set("all", "1")
	}
	if b.narrowed() {
		v.Unfiltered = address(here) + "#queue"
	}
	for name, value := range map[string]string{"user": q.User, "job": q.Job} {
		if value != "" {
			here.Set(name, value)
		}
	}
	v.Here = address(here)
	if q.Ask != "" {
		v.Closed = v.Here + "#explain"
		here.Del("user")
		here.Set("job", q.Ask)
		v.Here = "explain?" + here.Encode() // with a fragment a browser would not load anew
	}
	if s.Health.Mode == "observe" {
		v.NoWrites = "Nothing is written in mode observe."
	} else {
		v.NoWrites = "The journal has no writes yet."
	}
	return v
}

// address returns the address of the page with a query, from anywhere in its
// folder.
func address(q url.Values) string {
	if len(q) == 0 {
		return "./"
	}
	return "./?" + q.Encode()
}

func of[Row any](name string, rows []Row, user func(*Row) string) []Row {
	if name == "" {
		return rows
	}
	return only(rows, func(one *Row) bool { return user(one) == name })
}

// everything returns the address of the same page with all its rows.
func (b *builder) everything(at string) string {
	q := url.Values{"all": {"1"}}
	if b.query.User != "" {
		q.Set("user", b.query.User)
	}
	return address(q) + "#" + at
}

// narrowed reports whether the query asks for some jobs only.
func (b *builder) narrowed() bool { return b.query.User != "" || b.query.Job != "" }

// rows returns how many of n rows a list shows.
func (b *builder) rows(n, usual int) int {
	if b.query.All {
		return n
	}
	return min(n, usual)
}
