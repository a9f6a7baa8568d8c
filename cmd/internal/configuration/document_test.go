package configuration

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/scripttest"
)

var intro = strings.ReplaceAll(`# Configuration

¬ostrichd¬ and ¬ostrich¬ read the same settings. Each has a default: nothing has to be set where slurmdbd's database is on the same machine
and lets the account ¬ostrich¬ in without a password. [Tune](tune.md) says which are worth a thought.

**Where.** Each setting is a key of the file ¬`+DefaultFile+`¬ (¬--config FILE¬ or ¬OSTRICH_CONFIG¬ names another), a flag and an
environment variable: ¬database.password_file¬ is also ¬--database-password-file¬ and ¬OSTRICH_DATABASE_PASSWORD_FILE¬. A flag wins over the
environment, the environment over the file, and the file over the default. An empty variable counts as set, but an empty
¬OSTRICH_CONFIG¬ names no file. A variable of which the name is nearly that of a setting is an error. ¬ostrichd --show-config¬ prints what
is in effect.

**The file** is YAML. What stands before a key's dot is a section; only ¬interval.min¬ is written whole:

¬¬¬yaml
interval.min: 5s
database:
  address: db.example.org:3306
¬¬¬

A key that is not known, is set twice or has an invalid value is an error that names the line. The packages install
[one](../contrib/ostrich.yaml) in which all settings stand with their defaults, commented out. Lengths of time are ¬90s¬, ¬10m¬, ¬12h¬ or
¬14d¬. Lists are written with commas, or as YAML lists.

**The password** of the database account comes from the file that ¬database.password_file¬ names, or from the variable
¬OSTRICH_DATABASE_PASSWORD¬, never from a flag or a key. The file has to be readable for the user of ostrichd alone, or, with systemd's
¬LoadCredential=¬, [for root alone](deploy.md#2-a-database-account-that-can-only-read).

**Changing.** ostrichd reads the file again on SIGHUP (¬systemctl reload ostrichd¬); settings from a pipe are read once. If the new settings
have an error or cannot work here (a database that does not answer, an address that is taken), the old ones stay, and the log says why. They
also stay if the file is gone or sets nothing. To end the writing say ¬mode: observe¬: to delete the line ¬mode¬ does not do it
([ADR 38](adr/0038-what-works-stays.md)). ¬listen¬, ¬status.listen¬, ¬status.hosts¬ and the path ¬web.config_file¬ take effect at the next
start; the content of that file counts at once.

## Settings

The table is made from the program.

| key | default | meaning |
|---|---|---|
`, "¬", "`")

// document is docs/configuration.md.
func document() string {
	var b strings.Builder
	b.WriteString(intro)
	c := Default()
	for _, s := range Settings(&c) {
		if s.NoFlag {
			continue
		}
		def := s.Value.String()
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Key, def, strings.ReplaceAll(s.Usage, "|", "\\|"))
	}
	b.WriteString("\nOnly as flags: `--config FILE`, and of ostrichd `--apply` (as `mode: enforce`), `--once` and `--show-config`.\n")
	return b.String()
}

// sample is contrib/ostrich.yaml.
func sample() string {
	var b strings.Builder
	b.WriteString("# Settings of ostrichd and ostrich, for " + DefaultFile + ".\n" +
		"# Everything is commented out and shows its default; see docs/configuration.md.\n")
	c := Default()
	section := ""
	for _, s := range Settings(&c) {
		if s.NoFlag {
			continue
		}
		above, key, nested := inFile(s.Key)
		indent := "  "
		switch {
		case !nested:
			above, key, indent = "", s.Key, ""
			b.WriteByte('\n')
		case above != section:
			fmt.Fprintf(&b, "\n#%s:\n", above)
		}
		section = above
		fmt.Fprintf(&b, "%[1]s# %[2]s\n%[1]s#%[3]s: %[4]s\n", indent, s.Usage, key, quote(s.Value.String()))
	}
	return b.String()
}

// TestDocuments compares the documents with the settings; -update writes them.
func TestDocuments(t *testing.T) {
	for file, want := range map[string]string{
		"../../../docs/configuration.md": document(), "../../../contrib/ostrich.yaml": sample(),
	} {
		scripttest.Golden(t, file, want)
	}
}

// The sample is a file that can be read, and with its settings uncommented it
// sets each to its default.
func TestSample(t *testing.T) {
	got := Default()
	if err := got.Read("ostrich.yaml", []byte(sample())); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Default(), got, sameConfig); d != "" {
		t.Errorf("the sample changes something (-default +sample):\n%s", d)
	}
	text := regexp.MustCompile(`(?m)^( *)#([^ #])`).ReplaceAllString(sample(), "$1$2")
	var empty Config
	empty.Priority.Margin = Default().Priority.Margin // no setting
	if err := empty.Read("ostrich.yaml", []byte(text)); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if d := cmp.Diff(Default(), empty, sameConfig); d != "" {
		t.Errorf("the sample is not the default (-default +sample):\n%s", d)
	}
}
