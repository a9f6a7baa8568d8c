package slurmtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

func (s state) scontrol(args []string) error {
	switch said := strings.Join(args, " "); {
	case said == "show config":
		s.print(configuration, s.text("config", ""))
	case strings.HasSuffix(said, "show partition"):
		s.print(s.text("partitions", partitions))
	case strings.HasSuffix(said, "show node"):
		s.print(s.text("nodes", nodes))
	case strings.HasPrefix(said, "show hostnames"):
		prefix, set, ok := strings.Cut(strings.TrimSuffix(args[2], "]"), "[")
		if !ok {
			s.print(prefix, "\n")
		}
		for _, n := range Tasks(set) {
			s.print(prefix, strconv.Itoa(n), "\n")
		}
	case strings.HasSuffix(said, "show assoc_mgr flags=users"):
		s.print(s.text("users", ""))
	case strings.HasSuffix(said, "show assoc_mgr flags=qos"):
		s.print(s.text("qos", ""))
	case said == "show federation":
		s.print(s.text("federation", ""))
	case len(args) == 0:
		return s.commands(os.Stdin)
	case args[0] == "update", args[0] == "release":
		return s.commands(strings.NewReader(said))
	default:
		return fmt.Errorf("%q is not faked", said)
	}
	return nil
}

// commands obeys the lines of a script. As scontrol does, it repeats each line,
// goes on after a refusal, and fails at the end.
func (s state) commands(script io.Reader) error {
	q, err := s.queue()
	if err = errors.Join(err, s.add("log", "scontrol")); err != nil {
		return err
	}
	for _, j := range q {
		if ahead, ok := j["ahead"]; ok {
			j["site"] = ahead
		}
	}
	if err = s.save("queue", q); err != nil {
		return err
	}
	var refused error
	lines := bufio.NewScanner(script)
	for lines.Scan() {
		s.print("scontrol: ", lines.Text(), "\n")
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 3 && words[0] == "update":
			key, value, _ := strings.Cut(words[2], "=")
			err = s.change(q, strings.TrimPrefix(words[1], "jobid="), key, value)
		case len(words) == 2 && words[0] == "release":
			err = s.change(q, words[1], "release", "")
		default:
			complain("invalid keyword: " + lines.Text())
			refused = errQuiet
			continue
		}
		// A command that is killed has done what it said.
		if bad := errors.Join(s.save("queue", q), s.add("log", lines.Text())); bad != nil {
			return bad
		}
		switch {
		case errors.Is(err, errQuiet):
			refused = err
		case err != nil:
			return err
		}
	}
	return errors.Join(refused, lines.Err())
}

// change makes a change to the records that scontrol's name stands for. It returns
// errQuiet if one is refused, and any other error if scontrol ends.
func (s state) change(q []Job, name, key, value string) (err error) {
	known := false
	for _, j := range q {
		if !j.named(name) {
			continue
		}
		known = true
		switch {
		case j["hang"] != "":
			if err = errors.Join(s.save("queue", q), s.add("used-hang", name)); err != nil {
				return err
			}
			hang()
		case j["die"] != "":
			return errors.New("scontrol: fatal: out of luck")
		case j["refuse"] != "":
			complain(j["refuse"])
			err = errQuiet
		case j["ignore"] == "":
			j.change(key, value)
		}
	}
	if !known {
		complain("Invalid job id specified for job " + name)
		return errQuiet
	}
	return err
}
