package sacct

import (
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/tools"
)

// classes are those of a job by its name and by its kind, and what tells the kind.
type classes struct {
	name, kind uint64
	tool       uint8 // see tools.Said
	byLine     bool
	digits     bool
	parts      tools.Parts
}

// class returns the classes of a job. Which digits the texts have matters where the kind stands alone, unless a site's own
// tool looks at them.
func (d *dump) class() classes {
	texts := tools.Texts{Name: d.values[colName], Folder: d.values[colFolder], Line: d.values[colSubmitLine]}
	d.folded = d.folded[:0]
	fold := func(text []byte) []byte {
		begin := len(d.folded)
		d.folded = append(d.folded, text[:min(len(text), memorable)]...)
		folded := d.folded[begin:]
		for i, c := range folded {
			if c-'0' <= 9 {
				c = '0'
			}
			folded[i] = c
		}
		return folded
	}
	name, folder, line := texts.Name, texts.Folder, texts.Line
	if d.folds && len(name)+len(folder)+len(line) <= memorable {
		name, folder, line = fold(name), fold(folder), fold(line)
	}
	c, known := d.kinds.find(name, folder, line)
	if !known {
		said := d.options.Tools.Read(&texts)
		c = classes{name: accounting.NameClass(texts.Name), kind: said.Class(), tool: said.Row, byLine: said.ByLine, digits: said.Digits, parts: said.Parts}
		d.kinds.keep(c)
	}
	if c.digits {
		c.kind = c.parts.Class(&texts, d.folded)
	}
	return c
}
