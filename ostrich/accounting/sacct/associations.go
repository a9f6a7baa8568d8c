package sacct

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
	"slurm-ostrich/ostrich/plural"
)

// table is a table written by sacctmgr --parsable2: a line of names, then rows.
type table struct {
	name string
	in   lines.Reader
	line int
	at   map[string]int // positions of columns, by names in lower case without blanks
	row  []string
	err  error
}

// readTable calls row for each row of what a command writes. Each need lists the
// names of one required column. The name is for messages.
func readTable(r io.Reader, name, command string, need [][]string, row func(*table) error) error {
	t := &table{name: name, in: reader(bufio.NewReader(r)), at: map[string]int{}}
	if !t.next() {
		return fmt.Errorf("sacctmgr: %s: empty; it should be what %s writes", t.name, command)
	}
	for i, name := range t.row {
		t.at[strings.ToLower(strings.ReplaceAll(name, " ", ""))] = i
	}
	var missing []string
	for _, names := range need {
		if t.column(names) < 0 {
			missing = append(missing, names[0])
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("sacctmgr: %s:%d: no column %s; it should be what %s writes",
			t.name, t.line, strings.Join(missing, ", "), command)
	}
	width := len(t.row)
	for t.next() {
		if i, is := t.at["reason"]; is && len(t.row) > width { // the only text that may hold the delimiter
			end := i + 1 + len(t.row) - width
			t.row = slices.Replace(t.row, i, end, strings.Join(t.row[i:end], "|"))
		}
		if len(t.row) != width {
			return t.fault("%d field{|s}, want %d", len(t.row), width)
		}
		if err := row(t); err != nil {
			return err
		}
	}
	return t.err
}

// column returns the position of the column with one of these names, or -1.
func (t *table) column(names []string) int {
	for _, name := range names {
		if i, ok := t.at[strings.ToLower(name)]; ok {
			return i
		}
	}
	return -1
}

// next reads a row and reports whether there was one. Lines that begin with # before the
// names of columns are comments.
func (t *table) next() bool {
	for {
		line, err := t.in.Next()
		t.line++
		line = bytes.TrimRight(line, "\r\n")
		if comment := len(t.at) == 0 && bytes.HasPrefix(line, []byte{'#'}); !comment && len(bytes.TrimSpace(line)) > 0 {
			t.row = strings.Split(string(line), "|")
			return true
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.err = t.fault("%s", err)
			}
			return false
		}
	}
}

// text returns the field of the row in the column with one of these names; "" if
// the table lacks it.
func (t *table) text(names ...string) string {
	if i := t.column(names); i >= 0 {
		return t.row[i]
	}
	return ""
}

// ofOther reports whether the row is of another cluster than the one that was chosen, or else than that of the first row.
// Then two of them are an error.
func (t *table) ofOther(only *string, chosen, what string) (bool, error) {
	of := t.text("Cluster")
	switch {
	case of == "" || of == *only:
		return false, nil
	case *only == "":
		*only = of
		return false, nil
	case chosen == "":
		return false, t.fault("%s of cluster %q after those of %q: choose one (in compare, the ClusterName of a configuration among the files does)", what, of, *only)
	}
	return true, nil
}

func (t *table) fault(format string, args ...any) error {
	return faultAt(t.name, t.line, format, args...)
}

func faultAt(name string, line int, format string, args ...any) error {
	return fmt.Errorf("sacctmgr: %s:%d: %s", name, line, plural.Sprintf(format, args...))
}

// AssociationsCommand and QOSCommand are the commands whose output
// ReadAssociations and ReadQOS read.
const (
	AssociationsCommand = "sacctmgr --parsable2 show associations format=Cluster,Account,User,Partition,Share,Priority,ParentName,ID"
	QOSCommand          = "sacctmgr --parsable2 show qos format=Name,Priority,UsageFactor,Preempt"
)

// AssociationLimits and QOSLimits are the columns of these commands that have limits, to be added to their formats.
const (
	AssociationLimits = ",GrpTRES,GrpJobs,MaxTRES,MaxTRESPerNode,MaxJobs,MaxWall"
	QOSLimits         = ",Flags,GrpTRES,GrpJobs,MaxTRES,MaxTRESPerNode,MaxTRESPerUser,MaxJobsPU,MaxTRESPA,MaxJobsPA,MaxWall"
)

