// Package tools knows what workflow tools tell Slurm of the jobs that they submit: the run of a
// workflow that a job belongs to, which its user waits for and so is a campaign, and its kind,
// the step of the workflow, which runs about as long each time.
//
// Tools say both in different places, each in its own way: see [Table], a row a tool. Of jobs
// that no tool is known to have submitted the kind is the [Normal] form of the name.
package tools

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"slurm-ostrich/ostrich/accounting"
)

// Texts is what Slurm stores of a job's submission. Any may be empty.
type Texts struct {
	Name    []byte // job_name; accounting has its first 255 bytes
	Comment []byte // of the user; accounting has it from the end of a job on, so that it tells no class
	WCKey   []byte
	Folder  []byte // work_dir
	Line    []byte // submit_line; the first MaxLine bytes count
}

// MaxLine is how many bytes of a submit line are read: Slurm stores megabytes.
const MaxLine = 2048

// Place is one of the Texts.
type Place uint8

// The texts of a submission.
const (
	Name Place = iota
	Folder
	Line
	Comment // of --comment in the line; accounting itself has a comment only once the job has ended
)

func (t *Texts) at(p Place) []byte {
	switch p {
	case Folder:
		return t.Folder
	case Line:
		return t.Line[:min(len(t.Line), MaxLine)]
	case Comment:
		return comment(t.Line[:min(len(t.Line), MaxLine)])
	default:
		return t.Name
	}
}

// comment returns the value of the first --comment in a line of submission, up to the first
// blank: Slurm stores the words of the line without their quotes.
func comment(line []byte) []byte {
	for {
		_, value, there := bytes.Cut(line, []byte(" --comment"))
		switch {
		case !there || len(value) == 0:
			return nil
		case value[0] != ' ' && value[0] != '=':
			line = value // of another option, such as --comments
			continue
		}
		value = bytes.TrimLeft(value[1:], `'"`)
		if end := bytes.IndexAny(value, " \t\n'\""); end >= 0 {
			value = value[:end]
		}
		return value
	}
}

// Pattern finds something in a text. The groups (?P<campaign>…) and (?P<class>…) are what it
// declares; if a name has several groups, what they match is joined by slashes.
type Pattern struct {
	In Place
	RE *regexp.Regexp

	begins          []byte // literally, at the beginning of the text or, of a pattern without ^, within it
	anchored        bool
	campaign, class []int // numbers of its groups
}

// The names of the groups, without the number that may follow.
const (
	campaignGroup = "campaign"
	classGroup    = "class"
)

// pattern makes a pattern of a text of this package.
func pattern(in Place, text string) Pattern { return newPattern(in, regexp.MustCompile(text)) }

func newPattern(in Place, re *regexp.Regexp) Pattern {
	p := Pattern{In: in, RE: re}
	for i, name := range re.SubexpNames() {
		switch strings.TrimRight(name, "0123456789") {
		case campaignGroup:
			p.campaign = append(p.campaign, i)
		case classGroup:
			p.class = append(p.class, i)
		}
	}
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err == nil { // always: it is compiled
		p.literal(parsed)
	}
	return p
}

// literal finds with which letters each match of an expression begins. It returns false at
// the first part that may match several texts.
func (p *Pattern) literal(re *syntax.Regexp) bool {
	switch {
	case re.Op == syntax.OpBeginText && len(p.begins) == 0:
		p.anchored = true
		return true
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0:
		p.begins = append(p.begins, string(re.Rune)...)
		return true
	case re.Op == syntax.OpConcat || re.Op == syntax.OpCapture:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !p.literal(sub) })
	}
	return false
}

// byLine reports whether the pattern looks at the line of submission.
func (p *Pattern) byLine() bool { return p.In == Line || p.In == Comment }

