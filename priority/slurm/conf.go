package slurm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// byteOrderMark is what some editors write in front of a text.
const byteOrderMark = "\ufeff"

// Include returns the text of a file that a slurm.conf includes, by the name that it has
// there.
type Include func(name string) (text string, err error)

// ParseController reads a saved "scontrol show config", or a slurm.conf. A
// slurm.conf does not name its release. So Version is empty, and defaults are those
// of the newest release.
func ParseController(text string, include Include) (priority.Controller, error) {
	text = strings.TrimPrefix(text, byteOrderMark)
	switch {
	case saved(text):
		return parseConfig(text)
	case shown(text):
		return priority.Controller{}, errShown
	}
	c := priority.Controller{ // Slurm's defaults: src/common/read_config.h
		PriorityMaxAge: 7 * 86400, CalcPeriod: 300, DecayHalfLife: 7 * 86400, FairShareDamping: 1,
	}
	lines, err := confLines(text, include)
	if err != nil {
		return priority.Controller{}, err
	}
	stores := values(&c, confTime, confSeconds)
	for _, line := range lines {
		switch strings.ToLower(line.words[0].key) {
		case "nodename", "nodeset", "partitionname", "downnodes":
			continue // a partition has a PreemptMode of its own
		}
		for _, w := range line.words {
			store, known := stores[strings.ToLower(w.key)]
			if !known {
				continue
			}
			if err := store(none(w.value)); err != nil {
				return priority.Controller{}, line.fault("%s=%q: %w", w.key, clip(w.value), err)
			}
		}
	}
	if c.PriorityType == "" {
		c.PriorityType, c.TypeAssumed = "priority/multifactor", true
	}
	if c.AccountingTRES != nil { // slurm.conf adds to those that accounting counts in any case
		c.AccountingTRES = append([]string{"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"}, c.AccountingTRES...)
	}
	if err := complete(&c); err != nil {
		return priority.Controller{}, fmt.Errorf("slurm.conf: %w", err)
	}
	return c, nil
}

var errShown = errors.New("partitions or nodes, and no configuration: put what `scontrol show config` tells in front of them")

// shown reports whether the text has partitions or nodes as scontrol shows them.
func shown(text string) bool {
	for line := range strings.Lines(text) {
		said, _, _ := strings.Cut(line, "#") // a comment of slurm.conf may quote them
		if strings.Contains(said, "TotalCPUs=") || strings.Contains(said, "CPUTot=") {
			return true
		}
	}
	return false
}

// saved reports whether the text is output of scontrol, and not a slurm.conf.
func saved(text string) bool {
	for line := range strings.Lines(text) {
		key, _, ok := strings.Cut(line, "=")
		if strings.HasPrefix(line, "Configuration data as of") || ok && strings.TrimSpace(key) == "SLURM_VERSION" {
			return true
		}
	}
	return false
}

// confLine is a line of slurm.conf, or of a file that it includes, with its
// continuation lines.
type confLine struct {
	file   string // "slurm.conf", or the name by which it is included
	number int
	words  []confWord // at least one
}

type confWord struct{ key, value string }

func (l *confLine) fault(format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %w", l.file, l.number, fmt.Errorf(format, args...))
}

// keys returns the words of a line by their keys in lower case. Of a key that stands there
// twice the last counts.
func (l *confLine) keys() map[string]string {
	all := make(map[string]string, len(l.words))
	for _, w := range l.words {
		all[strings.ToLower(w.key)] = w.value
	}
	return all
}

// confReader reads the lines of a slurm.conf and of what it includes.
type confReader struct {
	include Include
	lines   []confLine
	cluster string // ClusterName, once a line has it
}

// confLines splits a slurm.conf into lines and words, as s_p_parse_file does in Slurm's
// src/common/parse_config.c: "#" begins a comment, "\" at the end of a line continues it
// and takes their meaning from other characters, a value with blanks is in quotes, and blanks
// may stand on both sides of "=".
func confLines(text string, include Include) ([]confLine, error) {
	r := confReader{include: include}
	err := r.read("slurm.conf", text, 0)
	return r.lines, err
}

// mostIncludes is how deep files may include each other. Slurm has no limit, but does not
// end where a file includes itself.
const mostIncludes = 20

func (r *confReader) read(file, text string, depth int) error {
	text = strings.TrimPrefix(text, byteOrderMark)
	var whole strings.Builder
	first, number := 0, 0
	end := func() error {
		line := confLine{file: file, number: first}
		err := r.line(&line, unescape(whole.String()), depth)
		whole.Reset()
		return err
	}
	for line := range strings.Lines(text) {
		number++
		if whole.Len() == 0 {
			first = number
		}
		part, more := continued(uncomment(line))
		whole.WriteString(part)
		if more {
			continue
		}
		if err := end(); err != nil {
			return err
		}
	}
	return end()
}