// ReadAssociations reads the association tree of a cluster into s from the output
// of AssociationsCommand. Columns may come in any order, with others between
// them, of which those of limits are read too; ID and Priority may be missing. Without ParentName the indents of
// a tree (sacctmgr show associations tree) tell the parents; else all accounts are below the root, and s.Flat says so. An empty cluster means the only one. The name is for
// messages. An account without its parent, or a user without an account, is an
// error, because the tree would be a different one.
func ReadAssociations(s *accounting.Site, r io.Reader, name, cluster string) error {
	need := [][]string{{"Cluster"}, {"Account"}, {"User"}, {"Share", "FairShare"}}
	only, read := cluster, accounting.Site{}
	where := map[string]int{} // line numbers of accounts and users
	var above []string        // the last account at each depth of a tree
	err := readTable(r, name, AssociationsCommand, need, func(t *table) error {
		if other, err := t.ofOther(&only, cluster, "associations"); other || err != nil {
			return err
		}
		shares, ok := readShares(t.text("Share", "FairShare"))
		if !ok {
			return t.fault("share %q: not a number or parent", t.text("Share", "FairShare"))
		}
		id, err := strconv.ParseUint("0"+t.text("ID"), 10, 32)
		if err != nil {
			return t.fault("ID %q: not a number", t.text("ID"))
		}
		account, user := strings.TrimLeft(t.text("Account"), " "), t.text("User")
		indent := len(t.text("Account")) - len(account) // in a tree
		depth := min(indent, len(above))
		partition := t.text("Partition")
		if account == "" {
			return t.fault("an association without an account")
		}
		key := account + "|" + user + "|" + partition
		if where[key] > 0 {
			return t.fault("account %q, user %q again: first on line %d", account, user, where[key])
		}
		where[key] = t.line
		limits, err := t.limits(user == "")
		if err != nil {
			return err
		}
		read.Prioritized = t.column([]string{"Priority"}) >= 0
		if text := t.text("Priority"); text != "" {
			n, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				return t.fault("priority %q: not a number", text)
			}
			limits.Priority = int64(n)
		}
		if user == "" {
			parent := strings.TrimSpace(t.text("ParentName", "ParName"))
			if t.column([]string{"ParentName", "ParName"}) < 0 && account != accounting.RootAccount {
				switch parent = accounting.RootAccount; {
				case indent > depth:
					return t.fault("account %q is indented by %d, and no line above has the account that it is in", account, indent)
				case depth > 0:
					parent = above[depth-1]
				default:
					read.Flat = true
				}
			}
			above = append(above[:depth], account)
			read.Accounts = append(read.Accounts, accounting.Account{ID: uint32(id), Name: account, Parent: parent, Shares: shares, Limits: limits})
		} else {
			read.Associations = append(read.Associations, accounting.AssociationShare{
				ID: uint32(id), User: user, Account: account, Partition: partition, Shares: shares, Limits: limits,
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(read.Accounts) == 0 {
		if cluster == "" {
			return fmt.Errorf("sacctmgr: %s: no account; it should be what %s writes", name, AssociationsCommand)
		}
		return fmt.Errorf("sacctmgr: %s: no account of cluster %q", name, cluster)
	}
	for _, a := range read.Accounts {
		if key := a.Name + "||"; a.Parent != "" && where[a.Parent+"||"] == 0 {
			return faultAt(name, where[key], "account %q: its parent %q is not there", a.Name, a.Parent)
		}
	}
	for _, a := range read.Associations {
		if where[a.Account+"||"] == 0 {
			return faultAt(name, where[a.Account+"|"+a.User+"|"+a.Partition], "user %q: account %q is not there", a.User, a.Account)
		}
	}
	s.Accounts, s.Associations, s.Flat, s.Prioritized = read.Accounts, read.Associations, read.Flat, read.Prioritized
	s.Sort()
	return nil
}

// parentNumber is how slurmdbd stores "parent".
const parentNumber = 1<<31 - 1

// readShares reads a number of shares, or "parent". Empty means Slurm's default
// of 1.
func readShares(text string) (int64, bool) {
	switch strings.ToLower(text) {
	case "parent":
		return accounting.ParentShares, true
	case "":
		return 1, true
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if n == parentNumber {
		return accounting.ParentShares, true
	}
	return int64(n), err == nil
}

// ReadQOS reads the QOS into s from the output of QOSCommand. Columns may come in
// any order, with others between them; Preempt may be left out. The name is for messages.
func ReadQOS(s *accounting.Site, r io.Reader, name string) error {
	var all []accounting.QOS
	seen := map[string]bool{}
	err := readTable(r, name, QOSCommand, [][]string{{"Name"}, {"Priority"}, {"UsageFactor"}}, func(t *table) error {
		q := accounting.QOS{Name: t.text("Name"), UsageFactor: 1}
		if q.Name == "" || seen[q.Name] {
			return t.fault("QOS %q: without a name, or there already", q.Name)
		}
		seen[q.Name] = true
		if text := t.text("Priority"); text != "" {
			n, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				return t.fault("priority %q: not a number", text)
			}
			q.Priority = int64(n)
		}
		if text := t.text("UsageFactor"); text != "" {
			f, err := strconv.ParseFloat(text, 64)
			if err != nil || f < 0 || math.IsNaN(f) || math.IsInf(f, 0) {
				return t.fault("usage factor %q: not a number from 0", text)
			}
			q.UsageFactor = f
		}
		if q.PreemptKnown = t.column([]string{"Preempt"}) >= 0; q.PreemptKnown {
			q.Preempts = strings.FieldsFunc(t.text("Preempt"), func(c rune) bool { return c == ',' })
		}
		if err := t.qosLimits(&q); err != nil {
			return err
		}
		all = append(all, q)
		return nil
	})
	if err != nil {
		return err
	}
	s.QOS = all
	s.Sort()
	return nil
}

// ReadNames reads columns of what sacctmgr --parsable2 shows: the names in each, sorted,
// each once and without the empty one. The command is for messages.
func ReadNames(r io.Reader, command string, columns ...string) ([][]string, error) {
	need := make([][]string, len(columns))
	for i, c := range columns {
		need[i] = []string{c}
	}
	all := make([][]string, len(columns))
	err := readTable(r, "output", command, need, func(t *table) error {
		for i, c := range columns {
			if name := strings.TrimSpace(t.text(c)); name != "" {
				all[i] = append(all[i], name)
			}
		}
		return nil
	})
	for i := range all {
		slices.Sort(all[i])
		all[i] = slices.Compact(all[i])
	}
	return all, err
}
