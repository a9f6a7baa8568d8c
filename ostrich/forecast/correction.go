package forecast

import (
	"math"

	"slurm-ostrich/ostrich"
)

// Correction learns how much farther than the draws the truth lies, from what became of earlier
// answers. The zero value has learned nothing. It is not safe for concurrent use.
//
// It is adaptive conformal inference (Gibbs, Candès 2021), for each side by itself, in the form that
// tracks the quantile (Angelopoulos, Candès, Tibshirani 2023, section 2.1): after each
// answer a side goes out by 0.9·γ if the truth lay beyond it, and in by 0.1·γ if not. So one in ten lies beyond each
// in the long run, whatever the jobs do. That a job still waits beyond the upper side is known
// before it starts, and counts at once.
type Correction struct {
	Cells [cells]Cell // by the wait in the middle of the draws
	open  []question
	first int // Question of open[0]
}

// Cell is what a Correction has learned for waits of about one length.
type Cell struct {
	Below, Above float64 // how much farther than before anything was learned both sides go
	Count        int     // answers of which it is known what became
}

// Question is the number of an answer of Correction.Ask.
type Question int

// question is an answer from which something is still to be learned.
type question struct {
	cell      *Cell
	low, high ostrich.Time
	late      bool // beyond high, and counted
	over      bool
}

// cells is how many lengths of waits are told apart, and cellWidth how far they are from one another, on
// the scale of logged: up to an hour, 9 h, 2.8 d, 3 weeks, and longer.
const (
	cells     = 5
	cellWidth = 2
)

// Before anything is learned, both sides go this much farther than the draws, see Odds.At.
const unlearned = 0.2

// least is how far in a side goes at most: it has all but reached the middle. One that is never missed would go in for ever,
// and be as long in coming back.
const least = -5

// in takes a side in after a hit.
func in(side *float64, step float64) { *side = max(*side-0.1*step, least) }

// step is γ: how far a side goes out for a miss. The first ones go farther.
func (c *Cell) step() float64 { return max(0.04, 0.3/math.Sqrt(float64(10+c.Count))) }

// sides returns how far both sides go.
func (c *Cell) sides() (below, above float64) { return unlearned + c.Below, unlearned + c.Above }

// cellOf returns the cell of some odds.
func (c *Correction) cellOf(o *Odds) *Cell {
	if len(o.waits) == 0 {
		return &c.Cells[0]
	}
	i := int((quantile(o.waits, 0.5) - logged(0)) / cellWidth)
	return &c.Cells[max(0, min(i, cells-1))]
}

// Answer returns the odds of a job by its draws. It learns nothing.
func (c *Correction) Answer(d *Draws) *Odds {
	o := newOdds(d)
	o.below, o.above = c.cellOf(o).sides()
	return o
}

// Ask returns what Answer does, and learns from what becomes of it: Started or Gone must follow. Of
// questions at one moment, and of moments, the order is that of the calls.
func (c *Correction) Ask(d *Draws) (*Odds, Question) {
	for i := range c.open {
		c.open[i].passed(d.Now)
	}
	o := c.Answer(d)
	at := o.Shown()
	c.open = append(c.open, question{cell: c.cellOf(o), low: at[0], high: at[2]})
	return o, Question(c.first + len(c.open) - 1)
}

// Again goes on with what was asked before and is forgotten: the same draws, and the moments that were answered then.
func (c *Correction) Again(d *Draws, answer [3]ostrich.Time) Question {
	c.open = append(c.open, question{cell: c.cellOf(newOdds(d)), low: answer[0], high: answer[2]})
	return Question(c.first + len(c.open) - 1)
}

// Waits records that the job of a question still waits at a moment.
func (c *Correction) Waits(n Question, at ostrich.Time) {
	if q := c.question(n); q != nil {
		q.passed(at)
	}
}

// passed counts a question as beyond its upper side as soon as that is known.
func (q *question) passed(now ostrich.Time) {
	if !q.over && !q.late && now > q.high {
		q.late = true
		q.cell.Above += 0.9 * q.cell.step()
	}
}

// Started records when the job of a question started.
func (c *Correction) Started(n Question, at ostrich.Time) {
	q := c.question(n)
	if q == nil {
		return
	}
	q.passed(at)
	step := q.cell.step()
	if !q.late {
		in(&q.cell.Above, step)
	}
	if at < q.low {
		q.cell.Below += 0.9 * step
	} else {
		in(&q.cell.Below, step)
	}
	q.cell.Count++
	c.close(q)
}

// Gone records that the job of a question left at a moment without a start.
func (c *Correction) Gone(n Question, at ostrich.Time) {
	if q := c.question(n); q != nil {
		q.passed(at)
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
