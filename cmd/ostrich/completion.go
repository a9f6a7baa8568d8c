package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/figures"
	"slurm-ostrich/cmd/internal/replay"
)

// The scripts ask the command itself, see complete.
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

// completionScript is what a shell reads, and the name of the file in which it
// looks for it.
type completionScript struct{ shell, file, text string }

var completions = []completionScript{
	{"bash", "ostrich", bashCompletion},
	{"zsh", "_ostrich", zshCompletion},
	{"fish", "ostrich.fish", fishCompletion},
}

// completeCommand is what the scripts call, with the words up to the cursor.
const completeCommand = "__complete"

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:            "completion",
		Usage:           "print the script that completes this command in a shell",
		ArgsUsage:       "bash|zsh|fish",
		Description:     "For this session: source <(ostrich completion bash)",
		HideHelpCommand: true,
		OnUsageError:    usageError("ostrich completion", ""),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return errors.New("completion: name a shell: bash, zsh or fish")
			}
			i := slices.IndexFunc(completions, func(s completionScript) bool { return s.shell == c.Args().First() })
			if i < 0 {
				return fmt.Errorf("completion: %q is none of bash, zsh, fish", c.Args().First())
			}
			_, err := io.WriteString(c.App.Writer, completions[i].text)
			return err
		},
	}
}

// complete writes what may stand in the place of the last word, a line each:
// the word, a tab, and what it means. Nothing is written where a file or any
// word may stand.
func complete(a *cli.App, w io.Writer, words []string) error {
	last, before := "", words
	if len(words) > 0 {
		last, before = words[len(words)-1], words[:len(words)-1]
	}
	offer := func(word, usage string) error {
		if !strings.HasPrefix(word, last) {
			return nil
		}
		_, err := fmt.Fprintf(w, "%s\t%s\n", word, strings.ReplaceAll(usage, "`", ""))
		return err
	}
	if len(before) == 0 {
		for _, c := range a.Commands {
			if err := offer(c.Name, c.Usage); err != nil {
				return err
			}
		}
		return nil
	}
	i := slices.IndexFunc(a.Commands, func(c *cli.Command) bool { return c.HasName(before[0]) })
	switch {
	case i < 0:
		return nil
	case before[0] == "completion" && len(before) == 1:
		return errors.Join(offer("bash", ""), offer("zsh", ""), offer("fish", ""))
	}
	flags := a.Commands[i].Flags
	switch {
	case valued(flags)[strings.TrimLeft(before[len(before)-1], "-")]:
		return nil
	case before[0] == "generate" && !strings.HasPrefix(last, "-"):
		var errs []error
		for _, name := range replay.ModelNames() {
			errs = append(errs, offer(name, ""))
		}
		return errors.Join(errs...)
	case before[0] == "figures" && !strings.HasPrefix(last, "-"):
		for _, f := range figures.All() {
			if err := offer(f.Name, f.Title); err != nil {
				return err
			}
		}
		return nil
	case !strings.HasPrefix(last, "-"):
		return nil
	}
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		v, visible := f.(cli.VisibleFlag)
		// Settings are many: they are offered once a letter is there.
		if !ok || (visible && !v.IsVisible() && len(last) < len("--x")) {
			continue
		}
		if err := offer("--"+f.Names()[0], d.GetUsage()); err != nil {
			return err
		}
	}
	return offer("--help", "show help")
}

// valued are the names of the flags that take a value.
func valued(flags []cli.Flag) map[string]bool {
	takes := make(map[string]bool)
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		for _, name := range f.Names() {
			takes[name] = ok && d.TakesValue()
		}
	}
	return takes
}
