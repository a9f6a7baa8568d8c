package ostrich

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/scalar"
)

var update = flag.Bool("update", false, "rewrite the scenarios in testdata with what the schedule says now")

// TestScenarios plays the stories in testdata/*.txt. Each line is a command;
// those that answer are followed by "----" and the answer, up to a blank line.
//
//	new procs=6 rule=arrival threshold=60 late=reopen machine=parallel gate=demote inside=lpt
//	submit at=0 job=1 user=1 procs=2 estimate=60 tasks=1 group=0
//	start at=5 job=1
//	end at=9 job=1
//	shares at=9 a=3 a/1=1 2=1        accounts by name, users by number
//	advance at=20
//	order
//	describe
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := play(text)
			if err != nil {
				t.Fatalf("%s:%v", file, err)
			}
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, have := strings.Split(string(text), "\n"), strings.Split(string(got), "\n")
			for i := range want {
				if i >= len(have) || have[i] != want[i] {
					t.Fatalf("%s:%d: want\n%s\ngot\n%s\nRewrite with -update if it is better.", file, i+1, want[i], got)
				}
			}
		})
	}
}

// play returns the story with the answers of today.
func play(text []byte) ([]byte, error) {
	var (
		out     bytes.Buffer
		s       *Schedule
		jobs    = make(map[JobID]Job)
		lines   = bufio.NewScanner(bytes.NewReader(text))
		n       int
		skip    bool
		trouble error
	)
	for lines.Scan() {
		n++
		line := lines.Text()
		if skip {
			skip = line != ""
			if !skip {
				fmt.Fprintln(&out)
			}
			continue
		}
		if line == "----" {
			skip = true
			continue
		}
		fmt.Fprintln(&out, line)
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		s, trouble = command(&out, s, jobs, words[0], words[1:])
		if trouble != nil {
			return nil, fmt.Errorf("%d: %w", n, trouble)
		}
	}
	return out.Bytes(), lines.Err()
}

// command does what one line says.
func command(out *bytes.Buffer, s *Schedule, jobs map[JobID]Job, verb string, words []string) (*Schedule, error) {
	args := make(map[string]string)
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return nil, fmt.Errorf("%q: no key=value", w)
		}
		args[key] = value
	}
	var errs []error
	number := func(key string) int {
		value, ok := args[key]
		delete(args, key)
		if !ok {
			return 0
		}
		n, err := strconv.Atoi(value)
		errs = append(errs, err)
		return n
	}
	if verb == "new" {
		o := Options{Procs: number("procs"), Rule: campaign.Rule{Threshold: Duration(number("threshold"))}}
		for key, value := range args {
			var err error
			switch key {
			case "rule":
				o.Rule.By, err = scalar.Named[campaign.By](campaign.ByNames, value)
			case "late":
				o.Late, err = scalar.Named[Late](LateNames, value)
			case "machine":
				o.Machine, err = scalar.Named[Machine](MachineNames, value)
			case "gate":
				o.Gate, err = scalar.Named[Gate](GateNames, value)
			case "inside":
				o.Inside, err = scalar.Named[Inside](InsideNames, value)
			default:
				err = fmt.Errorf("%s: unknown", key)
			}
			errs = append(errs, err)
		}
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		return New(o)
	}
	if s == nil {
		return nil, errors.New("no schedule yet")
	}
	e := Event{At: Time(number("at"))}
	id := JobID(number("job"))
	j := jobs[id]
	switch verb {
	case "submit":
		e.Kind = Submit
		j = Job{
			ID: id, User: UserID(number("user")), Procs: number("procs"), Estimate: Duration(number("estimate")),
			Tasks: number("tasks"), Group: JobID(number("group")), Submit: e.At,
		}
	case "start":
		e.Kind, j.Start = Start, e.At
	case "end":
		e.Kind, j.End = End, e.At
	case "shares":
		e.Kind, e.Shares = Reshare, &Shares{}
		for _, w := range words {
			path, weight, _ := strings.Cut(w, "=")
			x, err := strconv.ParseFloat(weight, 64)
			errs = append(errs, err)
			account, user, below := strings.Cut(path, "/")
			if !below {
				account, user = "", path
			}
			if u, err := strconv.Atoi(user); err == nil {
				e.Shares.Users = append(e.Shares.Users, UserShare{User: UserID(u), Account: account, Weight: x})
			} else if path != "at" {
				e.Shares.Accounts = append(e.Shares.Accounts, Account{Name: user, Parent: account, Weight: x})
			}
		}
	case "advance":
		errs = append(errs, s.AdvanceTo(e.At))
	case "order", "describe":
		fmt.Fprintln(out, "----")
		if verb == "describe" {
			out.WriteString(s.Describe())
			break
		}
		for _, p := range s.Order() {
			fmt.Fprintf(out, "job %d  user %d #%d", p.Job, p.User, p.Campaign)
			if p.Gated {
				out.WriteString("  gated")
			}
			out.WriteByte('\n')
		}
	default:
		errs = append(errs, fmt.Errorf("%s: unknown", verb))
	}
	if e.Kind != 0 {
		jobs[id] = j
		e.Job = j
		errs = append(errs, s.Step(e))
	}
	return s, errors.Join(errs...)
}
