package configuration

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/urfave/cli/v2"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/tools"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/priority"
)

var sameConfig = cmp.Options{cmp.AllowUnexported(Config{}), cmpopts.EquateEmpty()}

// anyConfig draws a configuration that is possible, sensible or not.
func anyConfig() *rapid.Generator[Config] {
	return rapid.Custom(func(t *rapid.T) Config {
		c := Default()
		name := rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9_.-]{0,8}`)
		for _, s := range Settings(&c) {
			if s.NoFlag || rapid.Bool().Draw(t, "default") {
				continue
			}
			switch v := s.Value.(type) {
			case text:
				*v.at = rapid.String().Draw(t, s.Key)
			case Choice:
				v.set(rapid.IntRange(0, len(v.of)-1).Draw(t, s.Key))
			case truth:
				*v.at = rapid.Bool().Draw(t, s.Key)
			case number:
				*v.at = rapid.IntRange(0, 1<<31-1).Draw(t, s.Key)
			case span:
				*v.at = time.Duration(rapid.Int64Range(int64(v.least), int64(1000*Day)).Draw(t, s.Key))
			case rule:
				v.at.By = campaign.By(rapid.IntRange(0, len(campaign.ByNames)-1).Draw(t, s.Key)) //nolint:gosec // few
				if v.at.By.Timed() {
					v.at.Threshold = ostrich.Duration(rapid.Int64Range(1, 1000*86400).Draw(t, "threshold"))
				}
			case resource:
				*v.at = rapid.SampledFrom([]string{Auto, "cpu", "billing", "mem", "gres/gpu", "gres/gpu:A100"}).Draw(t, s.Key)
			case mode:
				if *v.points = rapid.IntRange(0, 1<<31-1).Draw(t, s.Key); *v.points > 0 {
					*v.at = priority.Weight
				}
			case tls:
				if v.words().set(rapid.IntRange(0, 3).Draw(t, s.Key)); *v.at == "on" {
					*v.authority = rapid.SampledFrom([]string{"", "/etc/ssl/db.pem", "/a b"}).Draw(t, "authority")
				}
			case instant:
				*v.at = ostrich.Time(rapid.SampledFrom([]int64{0, 1800000000, 1900000001, 2000000460}).Draw(t, s.Key))
			case list:
				*v.at = rapid.SliceOfN(name, 0, 3).Draw(t, s.Key)
			case pools:
				for i := range rapid.IntRange(0, 3).Draw(t, s.Key) {
					*v.at = append(*v.at, ostrich.Pool{
						Name: fmt.Sprintf("%d%s", i, name.Draw(t, "pool")), Partitions: rapid.SliceOfN(name, 0, 3).Draw(t, "partitions"),
					})
				}
			case siteTools:
				for i := range rapid.IntRange(0, 3).Draw(t, s.Key) {
					row := tools.Row{Name: strconv.Itoa(i) + rapid.StringMatching(`[ -~é]{0,8}`).Draw(t, "tool"), Pilot: true}
					for k := range tools.PlaceNames {
						row.Patterns = append(row.Patterns, tools.Source{In: tools.Place(k), Text: rapid.SampledFrom([]string{`^a'"\.(?P<class>.+)$`, "#x: <y>", `(?P<campaign2>é|[{}&])`, ""}).Draw(t, "pattern")}) //nolint:gosec // few
					}
					*v.at = append(*v.at, row)
				}
			case accepted:
				*v.at = rapid.OneOf(
					rapid.SampledFrom([]satisfaction.Acceptance{satisfaction.Lower, satisfaction.Upper}),
					rapid.Just(satisfaction.Acceptance{Slope: 2 + float64(rapid.IntRange(1, 1e6).Draw(t, "c1"))/1000, Offset: -0.1, Reading: satisfaction.Literal}),
				).Draw(t, s.Key)
				*v.shown = true
			default:
				t.Fatalf("%s: no kind of value that is known", s.Key)
			}
		}
		return c
	})
}

