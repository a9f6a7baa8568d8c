// Package arguments reads command lines as Slurm's commands read theirs, and reports what
// it does not understand.
package arguments

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/format"
)

// Separate rewrites the arguments of a command so that the flag package reads them as
// Slurm's commands would: options may follow other arguments, the value of a short option
// may be attached to it, as in -uNAME, and short options without a value may share a dash,
// as in -nP. Whole numbers are decimal, see [Decimal]. What it does not understand stays as it is.
func Separate(flags []cli.Flag, args []string) []string {
	takes, wanted := TakesValue(flags), make(map[string]string)
	for _, f := range flags {
		for _, name := range f.Names() {
			wanted[name] = Wanted(f)
		}
	}
	var options, rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return slices.Concat(options, args[i:i+1], rest, args[i+1:])
		case !strings.HasPrefix(arg, "-") || arg == "-":
			rest = append(rest, arg)
			continue
		}
		options = append(options, split(takes, arg)...)
		last := &options[len(options)-1]
		name, value, attached := strings.Cut(strings.TrimLeft(*last, "-"), "=")
		switch {
		case attached:
			*last = strings.TrimSuffix(*last, value) + Decimal(value, wanted[name])
		case takes[name] && i+1 < len(args):
			i++
			options = append(options, Decimal(args[i], wanted[name]))
		}
	}
	return append(options, rest...)
}

// OfCommand rewrites the arguments of a command of an application, see [Separate]. Where help is
// asked for, no other argument counts, or cli would look for a command of its name.
func OfCommand(a *cli.App, args []string) []string {
	if len(args) < 3 {
		return args
	}
	i := slices.IndexFunc(a.Commands, func(c *cli.Command) bool { return c.HasName(args[1]) })
	if i < 0 {
		return args
	}
	rest := Separate(a.Commands[i].Flags, args[2:])
	if slices.Contains(rest, "--help") || slices.Contains(rest, "-h") {
		rest = []string{"--help"}
	}
	return append(args[:2:2], rest...)
}

// split separates short options that share a dash, and the value behind the last of them.
func split(takes map[string]bool, arg string) []string {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	if _, known := takes[name]; known || strings.HasPrefix(arg, "--") || len(arg) < 3 {
		return []string{arg}
	}
	var parts []string
	for i := 1; i < len(arg); i++ {
		letter := arg[i : i+1]
		value, known := takes[letter]
		switch {
		case !known:
			return []string{arg}
		case value && i+1 < len(arg):
			return append(parts, "-"+letter+"="+strings.TrimPrefix(arg[i+1:], "="))
		}
		parts = append(parts, "-"+letter)
	}
	return parts
}

// Decimal returns the value of an option, which must be what [Wanted] says: a whole number without
// zeros in front, any other text as it is. The flag package would read 010 as 8.
func Decimal(value, wanted string) string {
	digits := strings.TrimLeft(value, "-+")
	if !strings.HasPrefix(wanted, wholeNumber) || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return value
	}
	return strings.TrimSuffix(value, digits) + cmp.Or(strings.TrimLeft(digits, "0"), "0")
}

// TakesValue reports, by name, which flags take a value.
func TakesValue(flags []cli.Flag) map[string]bool {
	takes := map[string]bool{"help": false, "h": false}
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		for _, name := range f.Names() {
			takes[name] = ok && d.TakesValue()
		}
	}
	return takes
}

// UsageError returns a function that reports an option that a command does not understand,
// in one line. command is what precedes --help, more is what else to know.
func UsageError(command, more string) cli.OnUsageErrorFunc {
	return func(c *cli.Context, err error, _ bool) error {
		name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
		if !unknown {
			return fmt.Errorf("%s; see \"%s --help\"%s", badValue(c.Command.Flags, err.Error()), command, more)
		}
		var known []string
		for _, f := range c.Command.Flags {
			known = append(known, f.Names()...)
		}
		return fmt.Errorf("unknown option %s; see \"%s --help\"%s%s", dashed(name), command, more, format.DidYouMean(nearOptions(name, known)))
	}
}

// badValue says in an error of the flag package what a value must be, with the option as it is
// written.
func badValue(flags []cli.Flag, words string) string {
	m := unparsed.FindStringSubmatch(words)
	switch {
	case m == nil:
	case m[3] != "parse error": // what the option itself says
		return fmt.Sprintf("%s: %s", dashed(m[2]), m[3])
	default:
		i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), m[2]) })
		if i >= 0 && Wanted(flags[i]) != "" {
			return fmt.Sprintf("%s %s: not %s", dashed(m[2]), m[1], Wanted(flags[i]))
		}
	}
	return longName.ReplaceAllString(words, "$1--$2")
}

const wholeNumber = "a whole number"

// Wanted says what the value of an option must be; "" if any text may be one, or if the option
// itself says what is wrong.
func Wanted(f cli.Flag) string {
	switch f.(type) {
	case *cli.IntFlag, *cli.Int64Flag:
		return wholeNumber
	case *cli.Uint64Flag:
		return wholeNumber + " of 0 or more"
	case *cli.Float64Flag:
		return "a number"
	case *cli.BoolFlag:
		return "true or false"
	}
	return ""
}

// unparsed finds value and name of an option in an error of the flag package, and the reason, which
// begins with the value where the option gives it.
var unparsed = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([^:]+): (parse error$|".*)`)

// longName finds the name of a long option in an error of the flag package.
var longName = regexp.MustCompile(`((?:^flag needs an argument:|^invalid .* for(?: flag)?) )-([^-:][^:]+)`)

// nearOptions returns the options that may have been meant: those that begin with the name,
// or end in it, as --priority-channel does in channel, else those of almost this name.
func nearOptions(name string, known []string) []string {
	if len(name) < 2 {
		return nil
	}
	name = strings.NewReplacer(".", "-", "_", "-").Replace(name) // a key of the file
	known = slices.DeleteFunc(known, func(k string) bool { return len(k) < 2 })
	near := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return !strings.HasPrefix(k, name) && !strings.HasSuffix(k, "-"+name)
	})
	if len(near) == 0 || len(near) > 3 {
		near = format.Nearest(name, known)
	}
	for i := range near {
		near[i] = dashed(near[i])
	}
	return near
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// NoCommand returns the error for a command that does not exist.
func NoCommand(a *cli.App, name string) error {
	var known []string
	for _, c := range a.Commands {
		known = append(known, c.Names()...)
	}
	return fmt.Errorf("%q is no command; see \"%s --help\"%s", name, a.Name, format.DidYouMean(format.Nearest(name, known)))
}

// FromEnvironment reports whether the environment has a variable of a flag.
func FromEnvironment(f cli.Flag) bool {
	documented, ok := f.(cli.DocGenerationFlag)
	return ok && slices.ContainsFunc(documented.GetEnvVars(), func(name string) bool {
		_, set := os.LookupEnv(name)
		return set
	})
}
