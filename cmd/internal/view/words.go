package view

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Line is a line of an explanation.
type Line struct{ Label, Text string }

// Title names the job.
func (e *Explanation) Title() string {
	return format.Plain(fmt.Sprintf("job %s of %s (account %s, partition %s)", e.Job, e.User, e.Account, e.Partition))
}

// words collects lines.
type words []Line

func (w *words) add(label, text string, args ...any) {
	*w = append(*w, Line{label, format.Plain(fmt.Sprintf(text, args...))})
}

// Lines returns the explanation in words, without title and verdict.
func (e *Explanation) Lines() []Line {
	var w words
	if e.Slurm != nil {
		e.place(&w)
	}
	e.meanwhile(&w)
	if e.Campaign != nil {
		e.campaign(&w)
	}
	if e.Slurm != nil {
		e.points(&w)
	}
	e.written(&w)
	return w
}

// place says where the job stands, what goes before it, and when it may start.
func (e *Explanation) place(w *words) {
	reason := ""
	if e.Able {
		reason = "; Slurm's reason for the wait: " + e.Reason
	}
	if e.Rank != nil {
		w.add("place", "%d of %d in OStrich's order, %d of %d in Slurm's present one%s", *e.Rank, e.Ordered, *e.Slurm, e.Pending, reason)
	} else {
		w.add("place", "%d of %d in Slurm's present order, and none in OStrich's%s", *e.Slurm, e.Pending, reason)
	}
	switch {
	case e.Class == "":
	case e.before == "":
		w.add("class", "%s, the last: all others go before it", e.Class)
	default:
		w.add("class", "%s, of which all that can start goes before %s", e.Class, e.before)
	}
	if e.Ahead != nil {
		w.add("ahead", "%s", e.Ahead.words(e.Resource))
	}
	e.start(w)
	e.accepted(w)
}

// start says when the job starts: with odds if earlier ones have shown to hold, else by two assumptions.
func (e *Explanation) start(w *words) {
	switch o := e.Odds; {
	case o.Told():
		w.add("start", "%s", o.start(e.Time))
	case e.Expected == nil:
	case o == nil:
		w.add("start", "%s", e.Expected.words(e.Time))
	case o.Held == nil:
		w.add("start", "%s (no odds yet: %s of the last 30 days are known, and odds are shown from %d on)", e.Expected.words(e.Time), format.Plural(o.Of, "answer"), foresight.Enough)
	default:
		w.add("start", "OStrich cannot tell here, as only %.0f %% of %s in 30 days held; %s", 100**o.Held, grouped(o.Of)+" answers", e.Expected.words(e.Time))
	}
}

// words says when the job is expected to start, and what that assumes.
func (x *Expected) words(now ostrich.Time) string {
	at := func(t ostrich.Time) string {
		if t <= now {
			return "now"
		}
		return moment(t)
	}
	switch {
	case x.To <= now:
		return "there are processors for it now; it may have to wait for nodes, memory or Slurm's next look at it"
	case x.From == x.To:
		return fmt.Sprintf("about %s, whether jobs run as long as predicted or use their time limits; jobs still to come may go first", at(x.To))
	case x.Swapped:
		return fmt.Sprintf("between %s and %s, by how long jobs run; jobs still to come may go first", at(x.From), at(x.To))
	}
	return fmt.Sprintf("%s if jobs run as long as predicted, %s if they use their time limits; jobs still to come may go first", at(x.From), at(x.To))
}

// words returns it in words, with work in hours of a resource.
func (a *Ahead) words(resource string) string {
	if a.Jobs == 0 {
		return "no job"
	}
	var of []string
	add := func(n int, whose string) {
		switch {
		case n == 0:
		case len(of) == 0:
			of = append(of, format.Plural(n, "job")+" of "+whose)
		default:
			of = append(of, fmt.Sprintf("%d of %s", n, whose))
		}
	}
	add(a.Own, "the same campaign")
	add(a.OwnOther, "the user's other campaigns")
	add(a.Jobs-a.Own-a.OwnOther, format.Plural(a.Users, "other user"))
	return fmt.Sprintf("%s: %s of work; the waiting tasks of an array count as one job", format.List(of), hours(a.Work, resource))
}