// What Show writes, Read takes.
func TestShowRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyConfig().Draw(t, "config")
		var file bytes.Buffer
		if err := want.Show(&file); err != nil {
			t.Fatal(err)
		}
		got := Default()
		if err := got.Read("shown", file.Bytes()); err != nil {
			t.Fatalf("%v in\n%s", err, &file)
		}
		if d := cmp.Diff(want, got, sameConfig); d != "" {
			t.Fatalf("read again (-want +got):\n%s\nfrom\n%s", d, &file)
		}
	})
}

// Each value can be set from its own text, as a flag or variable gives it,
// whatever it was before.
func TestStringSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, got := anyConfig().Draw(t, "config"), anyConfig().Draw(t, "before")
		to := Settings(&got)
		for i, s := range Settings(&want) {
			if err := to[i].Value.Set(s.Value.String()); err != nil {
				t.Fatalf("%s: %v", s.Key, err)
			}
		}
		if d := cmp.Diff(want, got, sameConfig); d != "" {
			t.Fatalf("set again (-want +got):\n%s", d)
		}
	})
}

func TestSetRefuses(t *testing.T) {
	c := Default()
	settings := make(map[string]Value)
	for _, s := range Settings(&c) {
		settings[s.Key] = s.Value
	}
	for _, test := range []struct{ key, text, want string }{
		{"mode", "Observe", `"Observe" is none of observe, enforce, trial`},
		{"campaign.rule", "groups", `"groups" is none of max, last, arrival, window`},
		{"campaign.rule", "max=1m", `max takes no time`},
		{"campaign.rule", "window=soon", `"soon" is not a length of time such as 90s, 10m, 12h or 14d`},
		{"campaign.rule", "window=0s", `0s is too short; the least is 1s`},
		{"priority.mode", "weight", `"weight": weight needs its priority points, from 1 to 2147483647, as in weight=5000`},
		{"priority.mode", "weight=0", `"weight=0": weight needs its priority points, from 1 to 2147483647, as in weight=5000`},
		{"priority.mode", "weight=-1", `"weight=-1": weight needs its priority points, from 1 to 2147483647, as in weight=5000`},
		{"priority.mode", "strict=1", `"strict=1" is neither strict nor weight=N`},
		{"schedule.resource", "gpus", `"gpus" is none of auto, cpu, billing, node, mem, gres/NAME`},
		{"schedule.resource", "license/matlab", `"license/matlab" is none of auto, cpu, billing, node, mem, gres/NAME`},
		{"schedule.resource", "gres/", `"gres/" is none of auto, cpu, billing, node, mem, gres/NAME`},
		{"schedule.resource", "", `"" is none of auto, cpu, billing, node, mem, gres/NAME`},
		{"database.tls", "ca.pem", `"ca.pem" is none of off, preferred, on, skip-verify, or the path of a PEM file from / on`},
		{"satisfaction", "best", `"best": want median, .25, .75 or C1,C2`},
		{"satisfaction", "0.9,0", `"0.9,0": c1 = 0.9, c2 = 0 min: S(p) is 1 for every length, so no wait is accepted for any job; want c1 above 1 or c2 above 0`},
		{"interval", "", `"" is not a length of time such as 90s, 10m, 12h or 14d`},
		{"interval", "-5s", `"-5s" is not a length of time such as 90s, 10m, 12h or 14d`},
		{"interval", "999999999999d", `"999999999999d" is not a length of time such as 90s, 10m, 12h or 14d`},
		{"interval", "1e3d", `"1e3d" is not a length of time such as 90s, 10m, 12h or 14d`},
		{"interval", "999ms", `999ms is too short; the least is 1s`},
		{"interval.min", "500ms", `500ms is too short; the least is 1s`},
		{"priority.depth", "1e3", `"1e3" is not a whole number from 0 to 2147483647`},
		{"priority.depth", "2147483648", `"2147483648" is not a whole number from 0 to 2147483647`},
		{"metrics.per_user", "yes", `"yes" is neither true nor false`},
		{"pools", "gpu", `"gpu" is not of the form name=partition,partition`},
		{"pools", "=gpu", `"=gpu" is not of the form name=partition,partition`},
		{"pools", "a=b=c", `"a=b=c" is not of the form name=partition,partition`},
	} {
		before := settings[test.key].String()
		err := settings[test.key].Set(test.text)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s %q: %v, want %s", test.key, test.text, err, test.want)
		}
		if after := settings[test.key].String(); after != before {
			t.Errorf("%s %q: an error left %q", test.key, test.text, after)
		}
	}
}