// match returns what a pattern declares of a text, and where the parts of the class stand.
func (p *Pattern) match(text []byte) (campaign, class string, parts Parts, ok bool) {
	switch {
	case len(text) == 0:
		return "", "", parts, false
	case p.anchored && !bytes.HasPrefix(text, p.begins), !p.anchored && !bytes.Contains(text, p.begins):
		return "", "", parts, false
	}
	at := p.RE.FindSubmatchIndex(text)
	if at == nil {
		return "", "", parts, false
	}
	for i, g := range p.class[:min(len(p.class), len(parts.At))] {
		parts.In, parts.At[i] = p.In, [2]int32{int32(max(0, at[2*g])), int32(max(0, at[2*g+1]))}
	}
	join := func(groups []int) string {
		var list []string
		for _, g := range groups {
			if from, to := at[2*g], at[2*g+1]; from >= 0 && to > from {
				list = append(list, string(text[from:to]))
			}
		}
		return strings.Join(list, "/")
	}
	return join(p.campaign), join(p.class), parts, true
}

// Parts is where the class stands in a text. The known tools tell it in two parts at most.
type Parts struct {
	In Place
	At [2][2]int32 // from and to
}

// Class returns the class that the parts of other texts tell. kind is a buffer.
func (p *Parts) Class(texts *Texts, kind []byte) uint64 {
	kind = kind[:0]
	text := texts.at(p.In)
	for _, part := range p.At {
		if part[0] < part[1] {
			if len(kind) > 0 {
				kind = append(kind, '/')
			}
			kind = append(kind, text[part[0]:part[1]]...)
		}
	}
	return classOf(exactly(kind))
}

// exactly returns a tool's own name of a step without the numbers that count its jobs, as in Toil's wf.cwl.1.step.cwl.
func exactly(kind []byte) []byte {
	if bytes.IndexByte(kind, '.') >= 0 {
		if name := numbers.ReplaceAll(kind, []byte("$1")); len(name) > 0 {
			return name
		}
	}
	return kind
}

var numbers = regexp.MustCompile(`(?:\.\d+)+(\.|$)`)

func classOf(kind []byte) uint64 { return max(1, accounting.TextHash(kind)) }

// Tool is a row of the table.
type Tool struct {
	Name string // for people; "" if it is no tool that has a name

	// Patterns find what the tool says. A job is of the tool if the first of them matches;
	// each other adds what is not known yet.
	Patterns []Pattern

	// Like are the names, as patterns of SQL's LIKE, of the jobs of which a pattern looks at the
	// folder or the line, beside those of the other rows: of other jobs nobody needs to read them.
	// There is no backslash in them, which need not be special (NO_BACKSLASH_ESCAPES): of a few
	// more jobs the texts are read, as _ is any letter.
	Like []string

	// NeedsClass: a job is of the tool only if a pattern tells its class.
	NeedsClass bool

	// Pilot jobs take work of their own as long as they run: their length is their limit.
	Pilot bool
	// Exact: the class is the tool's own name of a step, of which digits are a part. Else it is
	// taken in its normal form.
	Exact bool
	// ByFolder adds the folder to the kind, where names tell little of it.
	ByFolder bool
}

// Name returns the name of a row, "" of row 0.
func (t Table) Name(row int) string {
	if all := t.tools(); row > 0 && row <= len(all) {
		return all[row-1].Name
	}
	return ""
}