// meanwhile says what started while the job waited.
func (e *Explanation) meanwhile(w *words) {
	if e.Waited == nil {
		return
	}
	if e.Unable > 0 {
		w.add("unable", "for %s of the wait it could not start: it was held, was to begin later or depended on other jobs", format.Span(float64(e.Unable)))
	}
	m := e.Meanwhile
	switch {
	case e.Uncounted != "":
		w.add("ahead", "what started while it waited is not counted (%s)", e.Uncounted)
	case m == nil:
	case m.Jobs+m.Own == 0:
		w.add("ahead", "no other job started while it waited")
	default:
		var of []string
		if m.Jobs > 0 {
			of = append(of, fmt.Sprintf("%s of %s (%s so far)", format.Plural(m.Jobs, "job"), format.Plural(m.Users, "other user"), hours(m.Work, e.Resource)))
		}
		if m.Own > 0 {
			of = append(of, fmt.Sprintf("%s of the same user (%s so far)", format.Plural(m.Own, "job"), hours(m.OwnWork, e.Resource)))
		}
		w.add("ahead", "%s started while it waited; each task of an array counts", format.List(of))
	}
}

// campaign says what the job belongs to, and what its user is entitled to.
func (e *Explanation) campaign(w *words) {
	c := e.Campaign
	name := ""
	if c.Name != "" {
		name = fmt.Sprintf(" %q", c.Name)
	}
	w.add("campaign", "%d%s: what %s submitted together from %s on; %d waiting and %d running, %s of work in all",
		c.Campaign, name, e.User, format.Moment(float64(c.Submitted)), c.Pending, c.Running, hours(c.Work, e.Resource))
	if f := c.Found; f != nil && (f.Tool != "" || f.By != byRule) { // earlier daemons do not tell
		w.add("found", "%s", c.Found)
	}
	if o := c.EndOdds; o.Told() {
		w.add("", "its last job ends %s", o.words(e.Time)+o.record())
	}
	if c.CannotStart > 0 {
		w.add("", "%d of the waiting cannot start yet, and %s for nothing until then", c.CannotStart, verb(c.CannotStart, "counts", "count"))
	}
	if e.Slurm != nil && !e.Able {
		return
	}
	if !c.Waiting {
		e.turn(w)
	}
	if c.Entitled != nil && c.Held != nil {
		w.add("share", "%s", e.share())
	}
	if Telling(c.Submitted, c.VirtualEnd, c.Bound) && e.Enforced && e.Slurm != nil {
		w.add("latest", "if Slurm starts jobs in exactly this order, the campaign ends by %s", format.When(c.Bound))
	}
}

// turn says by what the campaign is ordered.
func (e *Explanation) turn(w *words) {
	c := e.Campaign
	if c.VirtualEnd == nil {
		return // no processors
	}
	switch {
	case c.Overdue:
		w.add("order", "on a machine shared by all at all times it would have ended at %s; %s of it are left, and since %s it is overdue: it goes before all that is not",
			format.When(c.VirtualEnd), hours(c.Left, e.Resource), format.When(c.FrontBy))
	case c.Completed:
		w.add("order", "on a machine shared by all at all times it would have ended at %s; %s of it are left, and the less is left, the earlier it goes; from %s on it goes first",
			format.When(c.VirtualEnd), hours(c.Left, e.Resource), format.When(c.FrontBy))
	default:
		w.add("order", "on a machine shared by all at all times it would end at %s; the less is left until its end there, the earlier it goes", format.When(c.VirtualEnd))
	}
	if c.Shortest > 0 {
		w.add("", "it has taken %s so far; alone on the machine it would need %s", format.Span(c.Flow), format.Span(math.Ceil(c.Shortest)))
	}
}

// share says what the user is entitled to and holds. Who shares the machine now is one
// thing, whose work is late another: late work takes no share.
func (e *Explanation) share() string {
	c := e.Campaign
	unit := format.UnitOf(e.Resource)
	machine, entitled := unit.Plain(c.Processors), format.Trimmed(*c.Entitled, 1)
	late := ""
	if c.Late > 0 {
		late = fmt.Sprintf("; the work of %s is late and takes no share", format.Plural(c.Late, "other user"))
	}
	var what string
	switch {
	case c.NoShare && !c.Completed:
		what = "has no share now, as accounting does not say yet that any of it could start"
	case c.NoShare && c.Others == 0:
		what = fmt.Sprintf("has no share now, and nobody has one: shared by all at all times, the machine of %s would have done all work by now, and what is left is late", machine)
	case c.NoShare:
		what = fmt.Sprintf("has no share now: shared by all at all times, the machine of %s would have done all of %s's work by now, and what is left is late; %s it now, and new work of %s's would get %s of it",
			machine, e.User, verb(c.Others, "1 other user has", fmt.Sprintf("%d other users share", c.Others)), e.User, entitled)
	case c.Others > 0:
		with := verb(c.Others, "as 1 other user has work too", fmt.Sprintf("as %d other users have work too", c.Others))
		if c.Late > 0 {
			with = "shared with " + format.Plural(c.Others, "other user")
		}
		what = fmt.Sprintf("is entitled to %s of %s, %s%s", entitled, machine, with, late)
	case c.Late > 0:
		what = fmt.Sprintf("is entitled to the whole machine of %s%s", machine, late)
	default:
		what = fmt.Sprintf("is entitled to the whole machine of %s, as no other user has work that runs or can start", machine)
	}
	return fmt.Sprintf("%s %s; the user's jobs hold %s now", e.User, what, format.Trimmed(*c.Held, 2))
}