// line reads a line, and the file that it includes.
func (r *confReader) line(l *confLine, text string, depth int) error {
	text = strings.TrimSpace(text)
	if fields := strings.Fields(text); len(fields) == 2 && strings.EqualFold(fields[0], "include") {
		return r.included(l, fields[1], depth)
	}
	var err error
	if l.words, err = confWords(text); err != nil {
		return l.fault("%w", err)
	}
	if len(l.words) == 0 {
		return nil
	}
	first := l.words[0]
	switch key := strings.ToLower(first.key); {
	case key == "clustername":
		r.cluster = strings.ToLower(first.value)
	case key == "include":
		return l.fault("%s: %w", clip(text), errEqual)
	case slices.Contains(confInner, key):
		return l.fault("%s: %w", clip(first.key), errInner)
	}
	r.lines = append(r.lines, *l)
	return nil
}

// confInner are keys, in lower case, with which no line of a slurm.conf begins: they belong
// behind NodeName or PartitionName. Slurm refuses such a line.
var confInner = []string{
	"boards", "corespeccount", "corespersocket", "cpus", "cpuspeclist", "default", "exclusive", "feature", "features", "gres", "maxtime", "nodeaddr",
	"nodehostname", "nodes", "oversubscribe", "prioritytier", "priorityjobfactor", "procs", "realmemory", "shared", "sockets", "socketsperboard",
	"state", "threadspercore", "weight",
}

var (
	errInclude = errors.New("save what `scontrol show config`, `scontrol show partition` and `scontrol show node` tell instead")
	errDeep    = errors.New("it includes itself")
	errEqual   = errors.New("write Include without =")
	errInner   = errors.New("no line begins with it: does the line before lack a \\ at its end, or stands a comment between the two?")
	errCluster = errors.New("%c is the name of the cluster, and no line before this one has ClusterName")
)

// included reads an included file. "%c" in its name is the cluster's name.
func (r *confReader) included(l *confLine, name string, depth int) error {
	text, err := "", errDeep
	switch {
	case strings.Contains(name, "%c") && r.cluster == "":
		err = errCluster
	case r.include == nil:
		err = errInclude
	case depth < mostIncludes:
		name = strings.ReplaceAll(name, "%c", r.cluster)
		text, err = r.include(name)
	}
	if err != nil {
		return l.fault("include %s: %w", clip(name), err)
	}
	return r.read(name, text, depth+1)
}

// uncomment removes a comment. "\#" does not begin one, but "\\#" does.
func uncomment(line string) string {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '#':
			return line[:i]
		case '\\':
			i++
		}
	}
	return line
}

// continued returns a line without the backslash that continues it. Two of them are a
// backslash.
func continued(line string) (part string, more bool) {
	line = strings.TrimRight(line, " \t\r\n\v\f")
	before := strings.TrimRight(line, `\`)
	if (len(line)-len(before))%2 == 0 {
		return line, false
	}
	return line[:len(line)-1], true
}

// unescape removes each backslash that is not behind another one.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func confWords(line string) ([]confWord, error) {
	var words []confWord
	rest := line
	for rest != "" {
		key, after, ok := strings.Cut(rest, "=")
		key = strings.TrimRight(key, " \t")
		if n := len(key); n > 0 && strings.ContainsRune("+-*/", rune(key[n-1])) { // "+=" and others
			key = strings.TrimRight(key[:n-1], " \t")
		}
		if !ok || key == "" || strings.ContainsAny(key, " \t\"") {
			return nil, fmt.Errorf("%q: not Key=Value", clip(rest))
		}
		after = strings.TrimLeft(after, " \t")
		var value string
		if quoted, is := strings.CutPrefix(after, `"`); is {
			if value, rest, ok = strings.Cut(quoted, `"`); !ok {
				return nil, fmt.Errorf("%s: a quote that does not end", key)
			}
		} else if i := strings.IndexAny(after, " \t"); i >= 0 {
			value, rest = after[:i], after[i:]
		} else {
			value, rest = after, ""
		}
		words = append(words, confWord{key, value})
		rest = strings.TrimLeft(rest, " \t")
	}
	return words, nil
}

var errConfTime = errors.New("not minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]] or UNLIMITED")

// confTime reads a time of slurm.conf that Slurm keeps in minutes, and rounds seconds up (time_str2mins in Slurm's
// src/common/parse_time.c).
func confTime(text string) (ostrich.Duration, error) {
	seconds, err := confSeconds(text)
	if err != nil || seconds == priority.Unlimited {
		return seconds, err
	}
	return (seconds + 59) / 60 * 60, nil
}

// confSeconds reads a time of slurm.conf, in which a number alone is one of minutes (time_str2secs).
func confSeconds(text string) (ostrich.Duration, error) {
	switch strings.ToUpper(text) {
	case "UNLIMITED", "INFINITE", "-1":
		return priority.Unlimited, nil
	case "", "NONE":
		return 0, nil
	}
	c, ok := parseClock(text)
	if !ok {
		return 0, errConfTime
	}
	if !c.hasDays && c.parts < 3 { // without hours
		return ostrich.Duration(c.n[0]*60 + c.n[1]), nil
	}
	return ostrich.Duration(c.days*86400 + c.n[0]*3600 + c.n[1]*60 + c.n[2]), nil
}
