package manual

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
)

// The scripts ask the command itself, see [Complete].
const (
	bashCompletion = `_ostrich() {
  local IFS=$'\n' cur="${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)" -- "$cur"))
}
complete -o bashdefault -o default -F _ostrich ostrich
`
	zshCompletion = `#compdef ostrich
_ostrich() {
  local -a found
  found=("${(@f)$(${words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null | tr '\t' ':')}")
  if [[ -n "${found[1]}" ]]; then
    _describe ostrich found
  else
    _files
  fi
}
if [[ "${funcstack[1]}" == _ostrich ]]; then
  _ostrich "$@"
else
  compdef _ostrich ostrich
fi
`
	fishCompletion = `complete -c ostrich -f -a '(ostrich __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
complete -c ostrich -s c -l config -r -F -d 'file with settings'
`
)

// Completion is the script that completes ostrich in a shell, and the name of the
// file in which the shell looks for it.
type Completion struct{ Shell, File, Text string }

// Completions are the scripts of all shells.
var Completions = []Completion{
	{"bash", "ostrich", bashCompletion},
	{"zsh", "_ostrich", zshCompletion},
	{"fish", "ostrich.fish", fishCompletion},
}

// CompleteCommand is what the scripts call, with the words up to the cursor.
const CompleteCommand = "__complete"

// Word is a word that may stand on a command line, and what it means.
type Word struct{ Text, Usage string }

// Complete writes what may stand in the place of the last word, a line each: the
// word, a tab, and what it means. Nothing is written where a file or any word may
// stand. arguments are the words that may follow others but for options.
func Complete(a *cli.App, w io.Writer, words []string, arguments func(before []string) []Word) error {
	last, before := "", words
	if len(words) > 0 {
		last, before = words[len(words)-1], words[:len(words)-1]
	}
	for _, word := range candidates(a, before, last, arguments) {
		if !strings.HasPrefix(word.Text, last) {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\n", word.Text, strings.ReplaceAll(word.Usage, "`", "")); err != nil {
			return err
		}
	}
	return nil
}

// candidates are the words that may stand behind others, for one that is begun.
func candidates(a *cli.App, before []string, begun string, arguments func(before []string) []Word) []Word {
	var list []Word
	if len(before) == 0 {
		for _, c := range a.Commands {
			list = append(list, Word{c.Name, c.Usage})
		}
		return list
	}
	i := slices.IndexFunc(a.Commands, func(c *cli.Command) bool { return c.HasName(before[0]) })
	switch {
	case i < 0 || console.TakesValue(a.Commands[i].Flags)[strings.TrimLeft(before[len(before)-1], "-")]:
		return nil
	case !strings.HasPrefix(begun, "-"):
		return arguments(before)
	}
	for _, f := range a.Commands[i].Flags {
		d, ok := f.(cli.DocGenerationFlag)
		v, visible := f.(cli.VisibleFlag)
		// Settings are many: they are offered once a letter is there.
		if !ok || (visible && !v.IsVisible() && len(begun) < len("--x")) {
			continue
		}
		list = append(list, Word{"--" + f.Names()[0], d.GetUsage()})
	}
	return append(list, Word{"--help", "show help"})
}
