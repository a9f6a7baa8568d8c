package statuspage

import (
	"fmt"
	"math"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// poolView is the virtual schedule of a pool, and what really runs there.
type poolView struct {
	ID, Caption string
	Ticks       []tick
	Lanes       []laneView
	Notes       []string // what the drawing leaves out
	More        *link
	Running     runningView
}

// laneView is a user's line.
type laneView struct {
	Who    person
	Words  string // for those who do not see it
	Blocks []partView
}

// partView is a campaign, or what a user holds. X and W are in percent of the width.
type partView struct {
	Who                person // of what a user holds
	X, W, Label, Words string
	Narrow             bool // the label has no room on a phone
}

// runningView is one bar of all processors.
type runningView struct {
	Caption, Words string
	Parts          []partView
}

// The part of the width that the label of a block takes, on a desk and on a
// phone, and the width below which nobody would see a block.
const (
	labelRoom  = 0.05
	phoneRoom  = 0.16
	leastWidth = 0.002
)

// drawn returns a part by where it begins and how wide it is, as fractions of the drawing.
func drawn(from, width float64, label, words string) partView {
	v := partView{X: percent(from), W: percent(width), Words: words}
	if width >= labelRoom {
		v.Label, v.Narrow = label, width < phoneRoom
	}
	return v
}

// listed joins a head and the first of the texts, most of them at most.
func listed(head string, texts []string, most int) string {
	text := strings.Join(append([]string{head}, texts[:min(len(texts), most)]...), "; ")
	if len(texts) > most {
		text += "; and so on"
	}
	return text
}

// holder names a user, and the account if it counts.
func holder(user, account string) string {
	if account == "" {
		return user
	}
	return user + " of account " + account
}

func (b *builder) pools() []poolView {
	list := make([]poolView, 0, len(b.s.Pools))
	for i, p := range b.s.Pools {
		var lanes []Lane
		var ends []float64
		for _, l := range b.s.Lanes {
			if l.Pool != p.Pool || l.Class != p.Class {
				continue
			}
			lanes = append(lanes, l)
			for _, block := range l.Blocks {
				if block.End != nil {
					ends = append(ends, *block.End)
				}
			}
		}
		shown := lanes[:b.rows(len(lanes), laneRows)]
		axis := newScale(b.clock, ends)
		v := poolView{ID: fmt.Sprintf("g%d", i), Ticks: axis.ticks(), Running: b.running(p)}
		left := Left{Lanes: len(lanes) - len(shown)}
		var out undrawn
		for _, l := range shown {
			v.Lanes = append(v.Lanes, b.lane(axis, l, &out))
			left.Blocks += l.More
		}
		v.Caption = fmt.Sprintf("%s, %s unfinished, the next %s", format.Counted(p.Active, "active user"), format.Counted(p.Campaigns, "campaign"), format.Span(axis.span.Seconds()))
		if name := p.named(); name != "" {
			v.Caption = strings.ToUpper(name[:1]) + name[1:] + ": " + v.Caption
		}
		if left.Lanes > 0 {
			v.Notes = append(v.Notes, fmt.Sprintf("Shown are the %s whose campaigns complete first, of %s.", format.Counted(len(shown), "user"), format.Count(len(lanes))))
			v.More = &link{"Show all users", b.everything("schedule")}
		}
		if left.Blocks > 0 {
			v.Notes = append(v.Notes, format.Counted(left.Blocks, "later campaign")+" of users with many are not drawn.")
		}
		v.Notes = append(v.Notes, out.notes()...)
		list = append(list, v)
	}
	if len(list) > 0 && b.s.Left.Lanes > 0 {
		last := &list[len(list)-1]
		last.Notes = append(last.Notes, fmt.Sprintf("%s with %s are not drawn at all.", format.Counted(b.s.Left.Lanes, "further user"), format.Counted(b.s.Left.Blocks, "campaign")))
	}
	return list
}

// named returns the pool and the class in words, "" for the only one.
func (p *Pool) named() string {
	var words []string
	if p.Pool != "" {
		words = append(words, "pool "+p.Pool)
	}
	if p.Class != "" {
		words = append(words, "class "+p.Class)
	}
	return strings.Join(words, ", ")
}

// undrawn counts campaigns of the users of a drawing that are not in it.
type undrawn struct{ beyond, waiting, never int }

func (u undrawn) notes() (notes []string) {
	add := func(n int, one, more string) {
		switch n {
		case 0:
		case 1:
			notes = append(notes, "1 campaign of these users "+one)
		default:
			notes = append(notes, format.Counted(n, "campaign")+" of these users "+more)
		}
	}
	add(u.beyond, "begins later than the right edge; the table of campaigns says when.", "begin later than the right edge; the table of campaigns says when.")
	add(u.waiting, "is not drawn, as none of its jobs could start yet: they are held, depend on others or begin later.",
		"are not drawn, as none of their jobs could start yet: they are held, depend on others or begin later.")
	add(u.never, "is not drawn, as the pool has no processors.", "are not drawn, as the pool has no processors.")
	return notes
}

// lane draws a user's campaigns, and counts those that are not drawn.
func (b *builder) lane(axis scale, l Lane, out *undrawn) (v laneView) {
	v.Who = b.Row(l.User, "lane", l.Pool, l.Class, l.Account, l.User)
	if l.Account != "" {
		v.Who.Name += " (" + l.Account + ")"
	}
	name := holder(l.User, l.Account)
	var words []string
	for _, block := range l.Blocks {
		text := b.blockWords(&block)
		words = append(words, text)
		from, to := 0.0, 1.0
		if block.Start != nil {
			from = max(0, axis.part(*block.Start))
		}
		if block.End != nil {
			to = min(1, axis.part(*block.End))
		}
		switch {
		case block.Waiting:
			out.waiting++
			continue
		case block.Start == nil:
			out.never++
			continue
		case from >= 1:
			out.beyond++
			continue
		}
		w := max(leastWidth, to-from)
		v.Blocks = append(v.Blocks, drawn(min(from, 1-w), w, fmt.Sprint(block.Campaign), name+", "+text))
	}
	v.Words = listed(fmt.Sprintf("%s: %s", name, format.Counted(len(l.Blocks)+l.More, "campaign")), words, 3)
	return v
}

// blockWords describes a campaign in words.
func (b *builder) blockWords(block *Block) string {
	text := fmt.Sprintf("campaign %d: ", block.Campaign)
	if block.Waiting {
		return text + fmt.Sprintf("none of its jobs could start yet; %s pending", format.Count(block.Pending))
	}
	if block.End == nil || math.IsInf(*block.End, 0) {
		return text + "never, as the pool has no processors"
	}
	verb := "starts "
	if block.Start != nil && *block.Start <= float64(b.s.Health.Now) {
		verb = "started "
	}
	start, end := b.clock.maybe(block.Start), b.clock.at(*block.End)
	part := ""
	if block.Share != nil {
		part = "; share " + share(*block.Share) + " of the pool"
	}
	return text + fmt.Sprintf("%s%s, completes %s (%s); %s %s, %.0f %% served%s; %s pending, %s running",
		verb, start.Absolute, end.Absolute, end.Relative, format.Rounded(block.Work), b.unit().Hours, 100*block.Progress, part, format.Count(block.Pending), format.Count(block.Running))
}

// unit is the words for what work is counted in.
func (b *builder) unit() format.Unit { return format.UnitOf(b.s.Resource) }

// share writes a part of the machine.
func share(x float64) string {
	text := format.Percent(x)
	if x > 0 && x < 0.0005 {
		return "below 0.1 %"
	}
	return text
}

// running draws what users hold in a pool.
func (b *builder) running(p Pool) runningView {
	v := runningView{Caption: "Running now"}
	if name := p.named(); name != "" {
		v.Caption += " in " + name
	}
	whole := 0.0
	for _, r := range b.s.Running {
		if r.Pool == p.Pool && r.Class == p.Class {
			whole += max(0, r.Procs)
		}
	}
	whole = max(whole, p.Procs, 1) // a pool that has lost nodes may have less than what jobs hold
	at, unit := 0.0, b.unit()
	var words []string
	for _, r := range b.s.Running {
		if r.Pool != p.Pool || r.Class != p.Class || r.Procs <= 0 {
			continue
		}
		part := r.Procs / whole
		text := fmt.Sprintf("%s: %s, %s", holder(r.User, r.Account), unit.Of(r.Procs), format.Counted(r.Jobs, "job"))
		d := drawn(at/whole, part, r.User+" "+unit.Amount(r.Procs), text)
		d.Who = b.person(r.User)
		v.Parts = append(v.Parts, d)
		words = append(words, text)
		at += r.Procs
	}
	v.Caption += fmt.Sprintf(": %s of %s busy", unit.Amount(p.Busy), unit.Of(p.Procs))
	v.Words = listed(v.Caption, words, 10)
	return v
}

type jobOdds struct {
	Job string
	*view.Odds
}

func oddsOf(is *view.Answer) []jobOdds {
	var list []jobOdds
	for _, e := range is.Jobs {
		if e.Odds.Told() {
			list = append(list, jobOdds{e.Job, e.Odds})
		}
	}
	return list
}

// oddsBar is drawn from the moment by which a job starts with odds of 10 % to that of 90 %, on an
// axis that begins now. Places are parts of the axis, 0 to 1.
type oddsBar struct {
	jobOdds

	From, Middle, To float64
}

// Width is that of the bar. It can be seen even where the moments are one.
func (o oddsBar) Width() float64 { return max(o.To-o.From, 0.005) }

// OddsBars draws the odds of jobs on one axis.
func (b *builder) OddsBars(jobs []jobOdds) []oddsBar {
	ends := make([]float64, len(jobs))
	for i, j := range jobs {
		ends[i] = float64(j.P90)
	}
	axis := newScale(b.clock, ends)
	place := func(t ostrich.Time) float64 { return min(max(axis.part(float64(t)), 0), 1) }
	bars := make([]oddsBar, len(jobs))
	for i, j := range jobs {
		bars[i] = oddsBar{j, place(j.P10), place(j.P50), place(j.P90)}
	}
	return bars
}
