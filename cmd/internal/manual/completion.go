package manual

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/configuration"
)

// The scripts ask the command itself, see [Complete]. NAME is its name.
const (
	bashCompletion = `_NAME() {
  local word cur="${COMP_WORDS[COMP_CWORD]}"
  [[ $cur != = ]] || cur=
  COMPREPLY=()
  while read -r word; do
    [[ $word != "$cur"* ]] || COMPREPLY+=("$word")
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
}
complete -o bashdefault -o default -F _NAME NAME
`
	zshCompletion = `#compdef NAME
_NAME() {
  local -a found
  found=("${(@f)$(${words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null | sed 's/:/\\:/g' | tr '\t' ':')}")
  if [[ -n "${found[1]}" ]]; then
    _describe NAME found
  else
    _files
  fi
}
if [[ "${funcstack[1]}" == _NAME ]]; then
  _NAME "$@"
else
  compdef _NAME NAME
fi
`
	fishCompletion = `complete -c NAME -f -a '(NAME __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
complete -c NAME -s c -l config -r -F -d 'file with settings'
`
)

// Completion is the script that completes a command in a shell, and the name of the
// file in which the shell looks for it.
type Completion struct{ Shell, File, Text string }

// Completions returns the scripts of all shells for a command.
func Completions(name string) []Completion {
	script := func(shell, file, text string) Completion {
		return Completion{shell, file, strings.ReplaceAll(text, "NAME", name)}
	}
	return []Completion{
		script("bash", name, bashCompletion),
		script("zsh", "_"+name, zshCompletion),
		script("fish", name+".fish", fishCompletion),
	}
}

// WriteCompletion writes the script for the one shell in args. The errors name the command
// by which it was asked for.
func WriteCompletion(w io.Writer, command, name string, args []string) error {
	switch {
	case len(args) == 0:
		return fmt.Errorf("%s: name a shell: bash, zsh or fish", command)
	case len(args) > 1:
		return fmt.Errorf("%s: unexpected argument %q", command, args[1])
	}
	for _, c := range Completions(name) {
		if c.Shell == args[0] {
			_, err := io.WriteString(w, c.Text)
			return err
		}
	}
	return fmt.Errorf("%s: %q is none of bash, zsh, fish", command, args[0])
}

// CompleteCommand is what the scripts call, with the words up to the cursor.
const CompleteCommand = "__complete"

// Word is a word that may stand on a command line, and what it means.
type Word struct{ Text, Usage string }

// Plain returns words without a meaning.
func Plain(texts []string) []Word {
	words := make([]Word, len(texts))
	for i, text := range texts {
		words[i].Text = text
	}
	return words
}

// Complete writes what may stand in the place of the last word, a line each: the
// word, a tab, and what it means. Nothing is written where a file or any word may
// stand. Of lists with commas the last item is completed. more returns the words that may
// follow others: values of an option, or arguments if option is empty. It is asked about
// values that neither the settings nor the option's help name.
func Complete(a *cli.App, w io.Writer, words []string, more func(before []string, option string) []Word) error {
	begun := ""
	if last := len(words) - 1; last >= 0 {
		begun, words = words[last], words[:last]
	}
	// bash makes three words of --user=bob.
	isEquals := func(word string) bool { return word == "=" }
	if isEquals(begun) {
		begun = ""
	}
	for _, word := range candidates(a, slices.DeleteFunc(slices.Clone(words), isEquals), begun, more) {
		if !strings.HasPrefix(word.Text, begun) || strings.ContainsAny(word.Text, unquoted) {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\n", word.Text, strings.ReplaceAll(word.Usage, "`", "")); err != nil {
			return err
		}
	}
	return nil
}

// unquoted are characters that mean something to a shell where they stand without quotes. Names
// in a queue are what users write: a word with one of these is not offered, or a shell that
// inserts it as it is would run it.
const unquoted = "`$&|;<>(){}*?!~#\"'\\ \t\r\n"

// candidates returns the words that may follow those before, if the next one is typed as
// far as begun.
func candidates(a *cli.App, before []string, begun string, more func([]string, string) []Word) []Word {
	flags := a.Flags
	if len(a.Commands) > 0 {
		if len(before) == 0 {
			return commands(a.Commands)
		}
		i := slices.IndexFunc(a.Commands, func(c *cli.Command) bool { return c.HasName(before[0]) })
		if i < 0 {
			return nil
		}
		flags = a.Commands[i].Flags
	}
	option, start := "", ""
	if name, _, ok := strings.Cut(begun, "="); ok && strings.HasPrefix(begun, "-") {
		option, start = name, name+"="
	} else if len(before) > 0 {
		option = before[len(before)-1]
	}
	if option = strings.TrimLeft(option, "-"); arguments.TakesValue(flags)[option] {
		i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), option) })
		list := values(flags[i], func(name string) []Word { return more(before, name) })
		start = begun[:max(len(start), lastItem.FindStringIndex(begun)[0])]
		if sign := strings.TrimPrefix(begun, start); flags[i].Names()[0] == "sort" && strings.IndexAny(sign, "-+") == 0 {
			start += sign[:1]
		}
		return following(start, list)
	}
	if !strings.HasPrefix(begun, "-") {
		return following(begun[:lastItem.FindStringIndex(begun)[0]], more(before, ""))
	}
	return options(flags, begun)
}

// lastItem finds the last item of a list with commas. Those in brackets, as in the job
// 17_[1-3,7], separate nothing.
var lastItem = regexp.MustCompile(`([^,\[]|\[[^\]]*\]?)*$`)

// following puts what is begun before words.
func following(start string, list []Word) []Word {
	for i := range list {
		list[i].Text = start + list[i].Text
	}
	return list
}

func commands(all []*cli.Command) (list []Word) {
	for _, c := range visible(all) {
		list = append(list, Word{c.Name, c.Usage})
	}
	return list
}

func options(flags []cli.Flag, begun string) (list []Word) {
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		// Settings are many: where help does not show them they are offered once a
		// letter is there.
		if !ok || (hidden(f) && len(begun) < len("--x")) {
			continue
		}
		list = append(list, Word{"--" + f.Names()[0], d.GetUsage()})
	}
	return append(list, Word{"--help", "show help"})
}

// values returns the words that an option may have for its value.
func values(f cli.Flag, more func(name string) []Word) []Word {
	name := f.Names()[0]
	c := configuration.Default()
	for _, s := range configuration.Settings(&c) {
		if named, ok := s.Value.(interface{ Names() []string }); ok && s.Flag() == name {
			return Plain(named.Names())
		}
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		if names := choices(d.GetUsage()); names != nil {
			return Plain(names)
		}
	}
	return more(name)
}

var (
	remark  = regexp.MustCompile(` \([^)]*\)`)
	between = regexp.MustCompile(`, | or `)
	aName   = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

// choices returns the names in a help such as "the loop: `LOOP` is open (as logged) or
// closed"; nil if it has none.
func choices(usage string) []string {
	_, list, ok := strings.Cut(usage, "` is ")
	if !ok {
		return nil
	}
	names := between.Split(remark.ReplaceAllString(list, ""), -1)
	if slices.ContainsFunc(names, func(name string) bool { return !aName.MatchString(name) }) {
		return nil
	}
	return names
}
