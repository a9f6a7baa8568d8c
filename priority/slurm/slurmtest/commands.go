package slurmtest

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

// commands are those that are faked.
var commands = []string{"scontrol", "squeue", "sprio", "sdiag", "sacctmgr", "sshare", "sacct"}

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

const nodes = "NodeName=n1 CPUAlloc=0 CPUEfctv=16 CPUTot=16 State=IDLE\nNodeName=n2 CPUAlloc=0 CPUEfctv=16 CPUTot=16 State=IDLE\n"

// state is the folder of files, and a command's output.
type state struct {
	dir string
	out *bufio.Writer
}

// Run runs a command at a time and returns its exit code.
func Run(command string, args []string, now time.Time) int {
	s := state{dir: os.Getenv(folder), out: bufio.NewWriter(os.Stdout)}
	err := s.fail(command)
	if err == nil {
		err = s.run(command, args, now)
	}
	err = errors.Join(err, s.out.Flush(), s.add("used-"+command, fmt.Sprintf("%q", args)))
	if err == nil {
		return 0
	}
	if said := strings.TrimSpace(err.Error()); said != "" {
		complain(said)
	}
	return 1
}

// fail fails or hangs if the test wants the command to.
func (s state) fail(command string) error {
	words, err := os.ReadFile(s.file("fail-" + command))
	if _, bad := os.Stat(s.file("hang-" + command)); bad == nil {
		complain(string(words))
		hang()
	}
	if err == nil {
		return errors.New(string(words))
	}
	return nil
}

// hang waits until the command is killed, or for long.
func hang() { time.Sleep(time.Minute) }

// complain prints a message at once.
func complain(words string) { _, _ = fmt.Fprintln(os.Stderr, words) } // nobody else could be told

// errQuiet makes a command fail without a message.
var errQuiet = errors.New("")

func (s state) file(name string) string { return filepath.Join(s.dir, name) }

// text returns the content of a file, or other if there is none.
func (s state) text(name, other string) string {
	raw, err := os.ReadFile(s.file(name))
	if err != nil {
		return other
	}
	return string(raw)
}

func (s state) add(name, line string) error {
	f, err := os.OpenFile(s.file(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

// print adds to the output. Run learns of an error when it flushes.
func (s state) print(words ...string) { _, _ = s.out.WriteString(strings.Join(words, "")) }

func (s state) ran(command string) int { return strings.Count(s.text("used-"+command, ""), "\n") }

func (s state) run(command string, args []string, now time.Time) error {
	if len(args) > 1 && args[0] == "-M" {
		if args[1] != "c1" {
			return fmt.Errorf("'%s' can't be reached now, or it is an invalid entry for --cluster", args[1])
		}
		args = args[2:]
	}
	switch command {
	case "scontrol":
		return s.scontrol(args)
	case "squeue":
		return s.squeue(args)
	case "sprio":
		return s.sprio(args)
	case "sdiag":
		clock := strings.TrimSpace(s.text("clock", strconv.Itoa(Epoch)))
		if clock == "now" {
			clock = strconv.FormatInt(now.Unix(), 10)
		}
		s.print("sdiag output at Tue Nov 14 22:13:20 2023 (", clock, ")\nDBD Agent queue size: ", strings.TrimSpace(s.text("dbd", "0")), "\n")
	case "sshare":
		s.print(s.text("sshare", ""))
	case "sacct":
		rows, err := s.jobs("accounting")
		s.print(Sacct(rows, args))
		return err
	case "sacctmgr":
		for _, show := range []struct{ what, text string }{
			{"event", s.text("events", "NodeName|TimeStart|TimeEnd|StateRaw|TRES\n")},
			{"format=name,preempt", s.text("preempt", "")},
			{"qos", "Name|Priority|UsageFactor\nnormal|0|1.000000\n"},
			{"associations", s.text("associations", "")},
			{"configuration", "SlurmDBD configuration:\nPrivateData            = none\n"},
		} {
			if slices.Contains(args, show.what) {
				s.print(show.text)
				return nil
			}
		}
		for line := range strings.Lines(s.text("admins", "")) {
			if name, level, ok := strings.Cut(strings.TrimSpace(line), " "); ok && slices.Contains(args, "name="+name) {
				s.print(name, "|", level, "\n")
			}
		}
	default:
		return fmt.Errorf("%s is no command of Slurm", command)
	}
	return nil
}

func (s state) config(key string) (value string) {
	for line := range strings.Lines(configuration + s.text("config", "")) {
		if k, v, _ := strings.Cut(line, "="); strings.TrimSpace(k) == key {
			value = strings.TrimSpace(v)
		}
	}
	return value
}

// option returns the value that follows an option.
func option(args []string, name string) string {
	if i := slices.Index(args, name); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}

// header prints a line above the table, unless it is not wanted.
func (s state) header(args []string) {
	if !slices.Contains(args, "-h") {
		s.print(option(args, "-o"), "\n")
	}
}

// sprio shows pending jobs that are eligible and not held.
func (s state) sprio(args []string) error {
	if s.config("PriorityType") == "priority/basic" {
		return errors.New("sprio: error: You are not running a supported priority plugin")
	}
	q, err := s.queue()
	again := s.ran("sprio") > 0
	s.header(args)
	for _, j := range q {
		if j.listed() {
			s.print(j.sprio(again).Replace(option(args, "-o")), "\n")
		}
	}
	return err
}
