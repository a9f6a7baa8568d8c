package slurm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// ParseController reads a saved "scontrol show config", or a slurm.conf. A
// slurm.conf does not name its release. So Version is empty, defaults are those
// of the newest release, and PriorityType, whose default depends on the release,
// is required. ParseController does not follow an Include; it returns an error.
func ParseController(text string) (priority.Controller, error) {
	if saved(text) {
		return parseConfig(text)
	}
	c := priority.Controller{ // Slurm's defaults: src/common/read_config.h
		PriorityMaxAge: 7 * 86400, CalcPeriod: 300, DecayHalfLife: 7 * 86400, FairShareDamping: 1,
		MaxArraySize: 1001,
	}
	lines, err := confLines(text)
	if err != nil {
		return priority.Controller{}, err
	}
	stores := values(&c, confTime)
	for _, line := range lines {
		for _, w := range line.words {
			store, known := stores[strings.ToLower(w.key)]
			if !known {
				continue
			}
			if err := store(none(w.value)); err != nil {
				return priority.Controller{}, fmt.Errorf("slurm.conf: line %d: %s=%q: %w", line.number, w.key, clip(w.value), err)
			}
		}
	}
	if err := complete(&c); err != nil {
		return priority.Controller{}, fmt.Errorf("slurm.conf: %w", err)
	}
	return c, nil
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

// confLine is a line of slurm.conf, with its continuation lines.
type confLine struct {
	number int
	words  []confWord // at least one
}

// value returns the last value of a key, or "".
func (l confLine) value(key string) string {
	for _, w := range slices.Backward(l.words) {
		if strings.EqualFold(w.key, key) {
			return w.value
		}
	}
	return ""
}

type confWord struct{ key, value string }

// confLines splits a slurm.conf into lines and words. "#" begins a comment, "\"
// at the end of a line continues it, a value with blanks is in quotes, and blanks
// may stand on both sides of "=" (s_p_parse_file in Slurm's
// src/common/parse_config.c).
func confLines(text string) ([]confLine, error) {
	var all []confLine
	var whole strings.Builder
	first, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		if whole.Len() == 0 {
			first = number
		}
		line = strings.TrimRight(uncomment(line), " \t\r\n")
		part, more := strings.CutSuffix(line, `\`)
		whole.WriteString(part)
		if more {
			continue
		}
		words, err := confWords(whole.String())
		whole.Reset()
		if err != nil {
			return nil, fmt.Errorf("slurm.conf: line %d: %w", first, err)
		}
		if len(words) > 0 {
			all = append(all, confLine{first, words})
		}
	}
	if strings.TrimSpace(whole.String()) != "" {
		return nil, fmt.Errorf("slurm.conf: line %d: continued, but the file ends", first)
	}
	return all, nil
}

// uncomment removes a comment. "\#" does not begin one.
func uncomment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] != '\\') {
			return line[:i]
		}
	}
	return line
}

var errInclude = errors.New("include is not followed: save what `scontrol show config` and `scontrol show partition` tell instead")

func confWords(line string) ([]confWord, error) {
	var words []confWord
	rest := strings.TrimSpace(line)
	if first := strings.Fields(rest); len(first) > 1 && strings.EqualFold(first[0], "include") && first[1] != "=" {
		return nil, errInclude
	}
	for rest != "" {
		key, after, ok := strings.Cut(rest, "=")
		if key = strings.TrimRight(key, " \t+*"); !ok || key == "" || strings.ContainsAny(key, " \t\"") {
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

// confTime reads a time of slurm.conf, which counts minutes and rounds seconds up
// (time_str2mins in Slurm's src/common/parse_time.c).
func confTime(text string) (ostrich.Duration, error) {
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
	seconds := c.days*86400 + c.n[0]*3600 + c.n[1]*60 + c.n[2]
	if !c.hasDays && c.parts < 3 { // without hours
		seconds = c.n[0]*60 + c.n[1]
	}
	return ostrich.Duration((seconds + 59) / 60 * 60), nil
}
