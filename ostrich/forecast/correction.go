package forecast

import (
	"math"

	"slurm-ostrich/ostrich"
)

// Correction learns how the truth lies beside the draws, from what became of earlier
// answers. The zero value has learned nothing. It is not safe for concurrent use.
//
// How many will come, it does not leave to the draws alone: the middle is between that of the draws and that of
// Draws.Quiet, nearer to the one which has lately been nearer to the truth (the exponentially weighted average forecaster with
// discounted losses: Cesa-Bianchi, Lugosi 2006, sections 2.1 and 2.11).
//
// How far apart the sides are is adaptive conformal inference (Gibbs, Candès 2021), for each side by itself, in the form that
// tracks the quantile (Angelopoulos, Candès, Tibshirani 2023, section 2.1): after each
// answer a side goes out by 0.9·γ if the truth lay beyond it, and in by 0.1·γ if not. So one in ten lies beyond each
// in the long run, whatever the jobs do. That a job still waits beyond the upper side is known
// before it starts, and counts at once.
type Correction struct {
	Learned

	open  []question
	first int // Question of open[0]
}

// Learned is what a Correction has learned. It may be kept as JSON.
type Learned struct {
	Below  float64 `json:"below"` // how much farther than before anything was learned both sides go
	Above  float64 `json:"above"`
	Nearer float64 `json:"nearer"` // by how much Draws.Quiet was nearer to the truth than the draws, each answer weighing 0.97 of the next one
	Count  int     `json:"count"`  // answers of which it is known what became
}

// Question is the number of an answer of Correction.Ask.
type Question int

// question is an answer from which something is still to be learned.
type question struct {
	at           ostrich.Time
	low, high    ostrich.Time
	drawn, quiet float64 // see Odds
	late         bool    // beyond high, and counted
	over         bool
}

func questionOf(o *Odds, low, high ostrich.Time) question {
	return question{at: o.now, low: low, high: high, drawn: o.drawn, quiet: o.quiet}
}

// Before anything is learned, both sides go this much farther than the draws, see Odds.At.
const unlearned = 0.5

// least is how far in a side goes at most: it has all but reached the middle. One that is never missed would go in for ever,
// and be as long in coming back.
const least = -5

// in takes a side in after a hit.
func in(side *float64, step float64) { *side = max(*side-0.1*step, least) }

// step is γ: how far a side goes out for a miss. The first ones go farther.
func (l *Learned) step() float64 { return max(0.04, 0.3/math.Sqrt(float64(10+l.Count))) }

// How fast the weight of Draws.Quiet follows what is nearer, and forgets what was.
const (
	following = 0.2
	keeping   = 0.97
)

// weight returns that of Draws.Quiet beside the draws, from 0 to 1.
func (l *Learned) weight() float64 { return 1 / (1 + math.Exp(-following*l.Nearer)) }

// Answer returns the odds of a job by its draws. It learns nothing.
func (c *Correction) Answer(d *Draws) *Odds {
	o := newOdds(d)
	o.move(c.weight() * (o.quiet - o.drawn))
	o.below, o.above = unlearned+c.Below, unlearned+c.Above
	return o
}

// Ask returns what Answer does, and learns from what becomes of it: Started or Gone must follow. Of
// questions at one moment, and of moments, the order is that of the calls.
func (c *Correction) Ask(d *Draws) (*Odds, Question) {
	for i := range c.open {
		c.passed(&c.open[i], d.Now)
	}
	o := c.Answer(d)
	at := o.Shown()
	c.open = append(c.open, questionOf(o, at[0], at[2]))
	return o, Question(c.first + len(c.open) - 1)
}

// Again goes on with what was asked before and is forgotten: the same draws, and the moments that were answered then.
func (c *Correction) Again(d *Draws, answer [3]ostrich.Time) Question {
	c.open = append(c.open, questionOf(newOdds(d), answer[0], answer[2]))
	return Question(c.first + len(c.open) - 1)
}

// Waits records that the job of a question still waits at a moment.
func (c *Correction) Waits(n Question, at ostrich.Time) {
	if q := c.question(n); q != nil {
		c.passed(q, at)
	}
}

// passed counts a question as beyond its upper side as soon as that is known.
func (c *Correction) passed(q *question, now ostrich.Time) {
	if !q.over && !q.late && now > q.high {
		q.late = true
		c.Above += 0.9 * c.step()
	}
}

// Started records when the job of a question started.
func (c *Correction) Started(n Question, at ostrich.Time) {
	q := c.question(n)
	if q == nil {
		return
	}
	c.passed(q, at)
	step := c.step()
	if !q.late {
		in(&c.Above, step)
	}
	if at < q.low {
		c.Below += 0.9 * step
	} else {
		in(&c.Below, step)
	}
	truth := logged(ostrich.Duration(at - q.at))
	c.Nearer = keeping*c.Nearer + math.Abs(truth-q.drawn) - math.Abs(truth-q.quiet)
	c.Count++
	c.close(q)
}

// Gone records that the job of a question left at a moment without a start.
func (c *Correction) Gone(n Question, at ostrich.Time) {
	if q := c.question(n); q != nil {
		c.passed(q, at)
		c.close(q)
	}
}

// question returns what is still to be learned from a question, nil for nothing.
func (c *Correction) question(n Question) *question {
	i := int(n) - c.first
	if i < 0 || i >= len(c.open) || c.open[i].over {
		return nil
	}
	return &c.open[i]
}

func (c *Correction) close(q *question) {
	q.over = true
	for len(c.open) > 0 && c.open[0].over {
		c.open = c.open[1:]
		c.first++
	}
}
