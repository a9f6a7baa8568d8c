package manual

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
)

// sample has one of everything that the pages show or leave out.
func sample() Program {
	return Program{
		App: &cli.App{
			Name: "crane", Usage: "lift things",
			Description: "Lifts what_is named.\n.dots and a|b stay.\n\nKinds:\n  light  a <stone>\n    deep  within\nor not.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "gently", Usage: "take care"},
				&cli.StringFlag{Name: "rope", Usage: "how thick", Category: "settings", EnvVars: []string{"CRANE_ROPE"}, Value: "x"},
				&cli.StringFlag{Name: "secret", Hidden: true},
			},
			Commands: []*cli.Command{
				{Name: "hoist", Usage: "lift one", ArgsUsage: "THING", Flags: []cli.Flag{
					&cli.IntFlag{Name: "height", Aliases: []string{"H"}, Usage: "to `METRES`, a|b", Value: 3},
					&cli.StringFlag{Name: "rope", Category: "settings", Hidden: true},
				}},
				{Name: "ghost", Usage: "nobody sees it", Hidden: true},
			},
		},
		Section: 8, SeeAlso: []string{"rope(5)"},
		Exit: []Note{{"0", "done"}}, Environment: []Note{{"LOAD-*", "what hangs"}},
		Files: []Note{{"/etc/crane", "the_rope"}}, Examples: []Note{{"crane hoist x", "lift x"}},
	}
}

const wantMarkdown = `# crane

Lift things.

This page is made from the command itself; ¬man crane¬ shows the same.

¬¬¬
crane [options]
¬¬¬

Lifts what\_is named.
.dots and a\|b stay.

Kinds:

¬¬¬
light  a <stone>
  deep  within
¬¬¬

or not.

| command | |
|---|---|
| [¬hoist¬](#crane-hoist) | lift one |

| option | meaning | default | environment |
|---|---|---|---|
| ¬--gently¬ | take care |  |  |
| ¬--help¬, ¬-h¬ | show help |  |  |
| ¬--version¬, ¬-v¬ | print the version |  |  |

### Settings

| option | meaning | default | environment |
|---|---|---|---|
| ¬--rope¬ ¬VALUE¬ | how thick | "x" | ¬CRANE_ROPE¬ |

## crane hoist

Lift one.

¬¬¬
crane hoist [options] THING
¬¬¬

| option | meaning | default | environment |
|---|---|---|---|
| ¬--height¬, ¬-H¬ ¬METRES¬ | to ¬METRES¬, a\|b | 3 |  |
| ¬--help¬, ¬-h¬ | show help |  |  |

Every [setting](../configuration.md) is an option too, as in ¬--priority-channel nice¬.

## Exit status

| exit code | |
|---|---|
| ¬0¬ | done |

## Environment

| variable | |
|---|---|
| ¬LOAD-*¬ | what hangs |

## Files

| file | |
|---|---|
| ¬/etc/crane¬ | the\_rope |

## Examples

| command | |
|---|---|
| ¬crane hoist x¬ | lift x |
`

func TestMarkdown(t *testing.T) {
	if d := cmp.Diff(strings.ReplaceAll(wantMarkdown, "¬", "`"), sample().Markdown()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

const wantPage = `.\" Made by the command itself: do not edit.
.TH CRANE 8 2026-01-02 "OStrich v1\-x" "OStrich for Slurm"
.SH NAME
crane \- lift things
.SH SYNOPSIS
.nf
crane [options]
.fi
.SH DESCRIPTION
Lifts what_is named.
\&.dots and a|b stay.
.PP
Kinds:
.PP
.nf
light  a <stone>
  deep  within
.fi
.PP
or not.
.SH COMMANDS
.TP
\fBhoist\fR
lift one
.PP
Each has a page of its own, as crane\-hoist(8).
.SH OPTIONS
.TP
\fB\-\-gently\fR
take care
.TP
\fB\-\-help\fR, \fB\-h\fR
show help
.TP
\fB\-\-version\fR, \fB\-v\fR
print the version
.SH SETTINGS
.TP
\fB\-\-rope\fR \fIVALUE\fR
how thick
(default: "x")
[$CRANE_ROPE]
.SH EXIT STATUS
.TP
\fB0\fR
done
.SH ENVIRONMENT
.TP
\fBLOAD\-*\fR
what hangs
.SH FILES
.TP
\fI/etc/crane\fR
the_rope
.SH EXAMPLES
.TP
\fBcrane hoist x\fR
lift x
.SH SEE ALSO
.BR rope (5),
.BR crane\-hoist (8)
`

func TestPages(t *testing.T) {
	pages := sample().Pages("v1-x", "2026-01-02")
	var paths []string
	for _, p := range pages {
		paths = append(paths, p.Path)
	}
	if d := cmp.Diff([]string{"man/crane.8", "man/crane-hoist.8"}, paths); d != "" {
		t.Fatalf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(wantPage, pages[0].Text); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, want := range []string{".BR crane (8),\n.BR rope (5)\n", "\\fB\\-\\-height\\fR, \\fB\\-H\\fR \\fIMETRES\\fR\nto METRES, a|b\n(default: 3)\n", "ostrich.yaml(5)"} {
		if !strings.Contains(pages[1].Text, want) {
			t.Errorf("%s lacks %q:\n%s", paths[1], want, pages[1].Text)
		}
	}
}

// The page of the file names every setting, its option and its variable, and
// the secret only as a variable.
func TestSettings(t *testing.T) {
	page := Settings("v1", "2026-01-02")
	if page.Path != "man/ostrich.yaml.5" {
		t.Errorf("path %s", page.Path)
	}
	c := configuration.Default()
	for _, s := range configuration.Settings(&c) {
		key := ".TP\n\\fB" + roffText(s.Key) + "\\fR\n"
		if strings.Contains(page.Text, key) == s.NoFlag {
			t.Errorf("%s: named as a key is %t", s.Key, s.NoFlag)
		}
		if !strings.Contains(page.Text, s.Env()) {
			t.Errorf("%s: %s is not named", s.Key, s.Env())
		}
	}
	// What the examples show can be read.
	for _, b := range blocks(settingsExample) {
		if !b.fixed {
			continue
		}
		if err := c.Read("example", []byte(strings.Join(b.flush(), "\n"))); err != nil {
			t.Error(err)
		}
	}
}

func TestWrite(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	if err := write(folder, []Page{{"a/b.1", "text"}}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(folder, "a", "b.1")); err != nil || string(got) != "text" {
		t.Errorf("%q %v", got, err)
	}
	if err := write(filepath.Join(folder, "a", "b.1"), []Page{{"c", ""}}); err == nil {
		t.Error("a file in place of the folder is no error")
	}
}
