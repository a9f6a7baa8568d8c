package testbed_test

import (
	"encoding/json"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// advised is something wrong that ostrich check finds: what makes it wrong, and how the
// test does what it cannot do to the letter.
type advised struct {
	what    string
	set     []string // lines of slurm.conf
	args    []string // settings of OStrich
	as      string   // who runs check; "" for the operator
	arrange func(*testing.T)
	wrong   []string                    // findings: check, space, beginning of what is found
	by      map[string]func(*testing.T) // an advice and how the test follows it; nil for one that asks for nothing
	mended  []string                    // settings that an advice of by names
	remains []string                    // checks that tell of what is not to be changed
	clean   func(*testing.T)
}

// finding is one of check's.
type finding struct{ Check, Result, Found, Mend string }

// findings runs check and returns what is not ok.
func (b *bed) findings(t *testing.T, c *advised, args ...string) (wrong []finding) {
	t.Helper()
	as := c.as
	if as == "" {
		as = operator
	}
	r := b.try(t, as, "ostrich", append([]string{"check", "--json", "--config", b.config}, args...)...)
	var all struct{ Checks []finding }
	if err := json.Unmarshal([]byte(r.stdout), &all); err != nil {
		t.Fatalf("check: %v\n%s%s", err, r.stdout, r.stderr)
	}
	for _, f := range all.Checks {
		if f.Result != "ok" {
			wrong = append(wrong, f)
		}
	}
	return wrong
}

// slurmConf are lines of slurm.conf that replace those of a testbed.
type slurmConf []string

func (s *slurmConf) put(key, value string) {
	s.remove(key)
	*s = append(*s, key+"="+value)
}

func (s *slurmConf) remove(key string) {
	*s = slices.DeleteFunc(*s, func(line string) bool { return strings.HasPrefix(line, key+"=") })
}

// value is that of a key, in these lines or in the testbed's file.
func (s *slurmConf) value(t *testing.T, b *bed, key string) string {
	t.Helper()
	text, err := os.ReadFile(b.conf)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range append(slices.Clone(*s), strings.Split(string(text), "\n")...) {
		if value, found := strings.CutPrefix(line, key+"="); found {
			return value
		}
	}
	return ""
}

var (
	removes  = regexp.MustCompile(`^remove (\S+) from slurm\.conf's (\w+)$`)
	drops    = regexp.MustCompile(`^remove (\w+) from slurm\.conf$`)
	sets     = regexp.MustCompile(`^(?:set )?(\w+)=(\S+) in slurm\.conf$`)
	adds     = regexp.MustCompile(`^add (\S+) to slurm\.conf's (\w+)(?:, in place of what it has of them)?$`)
	divides  = regexp.MustCompile(`^divide all PriorityWeight\* of slurm\.conf by (\d+)$`)
	settings = regexp.MustCompile(`^(?:set )?[a-z_.]+: [\w=]+(?: and [a-z_.]+: [\w=]+)*(?: or more)?$`)
	setting  = regexp.MustCompile(`([a-z_.]+): ([\w=]+)`)
	commands = regexp.MustCompile(`^(?:[a-z ]+: )?((?:sacctmgr|install|chown) .*)$`)
)

// follow does what an advice says, and returns the settings that it names.
func (b *bed) follow(t *testing.T, c *advised, conf *slurmConf, advice string) (args []string) {
	t.Helper()
	do, known := c.by[advice]
	if known {
		if do != nil {
			do(t)
		}
		return c.mended
	}
	if m := removes.FindStringSubmatch(advice); m != nil {
		rest := slices.DeleteFunc(strings.Split(conf.value(t, b, m[2]), ","), func(e string) bool {
			name, _, _ := strings.Cut(e, "=")
			is, err := path.Match(m[1], name)
			return err == nil && is
		})
		if conf.remove(m[2]); len(rest) > 0 {
			conf.put(m[2], strings.Join(rest, ","))
		}
		return nil
	}
	if m := drops.FindStringSubmatch(advice); m != nil {
		conf.remove(m[1])
		return nil
	}
	if m := sets.FindStringSubmatch(advice); m != nil {
		conf.put(m[1], m[2])
		return nil
	}
	if m := adds.FindStringSubmatch(advice); m != nil {
		// Of two settings of one option slurmctld takes the first.
		added := strings.Split(m[1], ",")
		rest := slices.DeleteFunc(strings.Split(conf.value(t, b, m[2]), ","), func(e string) bool {
			name, _, _ := strings.Cut(e, "=")
			return e == "" || slices.ContainsFunc(added, func(a string) bool { return strings.HasPrefix(a, name+"=") })
		})
		conf.put(m[2], strings.Join(append(rest, added...), ","))
		return nil
	}
	if m := divides.FindStringSubmatch(advice); m != nil {
		for _, name := range []string{"Age", "Assoc", "Fairshare", "JobSize", "Partition", "QOS"} {
			if value := conf.value(t, b, "PriorityWeight"+name); value != "" {
				conf.put("PriorityWeight"+name, strconv.FormatInt(number(t, value)/number(t, m[1]), 10))
			}
		}
		return nil
	}
	if settings.MatchString(advice) {
		for _, m := range setting.FindAllStringSubmatch(advice, -1) {
			args = append(args, "--"+strings.NewReplacer(".", "-", "_", "-").Replace(m[1]), m[2])
		}
		return args
	}
	if m := commands.FindStringSubmatch(advice); m != nil {
		b.do(t, "root", "sh", "-c", m[1])
		return nil
	}
	t.Errorf("%s: nobody knows how to follow the advice %q", c.what, advice)
	return nil
}

// restart starts slurmctld with lines of slurm.conf, unless it has them.
func (b *bed) restart(t *testing.T, has *slurmConf, conf slurmConf) {
	t.Helper()
	if slices.Equal(*has, conf) {
		return
	}
	options := []string{"--set", ""}
	for _, line := range conf {
		options = append(options, "--set", line)
	}
	b.start(t, options...)
	*has = slices.Clone(conf)
}

// TestAdvice follows every advice of check: what was found is gone then.
func TestAdvice(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "advice")
	var has slurmConf
	for _, c := range b.advised(t) {
		part(t, c.what, func(t *testing.T) { b.testAdvice(t, &c, &has) })
	}
}

