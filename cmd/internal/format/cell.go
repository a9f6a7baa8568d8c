package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
)

// A Cell of a table is a text, or a value: then people and programs read different
// texts of it.
type Cell struct {
	Text   string    // for people
	values [2]string // for programs
	value  bool      // else the text is for programs too
}

// Value returns the cell of a number, which people read as a text: "2 400" or "1.5 h".
// Programs read digits, without a unit: lengths of time in seconds, parts from 0 to 1.
// A number that is not one is an empty cell to them.
func Value(x float64, text string) Cell { return Shown(text, digits(x)) }

// Pair returns the cell of two numbers, of which programs read a column each, see
// Table.Pairs.
func Pair(a, b float64, text string) Cell { return Cell{text, [2]string{digits(a), digits(b)}, true} }

// Shown returns the cell of a value that programs read as another text than people.
func Shown(person, program string) Cell { return Cell{person, [2]string{program}, true} }

// None returns the cell of a value that is not there.
func None() Cell { return Shown("–", "") }

// Maybe returns the cell of a value that may not be there.
func Maybe[T any](x *T, cell func(T) Cell) Cell {
	if x == nil {
		return None()
	}
	return cell(*x)
}

// PercentCell returns the cell of a part of a whole for a command's table, whose cells
// hold no spaces.
func PercentCell(part float64, decimals int) Cell {
	return Value(part, strconv.FormatFloat(100*part, 'f', decimals, 64)+"%")
}

// ElapsedCell returns the cell of a length of time as Slurm shows it.
func ElapsedCell(d ostrich.Duration) Cell { return Value(float64(d), Elapsed(d)) }

func digits(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return Trimmed(x, 6)
}

func cellOf(c any) Cell {
	if cell, ok := c.(Cell); ok {
		return cell
	}
	return Cell{Text: fmt.Sprint(c)}
}

// Cells makes cells of texts.
func Cells(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	return cells
}

// String returns the text for people.
func (c Cell) String() string { return c.Text }

// program returns what a program reads in the cell's column.
func (c Cell) program() string { return c.programs(1)[0] }

// programs returns what a program reads in the cell's columns, which are one or two.
func (c Cell) programs(columns int) []string {
	if !c.value {
		c.values[0] = inColumn(c.Text)
	}
	return c.values[:columns]
}

// inColumn makes a text one that stays in a column separated by |.
func inColumn(text string) string { return strings.ReplaceAll(Plain(text), "|", `\x7c`) }

// person returns what a person reads. A text may hold what somebody chose, see Plain.
func (c Cell) person() string {
	text := c.Text
	if !c.value {
		text = Plain(text)
	}
	if text == "" {
		return "-"
	}
	return text
}

// ordinary makes the spaces between thousands ordinary ones, which every terminal shows.
var ordinary = strings.NewReplacer(narrow, " ", wide, " ")