func TestDefault(t *testing.T) {
	c := Default()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

// Every setting is a flag, a variable and a key, but for the secret.
func TestFlags(t *testing.T) {
	c := Default()
	var want, got []string
	for _, s := range Settings(&c) {
		if s.NoFlag {
			continue
		}
		def := s.Value.String()
		if def == "" {
			def = "empty"
		}
		want = append(want, fmt.Sprintf("--%s $%s (%s) %s", s.Flag(), s.Env(), def, s.Usage))
	}
	for _, f := range Flags(false)[1:] {
		switch d := f.(type) {
		case *cli.StringFlag:
			got = append(got, fmt.Sprintf("--%s $%s (%s) %s", d.Name, d.EnvVars[0], d.DefaultText, d.Usage))
		case *cli.BoolFlag:
			got = append(got, fmt.Sprintf("--%s $%s (%s) %s", d.Name, d.EnvVars[0], d.DefaultText, d.Usage))
		default:
			t.Fatalf("%v is neither text nor true or false", f.Names())
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("flags (-settings +flags):\n%s", d)
	}
	key := regexp.MustCompile(`^[a-z_]+(\.[a-z_]+)?$`)
	for _, s := range Settings(&c) {
		if !key.MatchString(s.Key) {
			t.Errorf("key %q", s.Key)
		}
		if s.Usage == "" || strings.HasSuffix(s.Usage, ".") {
			t.Errorf("%s: help text %q is not a phrase without a full stop", s.Key, s.Usage)
		}
	}
}

// A field without a setting cannot be configured.
func TestEveryFieldIsASetting(t *testing.T) {
	c := Default()
	filled := c
	for _, s := range Settings(&filled) {
		switch v := s.Value.(type) {
		case text:
			*v.at += "x"
		case Choice:
			v.set((slices.Index(v.of, v.String()) + 1) % len(v.of))
		case truth:
			*v.at = !*v.at
		case number:
			*v.at++
		case span:
			*v.at++
		case rule:
			*v.at = campaign.Rule{By: campaign.Window, Threshold: 1}
		case mode:
			*v.at, *v.points = priority.Weight, 1
		case resource:
			*v.at = "node"
		case tls:
			*v.at, *v.authority = "on", "x"
		case instant:
			*v.at = 1
		case list:
			*v.at = []string{"x"}
		case pools:
			*v.at = []ostrich.Pool{{Name: "x"}}
		case siteTools:
			*v.at = []tools.Row{{Name: "x"}}
		case accepted:
			*v.at, *v.shown = satisfaction.Upper, true
		}
	}
	var walk func(at string, a, b reflect.Value)
	walk = func(at string, a, b reflect.Value) {
		for i := range a.NumField() {
			name := at + a.Type().Field(i).Name
			switch x, y := a.Field(i), b.Field(i); {
			case name == "file", name == "unit", name == "remote", name == "own", name == "probe", name == "Priority.Margin":
			case x.Kind() == reflect.Struct && name != "Satisfaction":
				walk(name+".", x, y)
			case fmt.Sprint(x) == fmt.Sprint(y):
				t.Errorf("%s has no setting", name)
			}
		}
	}
	walk("", reflect.ValueOf(c), reflect.ValueOf(filled))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("mode: observe\n"))
	f.Add([]byte("interval: 20s\ndatabase:\n  address: db\n  tls: on\n"))
	f.Add([]byte("interval: 20s\ninterval.min: 1s\n"))
	f.Add([]byte("pools:\n  gpu: [a, b]\n  cpu: c\nexclude: {users: [x]}\n"))
	f.Add([]byte("pools: {gpu: {a: b}}\n---\nx\n"))
	f.Add([]byte("tools:\n  a: {name: 'x(?P<class>.)', pilot: true}\n"))
	f.Add([]byte("mode: &a observe\ncluster: *a\n<<: *b\n"))
	f.Add([]byte("? [a]\n: b\n\x00"))
	f.Add([]byte("\xff\xfe"))
	f.Add([]byte("a: *nobody"))
	line := regexp.MustCompile(`(?m)^configuration: FILE:[1-9][0-9]*: .`)
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := Default()
		err := c.Read("FILE", raw)
		if err != nil {
			for text := range strings.SplitSeq(err.Error(), "\n") {
				if strings.HasPrefix(text, "configuration: ") && !line.MatchString(text) {
					t.Errorf("%q names no line", text)
				}
			}
			if !line.MatchString(err.Error()) {
				t.Errorf("%q names no line", err)
			}
			return
		}
		var shown bytes.Buffer
		if err := c.Show(&shown); err != nil {
			t.Fatal(err)
		}
		again := Default()
		if err := again.Read("shown", shown.Bytes()); err != nil {
			t.Fatalf("%v in\n%s", err, &shown)
		}
	})
}

