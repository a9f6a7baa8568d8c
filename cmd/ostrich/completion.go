package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

const bashCompletion = `_ostrich() {
  local words=("${COMP_WORDS[@]:0:$COMP_CWORD}") cur="${COMP_WORDS[COMP_CWORD]}"
  if [[ "$cur" == -* ]]; then
    words+=("$cur")
  fi
  mapfile -t COMPREPLY < <(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null)" -- "$cur")
}
complete -o bashdefault -o default -F _ostrich ostrich
`

const zshCompletion = `#compdef ostrich
_ostrich() {
  local -a candidates
  local cur="${words[CURRENT]}"
  if [[ "$cur" == -* ]]; then
    candidates=("${(@f)$(_CLI_ZSH_AUTOCOMPLETE_HACK=1 ${words[@]:0:$((CURRENT-1))} ${cur} --generate-bash-completion 2>/dev/null)}")
  else
    candidates=("${(@f)$(_CLI_ZSH_AUTOCOMPLETE_HACK=1 ${words[@]:0:$((CURRENT-1))} --generate-bash-completion 2>/dev/null)}")
  fi
  if [[ -n "${candidates[1]}" ]]; then
    _describe 'values' candidates
  else
    _files
  fi
}
compdef _ostrich ostrich
`

func completionCommand() *cli.Command {
	script := func(name, text string) *cli.Command {
		return &cli.Command{
			Name: name, Usage: "print the completion of " + name,
			Action: func(c *cli.Context) error {
				_, err := fmt.Fprint(c.App.Writer, text)
				return err
			},
		}
	}
	return &cli.Command{
		Name:  "completion",
		Usage: "print the script that completes this command in a shell: bash, zsh or fish",
		Subcommands: []*cli.Command{
			script("bash", bashCompletion), script("zsh", zshCompletion),
			{
				Name: "fish", Usage: "print the completion of fish",
				Action: func(c *cli.Context) error {
					text, err := app(c.App.Writer, c.App.ErrWriter).ToFishCompletion()
					if err != nil {
						return err
					}
					_, err = fmt.Fprint(c.App.Writer, text)
					return err
				},
			},
		},
		Action: func(*cli.Context) error {
			return fmt.Errorf("completion: name a shell: bash, zsh or fish")
		},
	}
}
