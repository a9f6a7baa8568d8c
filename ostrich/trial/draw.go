// Package trial is an experiment on one cluster: periods in which OStrich orders the
// queue and periods in which stock Slurm does, drawn at random. It knows no clock and no file;
// package conclusion has what the draw lets one conclude.
//
// The draw ([Design]) is a function of the settings alone. The periods are counted
// backwards from the end of the trial, so that a daemon that starts again, or another
// one on another host, finds the same draw whenever it began.
package trial

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"slurm-ostrich/ostrich"
)

// Arm is what orders the queue in a period.
type Arm uint8

// The arms.
const (
	Stock   Arm = iota // Slurm alone; all values are given back
	OStrich            // OStrich's order is written
)

// ArmNames are the names of the arms.
var ArmNames = []string{"stock", "ostrich"}

func (a Arm) String() string { return ArmNames[a] }

// MarshalText writes the name.
func (a Arm) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads a name.
func (a *Arm) UnmarshalText(text []byte) error {
	for i, name := range ArmNames {
		if name == string(text) {
			*a = Arm(i) //nolint:gosec // there are two
			return nil
		}
	}
	return fmt.Errorf("%q is neither stock nor ostrich", text)
}

const (
	// Week is seven days.
	Week = ostrich.Duration(7 * 86400)

	// LeastPeriod is the shortest period. A cycle of the daemon takes seconds.
	LeastPeriod = ostrich.Duration(10)
	// MostPeriod is the longest period.
	MostPeriod = 4 * Week

	// longPeriod is the length from which on a weekday makes a difference between periods.
	// Shorter ones are balanced with the period beside them.
	longPeriod = ostrich.Duration(6 * 3600)
)

// Design is all that the draw depends on.
type Design struct {
	Period  ostrich.Duration `json:"period"`  // length of a period, from LeastPeriod to MostPeriod
	Washout ostrich.Duration `json:"washout"` // from the beginning of each period, not measured; 0 or more, shorter than a period
	Seed    uint64           `json:"seed"`    // of the draw
	Until   ostrich.Time     `json:"until"`   // end of the last period
}

// Validate returns what is wrong with a design.
func (d *Design) Validate() error {
	switch {
	case d.Period < LeastPeriod || d.Period > MostPeriod:
		return fmt.Errorf("trial.period: %d s is not from %d s to %d days", d.Period, LeastPeriod, MostPeriod/86400)
	case d.Washout < 0 || d.Washout >= d.Period:
		return fmt.Errorf("trial.washout: %d s must be shorter than the period, %d s", d.Washout, d.Period)
	case d.Until <= 0:
		return errors.New("trial.until: must say when the trial ends")
	}
	return nil
}

// Period is one period of a trial.
type Period struct {
	Number int          `json:"-"` // counted back from 0, the last one
	From   ostrich.Time `json:"from"`
	To     ostrich.Time `json:"to"`
	Arm    Arm          `json:"arm"`
}

// Measured is when the washout ends.
func (d *Design) Measured(p *Period) ostrich.Time { return p.From + ostrich.Time(d.Washout) }

// Slots is how many periods there are between two that are a pair: those of one weekday and time of
// day in successive weeks, or neighbours where a week does not consist of periods, or
// of many short ones.
func (d *Design) Slots() int {
	if d.Period < longPeriod || Week%d.Period != 0 {
		return 1
	}
	return int(Week / d.Period)
}

// PairOf returns the pair of a period, and whether the period is the earlier one of it.
// A pair has one period of each arm.
func (d *Design) PairOf(number int) (pair int, earlier bool) {
	slots := d.Slots()
	block, slot := number/(2*slots), number%slots
	return block*slots + slot, number/slots%2 == 1
}

// ArmOf returns the arm of a period.
func (d *Design) ArmOf(number int) Arm {
	pair, earlier := d.PairOf(number)
	if coin(d.Seed, uint64(pair)) != earlier { //nolint:gosec // not negative
		return OStrich
	}
	return Stock
}

// coin returns a fair coin, independent for each pair and seed.
func coin(seed, pair uint64) bool {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], pair)
	return rand.NewChaCha8(key).Uint64()>>63 == 1
}

func (d *Design) at(number int) Period {
	to := d.Until - ostrich.Time(number)*ostrich.Time(d.Period)
	return Period{Number: number, From: to - ostrich.Time(d.Period), To: to, Arm: d.ArmOf(number)}
}

// At returns the period of a moment. It returns false from the end of the trial on.
func (d *Design) At(now ostrich.Time) (Period, bool) {
	if now >= d.Until {
		return Period{}, false
	}
	return d.at(int((d.Until - now - 1) / ostrich.Time(d.Period))), true
}

// Between returns the whole periods between two moments, in the order of time.
func (d *Design) Between(from, to ostrich.Time) []Period {
	to = min(to, d.Until)
	var list []Period
	if to <= from {
		return list
	}
	last, _ := d.At(to - 1)
	if last.To > to {
		last.Number++
	}
	for n := int((d.Until - from) / ostrich.Time(d.Period)); n > last.Number; n-- {
		list = append(list, d.at(n-1))
	}
	return list
}

// Switch returns when the arm changes next after a moment, or the trial ends.
func (d *Design) Switch(now ostrich.Time) ostrich.Time {
	p, ok := d.At(now)
	if !ok {
		return d.Until
	}
	for n := p.Number - 1; n >= 0; n-- {
		if next := d.at(n); next.Arm != p.Arm {
			return next.From
		}
	}
	return d.Until
}

// EndingAt returns the design with another end, for a plan from what was
// before that moment.
func (d *Design) EndingAt(end ostrich.Time) *Design {
	plan := *d
	plan.Until = end
	return &plan
}
