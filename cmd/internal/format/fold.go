package format

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	gap       = 2  // spaces between columns
	indent    = 4  // of the lines on which a row goes on
	leastText = 12 // columns of text are not made narrower
)

// band is a run of columns that stand side by side.
type band struct {
	from, to int
	widths   []int // of the columns
	margin   string
}

// fold aligns rows in lines of a width; 0 is any width. Cells of several words are broken
// between them, the widest columns first. Columns for which that is not enough go on in
// further, indented lines, those of each row below it. No cell is left out and no word is
// cut: one that is longer than a line stands out.
func fold(rows [][]string, width int) string {
	if width <= 0 {
		width = math.MaxInt
	}
	bands := bandsOf(rows, width)
	var b strings.Builder
	for _, row := range rows {
		for _, band := range bands {
			band.write(&b, row)
		}
	}
	return b.String()
}

// bandsOf puts as many columns side by side as fit the width, in their order.
func bandsOf(rows [][]string, width int) []band {
	var natural, least []int // of each column
	for _, row := range rows {
		for i, cell := range row {
			if i == len(natural) {
				natural, least = append(natural, 0), append(least, 0)
			}
			natural[i] = max(natural[i], utf8.RuneCountInString(cell))
			for word := range strings.SplitSeq(cell, " ") {
				least[i] = max(least[i], utf8.RuneCountInString(word))
			}
		}
	}
	for i := range least {
		least[i] = min(natural[i], max(least[i], min(leastText, width-indent)))
	}
	var bands []band
	for from := 0; from < len(natural); {
		b := band{from: from, to: from + 1}
		room := width
		if from > 0 {
			b.margin = strings.Repeat(" ", indent)
			room -= indent
		}
		for b.to < len(natural) && total(least[from:b.to+1]) <= room {
			b.to++
		}
		b.widths = shrink(natural[from:b.to], least[from:b.to], room)
		bands = append(bands, b)
		from = b.to
	}
	return bands
}

// total returns the width of columns side by side.
func total(widths []int) int {
	sum := gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// shrink makes the widest columns narrower until all fit the room, or are at their least.
func shrink(natural, least []int, room int) []int {
	widths := slices.Clone(natural)
	for total(widths) > room {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

func (b *band) write(w *strings.Builder, row []string) {
	if b.from >= len(row) {
		return
	}
	cells := make([][]string, min(b.to, len(row))-b.from)
	height := 0
	for i := range cells {
		cells[i] = wrap(row[b.from+i], b.widths[i])
		height = max(height, len(cells[i]))
	}
	for n := range height {
		w.WriteString(b.margin)
		blank := 0 // spaces before the next cell
		for i, lines := range cells {
			width := 0
			if n < len(lines) {
				w.WriteString(strings.Repeat(" ", blank))
				w.WriteString(lines[n])
				blank, width = 0, utf8.RuneCountInString(lines[n])
			}
			blank += b.widths[i] - width + gap
		}
		w.WriteByte('\n')
	}
}

// Fold breaks a text between words into lines of a width; 0 is any width.
func Fold(text string, width int) string {
	if width <= 0 {
		return text
	}
	return strings.Join(wrap(text, width), "\n")
}

// wrap breaks a cell between words into lines of a width.
func wrap(cell string, width int) []string {
	if utf8.RuneCountInString(cell) <= width {
		return []string{cell}
	}
	var lines []string
	for word := range strings.SplitSeq(cell, " ") {
		if last := len(lines) - 1; last >= 0 && utf8.RuneCountInString(lines[last]+" "+word) <= width {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}