func (b *bed) testAdvice(t *testing.T, c *advised, has *slurmConf) {
	t.Cleanup(func() {
		if c.clean != nil {
			c.clean(t)
		}
	})
	find := func(found []finding, wrong string) (finding, bool) {
		i := slices.IndexFunc(found, func(f finding) bool { return strings.HasPrefix(f.Check+" "+f.Found, wrong) })
		if i < 0 {
			return finding{}, false
		}
		return found[i], true
	}
	broken := func() []finding {
		t.Helper()
		b.restart(t, has, c.set)
		if c.arrange != nil {
			c.arrange(t)
		}
		var found []finding
		eventually(t, "check finds it", func() string {
			found = b.findings(t, c, c.args...)
			for _, wrong := range c.wrong {
				if _, is := find(found, wrong); !is {
					return "check does not find " + wrong
				}
			}
			return ""
		})
		for _, f := range found {
			if !slices.ContainsFunc(c.wrong, func(wrong string) bool { return strings.HasPrefix(f.Check+" "+f.Found, wrong) }) {
				t.Errorf("check also finds %+v", f)
			}
		}
		return found
	}
	mended := func(conf slurmConf, args []string, wrong ...string) {
		t.Helper()
		b.restart(t, has, conf)
		eventually(t, "check finds nothing wrong", func() string {
			for _, f := range b.findings(t, c, append(slices.Clone(c.args), args...)...) {
				named := slices.ContainsFunc(wrong, func(wrong string) bool {
					check, _, _ := strings.Cut(wrong, " ")
					return check == f.Check
				})
				if named && !slices.Contains(c.remains, f.Check) {
					return f.Check + ": " + f.Found + "; " + f.Mend
				}
			}
			return ""
		})
	}

	// First the first advice of each, all together, and then each other one alone.
	found := broken()
	conf, args := slurmConf(slices.Clone(c.set)), []string(nil)
	for _, wrong := range c.wrong {
		f, _ := find(found, wrong)
		args = append(args, b.follow(t, c, &conf, strings.Split(f.Mend, ", or ")[0])...)
	}
	mended(conf, args, c.wrong...)
	for _, wrong := range c.wrong {
		f, _ := find(found, wrong)
		for _, other := range strings.Split(f.Mend, ", or ")[1:] {
			if do, known := c.by[other]; known && do == nil && len(c.mended) == 0 {
				continue // it asks for nothing
			}
			// Lines of slurm.conf alone have been found already, and one advice about them replaces another.
			if c.arrange != nil || len(c.set) == 0 {
				broken()
			}
			conf := slurmConf(slices.Clone(c.set))
			args := b.follow(t, c, &conf, other)
			mended(conf, args, strings.SplitN(wrong, " ", 2)[0])
		}
	}
}

// grants runs contrib/mysql/grants.sql with a password, as docs/deploy.md does.
func (b *bed) grants(t *testing.T, password string) {
	t.Helper()
	text, err := os.ReadFile("../mysql/grants.sql")
	if err != nil {
		t.Fatal(err)
	}
	cmd := b.command(t, "root", "mariadb", "--no-defaults", "--protocol=socket", "--socket="+b.dir+"/run/mysql/mysqld.sock", "--user=root")
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(string(text), "change-me", password))
	if r := finish(t, cmd); r.code != 0 {
		t.Fatalf("grants.sql: exit code %d\n%s", r.code, r.stderr)
	}
}
