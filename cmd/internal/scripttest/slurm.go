package scripttest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fakes are the fake commands of a script.
var fakes = []string{"scontrol", "squeue", "sprio", "sdiag", "sacctmgr", "sshare"}

// configuration is the default of "scontrol show config".
const configuration = `Configuration data as of 2023-11-14T22:13:20
ClusterName             = c1
MinJobAge               = 300 sec
PriorityFlags           =
PriorityType            = priority/multifactor
PriorityWeightAge       = 1000
PriorityWeightFairShare = 8000
PriorityWeightTRES      = (null)
SchedulerParameters     = bf_continue
SLURM_VERSION           = 22.05.8
`

const partitions = "PartitionName=main Default=YES DefaultTime=NONE MaxTime=1-00:00:00 Nodes=n[1-2] " +
	"PriorityJobFactor=1 PriorityTier=1 State=UP TotalCPUs=32 TotalNodes=2\n"

// slurm is the fake commands, with the folder of the script's files.
type slurm struct {
	dir string
	out *bufio.Writer
}

// fake runs a fake command and returns its exit code.
func fake(command string, args []string) int {
	s := slurm{dir: os.Getenv("FAKE_SLURM"), out: bufio.NewWriter(os.Stdout)}
	err := s.fail(command)
	if err == nil {
		err = s.run(command, args)
	}
	err = errors.Join(err, s.out.Flush(), os.WriteFile(s.file("used-"+command), nil, 0o600))
	if err == nil {
		return 0
	}
	if said := strings.TrimSpace(err.Error()); said != "" {
		_, _ = fmt.Fprintln(os.Stderr, said) // nobody else could be told
	}
	return 1
}

// fail hangs or fails if the script wants the command to.
func (s slurm) fail(command string) error {
	if _, err := os.Stat(s.file("hang-" + command)); err == nil {
		time.Sleep(time.Minute)
	}
	words, err := os.ReadFile(s.file("fail-" + command))
	if err == nil {
		return errors.New(string(words))
	}
	return nil
}

// errQuiet makes a command fail without a message.
var errQuiet = errors.New("")

func (s slurm) file(name string) string { return filepath.Join(s.dir, name) }

// text returns the content of a file, or other if there is none.
func (s slurm) text(name, other string) string {
	raw, err := os.ReadFile(s.file(name))
	if err != nil {
		return other
	}
	return string(raw)
}

func (s slurm) log(line string) error {
	f, err := os.OpenFile(s.file("log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

func (s slurm) run(command string, args []string) error {
	if len(args) > 1 && args[0] == "-M" {
		if args[1] != "c1" {
			return fmt.Errorf("'%s' can't be reached now, or it is an invalid entry for --cluster", args[1])
		}
		args = args[2:]
	}
	switch command {
	case "scontrol":
		return s.scontrol(args)
	case "squeue", "sprio":
		return s.list(command, args)
	case "sdiag":
		clock := strings.TrimSpace(s.text("clock", strconv.Itoa(Epoch)))
		if clock == "now" {
			clock = strconv.FormatInt(time.Now().Unix(), 10)
		}
		_, err := fmt.Fprintf(s.out, "sdiag output at Tue Nov 14 22:13:20 2023 (%s)\nDBD Agent queue size: %s\n",
			clock, strings.TrimSpace(s.text("dbd", "0")))
		return err
	case "sshare":
		_, err := s.out.WriteString(s.text("sshare", ""))
		return err
	case "sacctmgr":
		if slices.Contains(args, "associations") {
			_, err := s.out.WriteString(s.text("associations", ""))
			return err
		}
		for line := range strings.Lines(s.text("admins", "")) {
			if name, level, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.Contains(strings.Join(args, " ")+" ", "name="+name+" ") {
				_, _ = fmt.Fprintf(s.out, "%s|%s\n", name, level) // Flush returns the error
			}
		}
		return nil
	}
	return fmt.Errorf("%s is no command of Slurm", command)
}

// option returns the value that follows an option.
func option(args []string, name string) string {
	for i, a := range args {
		if a == name && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

func (s slurm) list(command string, args []string) error {
	q, err := loadQueue(s.file("queue"))
	if err != nil {
		return err
	}
	if command == "sprio" && strings.Contains(s.text("config", ""), "priority/basic") {
		return errors.New("sprio: error: You are not running a supported priority plugin")
	}
	if command == "squeue" {
		if q, err = s.squeue(q, args); err != nil {
			return err
		}
	}
	for _, e := range q {
		field := e.squeue
		if command == "sprio" {
			field = e.sprio
			if !e.listed() {
				continue
			}
		} else if !strings.Contains(option(args, "-t"), e.state()) {
			continue
		}
		_, _ = fmt.Fprintln(s.out, fill(option(args, "-o"), field)) // Flush returns the error
	}
	return nil
}

func (s slurm) scontrol(args []string) error {
	switch said := strings.Join(args, " "); {
	case said == "show config":
		_, err := s.out.WriteString(configuration + s.text("config", ""))
		return err
	case strings.HasSuffix(said, "show partition"):
		_, err := s.out.WriteString(s.text("partitions", partitions))
		return err
	case strings.HasPrefix(said, "show hostnames"):
		prefix, set, ok := strings.Cut(strings.TrimSuffix(args[2], "]"), "[")
		if !ok {
			_, err := fmt.Fprintln(s.out, prefix)
			return err
		}
		for _, n := range expand(set) {
			_, _ = fmt.Fprintf(s.out, "%s%d\n", prefix, n) // Flush returns the error
		}
		return nil
	case strings.HasSuffix(said, "show assoc_mgr flags=qos"):
		_, err := s.out.WriteString(s.text("qos", ""))
		return err
	case said == "show federation":
		_, err := s.out.WriteString(s.text("federation", ""))
		return err
	case len(args) == 0:
		return s.commands()
	default:
		return fmt.Errorf("%q is not faked", said)
	}
}

// commands reads commands from standard input, as scontrol does.
func (s slurm) commands() error {
	if err := s.log("scontrol"); err != nil {
		return err
	}
	q, err := loadQueue(s.file("queue"))
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 3 && words[0] == "update":
			id := strings.TrimPrefix(words[1], "jobid=")
			key, value, _ := strings.Cut(words[2], "=")
			err = errors.Join(err, q.change(id, map[string]string{"sitefactor": "site", "nice": "nice", "priority": "pinned"}[key], value))
		case len(words) == 2 && words[0] == "release":
			err = errors.Join(err, q.change(words[1], "pinned", ""))
		default:
			complain("invalid keyword: %s", lines.Text())
			err = errors.Join(err, errQuiet)
			continue
		}
		if bad := s.log(lines.Text()); bad != nil {
			return bad
		}
	}
	if bad := errors.Join(lines.Err(), q.save(s.file("queue"))); bad != nil {
		return bad
	}
	if err != nil {
		return errQuiet
	}
	return nil
}

// complain prints scontrol's message on a line at once.
func complain(format string, args ...any) {
	_, _ = fmt.Fprintf(os.Stderr, format+"\n", args...) // nobody else could be told
}

// change sets a field of a job, or says on standard error why not.
func (q queue) change(id, key, value string) error {
	for _, e := range q {
		if !e.is(id) {
			continue
		}
		if e["refuse"] != "" {
			complain("%s for job %s", e.or("refuse", ""), id)
			return errQuiet
		}
		if e["ignore"] == "" {
			e[key] = value
		}
		return nil
	}
	complain("Invalid job id specified for job %s", id)
	return errQuiet
}