// points says what the job's priority is made of, and what is written.
func (e *Explanation) points(w *words) {
	switch f := e.Factors; {
	case f == nil && e.Priority == 0:
		w.add("priority", "0, as it is held")
	case f == nil && e.Able:
		w.add("priority", "%d; Slurm does not say what it is made of", e.Priority)
	case f == nil:
		w.add("priority", "%d; Slurm adds up no factors while the job cannot start", e.Priority)
	case f.Sum != int64(e.Priority):
		w.add("priority", "%d now, an earlier value that Slurm's backfill scheduler put back; its factors add up to %s", e.Priority, f)
	default:
		w.add("priority", "%s", f)
	}
	would := "OStrich is to change"
	if !e.Enforced {
		would = "OStrich would change"
	}
	switch {
	case e.Write && e.From == e.To:
		w.add("write", "%s its %s of %d again: %s", strings.Replace(would, "change", "write", 1), channel(e.Channel), e.To, e.Why)
	case e.Write:
		w.add("write", "%s its %s from %d to %d: %s", would, channel(e.Channel), e.From, e.To, e.Why)
	case e.Rank != nil:
		w.add("write", "nothing now, as its %s of %d fits OStrich's order: %s", channel(e.Channel), e.From, e.Why)
	default:
		w.add("write", "nothing: %s", e.Why)
	}
}

// String returns the factors that are not 0 as a sum: "6050 = age 50 + fairshare 6000".
func (f *Factors) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", f.Sum)
	before := " = "
	for _, one := range []struct {
		name  string
		value int64
	}{
		{"OStrich's part (site)", f.Site},
		{"age", f.Age},
		{"assoc", f.Assoc},
		{"fairshare", f.Fairshare},
		{"jobsize", f.JobSize},
		{"partition", f.Partition},
		{"qos", f.QOS},
		{"tres", f.TRES},
		{"nice", -f.Nice},
	} {
		value := one.value
		switch {
		case value == 0:
			continue
		case value < 0 && before == " + ":
			before, value = " - ", -value
		}
		fmt.Fprintf(&b, "%s%s %d", before, one.name, value)
		before = " + "
	}
	return b.String()
}

// mostWritten is how many writes are listed; of more, the first and the last are.
const mostWritten = 4

// written says what was written for a job that has started.
func (e *Explanation) written(w *words) {
	if len(e.Writes) > mostWritten {
		e.Writes[0].words(w)
		w.add("", "and %d more, the last of them:", len(e.Writes)-1)
		e.Writes[len(e.Writes)-1].words(w)
		return
	}
	for i := range e.Writes {
		e.Writes[i].words(w)
	}
}

func (r *Write) words(w *words) {
	result, known := results[priority.Status(r.Result)]
	if !known {
		result = "; its result is not known"
	}
	w.add("written", "at %s: OStrich changed its %s from %d to %d: %s%s", moment(r.Time), channel(r.Channel), r.From, r.To, cmp.Or(r.Why, "no reason noted"), result)
}

// results is what became of a write, by its status.
var results = map[priority.Status]string{
	priority.Applied: "", priority.Refused: "; Slurm refused it", priority.NotApplied: "; Slurm did not take it",
	priority.Undone: "; something else undid it", priority.Gone: "; the job had left the queue", priority.Unsent: "; it was not made",
}

// channel returns what OStrich writes, in words.
func channel(name priority.Channel) string {
	switch name {
	case priority.SiteFactor:
		return "site factor"
	case priority.Nice:
		return "nice value"
	case priority.Priority:
	}
	return "priority"
}

// String returns it in words, as "ostrich explain" prints them.
func (e *Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", e.Title(), format.Plain(e.Verdict))
	for i, line := range e.Lines() {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%-10s%s\n", line.Label, line.Text)
	}
	return b.String()
}

func moment(t ostrich.Time) string { return format.Moment(float64(t)) }

// hours formats work in hours of a resource.
func hours(n float64, resource string) string {
	unit := format.UnitOf(resource).Hours
	if n == 1 {
		return "1 " + strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("%.2f %s", n, unit)
}