// A file has interval and interval.min side by side.
func TestIntervals(t *testing.T) {
	for _, tt := range []struct {
		file           string
		longest, least time.Duration
		err            string
	}{
		{"{}", 30 * time.Second, 2 * time.Second, ""},
		{"interval: 1m\ninterval.min: 5s\n", time.Minute, 5 * time.Second, ""},
		{"interval.min: 5s\ninterval: 5s\n", 5 * time.Second, 5 * time.Second, ""},
		{"interval: 1s\n", time.Second, 2 * time.Second, ""}, // the default gives way
		{"interval: 4s\ninterval.min: 5s\n", 4 * time.Second, 5 * time.Second, "configuration: interval.min: 5s is longer than interval, 4s"},
		{"interval.min: 1m\n", 30 * time.Second, time.Minute, "configuration: interval.min: 1m is longer than interval, 30s"},
	} {
		c := Default()
		if err := c.Read("ostrich.yaml", []byte(tt.file)); err != nil {
			t.Error(err)
			continue
		}
		if c.Interval != tt.longest || c.MinInterval != tt.least {
			t.Errorf("%q: interval %v, interval.min %v", tt.file, c.Interval, c.MinInterval)
		}
		if err := c.Validate(); tt.err == "" && err != nil || tt.err != "" && (err == nil || err.Error() != tt.err) {
			t.Errorf("%q: %v, want %s", tt.file, err, tt.err)
		}
	}
	c := Default()
	if err := c.Read("ostrich.yaml", []byte("interval:\n  min: 5s\n")); err == nil {
		t.Error("interval.min below interval is accepted, where the longest pause has no place")
	}
}

func TestUserHeader(t *testing.T) {
	c := Default()
	c.Status.UserHeader = "X-Remote-User"
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.Status.UserHeader = "Remote_User: x"
	want := `configuration: status.user_header: "Remote_User: x": only letters, digits and - may be in a header's name`
	if err := c.Validate(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestHostsAreNames(t *testing.T) {
	for _, wrong := range []string{"cluster.example.org:9344", "https://cluster.example.org"} {
		c := Default()
		c.Status.Hosts = []string{"cluster", wrong}
		want := fmt.Sprintf("configuration: status.hosts: %q: a name alone is wanted, without port or scheme", wrong)
		if err := c.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	c := Default()
	c.Status.Hosts = []string{"cluster.example.org", "*"}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}