// Like returns the names, as patterns of SQL's LIKE, of jobs of which a text counts that is no
// name; none if that is not so of any.
func (t Table) Like(p Place) (names []string) {
	for _, tool := range t.tools() {
		looks := tool.ByFolder && p == Folder
		for k := range tool.Patterns {
			looks = looks || tool.Patterns[k].In == p || p == Line && tool.Patterns[k].In == Comment
		}
		if !looks {
			continue
		}
		for _, name := range tool.Like {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Like reports whether a name is like a pattern of SQL's LIKE, as [Table.Like] returns them. Only the last % that
// was met is tried anew, so that no name takes long.
func Like(pattern, name string) bool {
	p, n := 0, 0
	again, from := -1, 0 // behind the last %, and where in the name it was tried
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '%':
			p++
			again, from = p, n
		case p < len(pattern) && (pattern[p] == '_' || pattern[p] == name[n]):
			p, n = p+1, n+1
		case again >= 0:
			from++
			p, n = again, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "%") == ""
}

// Said is what the submission of a job says.
type Said struct {
	Tool     string // name of the row of the table; "" if no tool with a name is known
	Campaign string // by which a run is declared, see accounting.CampaignName; "" if nothing is
	Kind     string // the class of the job, in words; "" if nothing tells
	Pilot    bool
	ByLine   bool  // the line of submission tells some of it
	Parts    Parts // where the kind stands, if digits are a part of it: other texts that differ in digits alone tell another
	Digits   bool  // they are
	Row      uint8 // of the table, from 1 on; 0 if no tool is known
}

// Class returns the ostrich.Job.Class of a kind, 0 for none.
func (s *Said) Class() uint64 {
	if s.Kind == "" {
		return 0
	}
	return classOf([]byte(s.Kind))
}

// Table are the tools that count, the first that knows a job first. nil is that of the known tools.
type Table []Tool

func (t Table) tools() []Tool {
	if t == nil {
		return known
	}
	return t
}

// Read returns what a submission says. It never fails: texts belong to their users.
func (t Table) Read(of *Texts) Said {
	texts := *of
	texts.Name = accounting.StoredName(texts.Name)
	all := t.tools()
	for i := range all {
		tool := &all[i]
		first := &tool.Patterns[0]
		run, kind, parts, ok := first.match(texts.at(first.In))
		if !ok {
			continue
		}
		s := Said{Tool: tool.Name, Pilot: tool.Pilot, ByLine: first.byLine(), Row: uint8(1 + i)} // see MaxRows
		for k := range tool.Patterns[1:] {
			p := &tool.Patterns[1+k]
			if run != "" && kind != "" {
				break
			}
			r, c, where, _ := p.match(texts.at(p.In))
			s.ByLine = s.ByLine || p.byLine() && (run == "" && r != "" || kind == "" && c != "")
			if run == "" {
				run = r
			}
			if kind == "" {
				kind, parts = c, where
			}
		}
		if tool.NeedsClass && kind == "" {
			continue
		}
		if s.Digits = tool.Exact && kind != ""; s.Digits {
			kind, s.Parts = string(exactly([]byte(kind))), parts
		} else if kind = Normal([]byte(kind)); kind == "" {
			kind = Normal(texts.Name)
		}
		if folder := Normal(texts.Folder); tool.ByFolder && folder != "" {
			kind = strings.TrimSpace(kind + " in " + folder)
		}
		s.Kind = kind
		if run != "" {
			s.Campaign = campaignName(run)
		}
		return s
	}
	return Said{Kind: Normal(texts.Name)}
}

// runPrefix begins the name under which a run is declared.
const runPrefix = "run:"

// Run returns what a tool calls the run of a declared campaign; see campaignName for those
// of which it is shortened.
func Run(campaign string) string { return strings.TrimPrefix(campaign, runPrefix) }

// campaignName returns the name under which a run is declared: runPrefix and the tool's own name of
// it, or, of a long or unprintable one, its end and a hash of the whole. The tool is not in it,
// because of some jobs the run is known before the tool.
func campaignName(run string) string {
	if name := accounting.CampaignName([]byte(runPrefix + run)); name != "" {
		return name
	}
	end := []byte(run)
	for i, c := range end {
		if c <= ' ' || c > '~' || c == ',' {
			end[i] = '_'
		}
	}
	const hash = 17 // with the slash
	if room := accounting.MaxCampaign - len(runPrefix) - hash; len(end) > room {
		end = end[len(end)-room:]
	}
	return fmt.Sprintf("%s%s#%016x", runPrefix, end, accounting.TextHash([]byte(run)))
}
