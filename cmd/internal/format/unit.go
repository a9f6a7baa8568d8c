package format

import (
	"math"
	"strconv"
	"strings"
)

// Unit is the words for what work is counted in.
type Unit struct {
	One, Many string // "processor", "processors"
	Hours     string // "core-hours"
	Head      string // of a column
}

// UnitOf returns the words for a resource of Slurm's (TRES). "" is cpu.
func UnitOf(resource string) Unit {
	switch resource {
	case "", "cpu":
		return Unit{"processor", "processors", "core-hours", "PROCS"}
	case "billing":
		return Unit{"billing unit", "billing units", "billing-hours", "BILLING"}
	case "mem":
		return Unit{"GiB of memory", "GiB of memory", "GiB-hours", "GIB"}
	case "node":
		return Unit{"node", "nodes", "node-hours", "NODES"}
	}
	name := strings.TrimPrefix(resource, "gres/")
	return Unit{name, name, name + "-hours", strings.ToUpper(name)}
}

// Of returns an amount with the unit: "1 processor", "12.5 GiB of memory", with narrow spaces
// between thousands.
func (u Unit) Of(x float64) string { return u.named(u.Amount(x)) }

// Plain is Of without the spaces.
func (u Unit) Plain(x float64) string { return u.named(Trimmed(x, 2)) }

func (u Unit) named(amount string) string {
	if amount == "1" {
		return amount + " " + u.One
	}
	return amount + " " + u.Many
}

// Amount returns an amount, with two digits after the point at most, and narrow spaces between
// thousands.
func (u Unit) Amount(x float64) string {
	whole, part := math.Modf(math.Round(x*100) / 100)
	text := Count(int(whole))
	if part != 0 {
		digits := strconv.FormatFloat(math.Abs(part), 'f', 2, 64)
		text += strings.TrimRight(digits[1:], "0")
	}
	return text
}
