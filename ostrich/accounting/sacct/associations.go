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
)

// table is a table written by sacctmgr --parsable2: a line of names, then rows.
type table struct {
	name, what string
	in         lines.Reader
	line       int
	at         map[string]int // positions of columns, by names in lower case without blanks
	row        []string
}

// header reads the names of the columns. Each need lists the names of one
// required column.
func (t *table) header(command string, need ...[]string) error {
	if !t.next() {
		return fmt.Errorf("sacctmgr: %s: empty; it should be what %s writes", t.name, command)
	}
	t.at = map[string]int{}
	for i, name := range t.row {
		t.at[strings.ToLower(strings.ReplaceAll(name, " ", ""))] = i
	}
	var missing []string
	for _, names := range need {
		if t.column(names...) < 0 {
			missing = append(missing, names[0])
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("sacctmgr: %s:%d: no column %s; it should be what %s writes",
			t.name, t.line, strings.Join(missing, ", "), command)
	}
	return nil
}

// column returns the position of the column with one of these names, or -1.
func (t *table) column(names ...string) int {
	for _, name := range names {
		if i, ok := t.at[strings.ToLower(name)]; ok {
			return i
		}
	}
	return -1
}

// next reads a row and reports whether there was one.
func (t *table) next() bool {
	for {
		line, err := t.in.Next()
		t.line++
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			t.row = strings.Split(string(line), "|")
			return true
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.what = err.Error()
			}
			return false
		}
	}
}

// text returns a field of the row; "" if the table lacks the column.
func (t *table) text(column int) string {
	if column < 0 {
		return ""
	}
	return t.row[column]
}

// each calls row for each row.
func (t *table) each(row func() error) error {
	width := len(t.row)
	for t.next() {
		if len(t.row) != width {
			return t.fault(fmt.Sprintf("%d fields, want %d", len(t.row), width))
		}
		if err := row(); err != nil {
			return err
		}
	}
	if t.what != "" {
		return t.fault(t.what)
	}
	return nil
}

func (t *table) fault(why string) error {
	return fmt.Errorf("sacctmgr: %s:%d: %s", t.name, t.line, why)
}

// AssociationsCommand and QOSCommand are the commands whose output
// ReadAssociations and ReadQOS read.
const (
	AssociationsCommand = "sacctmgr --parsable2 show associations format=Cluster,Account,User,Partition,Share,ParentName,ID"
	QOSCommand          = "sacctmgr --parsable2 show qos format=Name,Priority,UsageFactor"
)

// ReadAssociations reads the association tree of a cluster into s from the output
// of AssociationsCommand. Columns may come in any order, with others between
// them; ID may be missing. An empty cluster means the only one. The name is for
// messages. An account without its parent, or a user without an account, is an
// error, because the tree would be a different one.
func ReadAssociations(s *accounting.Site, r io.Reader, name, cluster string) error {
	t := &table{name: name, in: reader(bufio.NewReader(r))}
	if err := t.header(AssociationsCommand, []string{"Cluster"}, []string{"Account"}, []string{"User"},
		[]string{"Share", "FairShare"}, []string{"ParentName", "ParName"}); err != nil {
		return err
	}
	only, read := cluster, accounting.Site{}
	where := map[string]int{} // line numbers of accounts and users
	err := t.each(func() error {
		of := t.text(t.column("Cluster"))
		switch {
		case only == "":
			only = of
		case of != only && cluster == "":
			return t.fault(fmt.Sprintf("associations of cluster %q after those of %q: choose one", of, only))
		case of != only:
			return nil
		}
		shares, ok := readShares(t.text(t.column("Share", "FairShare")))
		if !ok {
			return t.fault(fmt.Sprintf("share %q: not a number or parent", t.text(t.column("Share", "FairShare"))))
		}
		id, err := strconv.ParseUint("0"+t.text(t.column("ID")), 10, 32)
		if err != nil {
			return t.fault(fmt.Sprintf("ID %q: not a number", t.text(t.column("ID"))))
		}
		// In a tree sacctmgr indents the accounts.
		account, user := strings.TrimSpace(t.text(t.column("Account"))), t.text(t.column("User"))
		partition := t.text(t.column("Partition"))
		if account == "" {
			return t.fault("an association without an account")
		}
		key := account + "|" + user + "|" + partition
		if where[key] > 0 {
			return t.fault(fmt.Sprintf("account %q, user %q again: first on line %d", account, user, where[key]))
		}
		where[key] = t.line
		if user == "" {
			parent := strings.TrimSpace(t.text(t.column("ParentName", "ParName")))
			read.Accounts = append(read.Accounts, accounting.Account{ID: uint32(id), Name: account, Parent: parent, Shares: shares})
		} else {
			read.Associations = append(read.Associations, accounting.AssociationShare{
				ID: uint32(id), User: user, Account: account, Partition: partition, Shares: shares,
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, a := range read.Accounts {
		if key := a.Name + "||"; a.Parent != "" && where[a.Parent+"||"] == 0 {
			t.line = where[key]
			return t.fault(fmt.Sprintf("account %q: its parent %q is not there", a.Name, a.Parent))
		}
	}
	for _, a := range read.Associations {
		if where[a.Account+"||"] == 0 {
			t.line = where[a.Account+"|"+a.User+"|"+a.Partition]
			return t.fault(fmt.Sprintf("user %q: account %q is not there", a.User, a.Account))
		}
	}
	if len(read.Accounts) == 0 {
		if cluster == "" {
			return fmt.Errorf("sacctmgr: %s: no account", name)
		}
		return fmt.Errorf("sacctmgr: %s: no account of cluster %q", name, cluster)
	}
	s.Accounts, s.Associations = read.Accounts, read.Associations
	s.Sort()
	return nil
}

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
	return int64(n), err == nil
}

// ReadQOS reads the QOS into s from the output of QOSCommand. Columns may come in
// any order, with others between them. The name is for messages.
func ReadQOS(s *accounting.Site, r io.Reader, name string) error {
	t := &table{name: name, in: reader(bufio.NewReader(r))}
	if err := t.header(QOSCommand, []string{"Name"}, []string{"Priority"}, []string{"UsageFactor"}); err != nil {
		return err
	}
	var all []accounting.QOS
	seen := map[string]bool{}
	err := t.each(func() error {
		q := accounting.QOS{Name: t.text(t.column("Name")), UsageFactor: 1}
		if q.Name == "" || seen[q.Name] {
			return t.fault(fmt.Sprintf("QOS %q: without a name, or there already", q.Name))
		}
		seen[q.Name] = true
		if text := t.text(t.column("Priority")); text != "" {
			n, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				return t.fault(fmt.Sprintf("priority %q: not a number", text))
			}
			q.Priority = int64(n)
		}
		if text := t.text(t.column("UsageFactor")); text != "" {
			f, err := strconv.ParseFloat(text, 64)
			if err != nil || f < 0 || math.IsNaN(f) || math.IsInf(f, 0) {
				return t.fault(fmt.Sprintf("usage factor %q: not a number from 0", text))
			}
			q.UsageFactor = f
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
	t := &table{name: "output", in: reader(bufio.NewReader(r))}
	need := make([][]string, len(columns))
	for i, c := range columns {
		need[i] = []string{c}
	}
	if err := t.header(command, need...); err != nil {
		return nil, err
	}
	all := make([][]string, len(columns))
	err := t.each(func() error {
		for i, c := range columns {
			if name := strings.TrimSpace(t.text(t.column(c))); name != "" {
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
