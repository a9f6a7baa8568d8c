package configuration

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/scripttest"
)

const intro = `# Configuration

` + "`ostrichd` and `ostrich`" + ` read the same settings. Each is a flag, an environment variable and a key of a file, and each
has a default: nothing has to be set where slurmdbd's database is on the same machine and lets the account ` + "`ostrich`" + ` in
without a password.

**What wins.** A flag wins over the environment, the environment over the file, and the file over the default. An empty
environment variable counts as set. ` + "`ostrichd --show-config`" + ` prints what is in effect, as a file that can be used.

**The file** is ` + "`" + DefaultFile + "`" + `; ` + "`--config FILE` or `OSTRICH_CONFIG`" + ` names another. It is YAML. A key that is
not known, is set twice or has an invalid value is an error that names the line; nothing starts half configured.
A missing file is the same as an empty one, unless it was named.

**Secrets.** The password of the database account comes from a file of its own, ` + "`database.password_file`" + `, or from the
environment variable ` + "`OSTRICH_DATABASE_PASSWORD`" + `. It is never a flag, which every user of the machine could read, never
a key of the file, and never printed or logged. The file has to be readable for the user of ostrichd alone; with systemd,
` + "`LoadCredential=`" + ` and ` + "`$CREDENTIALS_DIRECTORY/NAME`" + ` keep it readable for root alone.

**Writing.** Without ` + "`mode: enforce` or `ostrichd --apply`" + ` nothing is written to Slurm.

**Changing.** ostrichd reads the file again on SIGHUP (` + "`systemctl reload ostrichd`" + `). A file with an error changes nothing,
and neither does one with settings that cannot work here (a database that does not answer, a password that it denies, commands that are not there, an address that is taken), one that sets nothing or is gone, or one that does not say
` + "`mode`" + ` any more while priorities are written: say ` + "`mode: observe`" + ` ([ADR 38](adr/0038-what-works-stays.md)). Settings from a pipe are read once.
` + "`listen`, `status.listen`, `status.hosts` and the path `web.config_file`" + ` take effect at the next start. The content of
` + "`web.config_file` counts at once, without a reload ([security](security.md#tls-and-passwords))" + `.

Lengths of time are written as ` + "`90s`, `10m`, `12h` or `14d`" + `. Lists are written with commas, and in the file also as YAML
lists. The tables below are made from the program; a test compares them.

## Settings

| key | flag | environment | default | meaning |
|---|---|---|---|---|
`

// document is docs/configuration.md.
func document() string {
	var b strings.Builder
	b.WriteString(intro)
	c := Default()
	for _, s := range Settings(&c) {
		key, flag, def := "`"+s.Key+"`", "`--"+s.Flag()+"`", s.Value.String()
		if s.NoFlag {
			key, flag = "–", "–"
		}
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %s |\n", key, flag, s.Env(), def, strings.ReplaceAll(s.Usage, "|", "\\|"))
	}
	b.WriteString("\nOnly as flags, and as variables where one is named: `--config FILE` (`OSTRICH_CONFIG`), and of ostrichd\n" +
		"`--apply`, `--once` and `--show-config`.\n\n" +
		"## The whole file\n\nThis is `contrib/ostrich.yaml`: everything is commented out and shows its default.\n\n" +
		"```yaml\n" + sample() + "```\n")
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
