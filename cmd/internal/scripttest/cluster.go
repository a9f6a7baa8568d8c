package scripttest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/priority/slurm/slurmtest"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// cluster is what a script's cluster file describes, a line each:
//
//	size 32                        processors, on nodes n1 and n2
//	user alice 1001 physics        name, uid, account; shares may follow
//	job id=11 user=alice submit=-600 cpus=4 limit=60
//	job id=12 user=alice submit=-600 start=-60 cpus=4
//
// The words of a job are those of slurmtest.Job, and end, eligible, state and het for the
// tables; table=no and queue=no leave it out of the tables and of the queue. What it asks for of
// nodes is in the tables only: tres (tres_req), features, nodes (where it ran), submitted and reservation (id).
// For the tables alone, too:
//
//	tres 1001 gres gpu             a resource
//	outage n2 512 -600 -60         a node, its state, from when and until when
//	reservation 3 course n1 -600 0 id, name, nodes, from when and until when
//	sql STATEMENT
type cluster struct {
	size   int
	users  map[string]account
	names  []string
	jobs   []slurmtest.Job
	queue  []slurmtest.Job
	others [][]string // lines of other tables
}

type account struct {
	uid     uint32 // of the association too
	account string
	shares  int
}

func parseCluster(text string) (*cluster, error) {
	c := &cluster{users: make(map[string]account)}
	n := 0
	for line := range strings.Lines(text) {
		n++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := c.line(words); err != nil {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
	}
	return c, nil
}

func (c *cluster) line(words []string) error {
	switch {
	case words[0] == "size" && len(words) == 2:
		n, err := strconv.Atoi(words[1])
		c.size = n
		return err
	case words[0] == "user" && len(words) >= 4:
		uid, err := strconv.ParseUint(words[2], 10, 32)
		if err != nil {
			return err
		}
		a := account{uid: uint32(uid), account: words[3], shares: 1}
		if len(words) > 4 {
			if a.shares, err = strconv.Atoi(words[4]); err != nil {
				return err
			}
		}
		c.users[words[1]] = a
		c.names = append(c.names, words[1])
		return nil
	case words[0] == "tres" && len(words) == 4, words[0] == "outage" && len(words) == 5, words[0] == "reservation" && len(words) == 6, words[0] == "sql":
		c.others = append(c.others, words)
		return nil
	case words[0] == "job":
		e, err := slurmtest.ParseJob(words[1:])
		if err != nil {
			return err
		}
		u, ok := c.users[e["user"]]
		if !ok {
			return fmt.Errorf("user %q: not given before", e["user"])
		}
		e["uid"], e["account"] = strconv.FormatUint(uint64(u.uid), 10), e.Or("account", u.account)
		if e["table"] != "no" {
			c.jobs = append(c.jobs, e)
		}
		if e["queue"] != "no" && e["end"] == "" {
			c.queue = append(c.queue, e)
		}
		return nil
	}
	return fmt.Errorf("%q: neither size, user nor job", strings.Join(words, " "))
}

// associations lists those of the users, each account's in front of its first user's.
func (c *cluster) associations() []slurmdbtest.Assoc {
	var list []slurmdbtest.Assoc
	accounts := make(map[string]bool)
	for _, name := range c.names {
		u := c.users[name]
		if !accounts[u.account] {
			accounts[u.account] = true
			list = append(list, slurmdbtest.Assoc{ID: uint32(100 + len(accounts)), Account: u.account, Above: "root", Shares: 1})
		}
		list = append(list, slurmdbtest.Assoc{ID: u.uid, User: name, Account: u.account, Shares: u.shares})
	}
	return list
}

// put writes the tables.
func (c *cluster) put(db *slurmdbtest.DB) {
	if c.size > 0 {
		db.Size(c.size, 2, slurmtest.Epoch-86400, 0)
	}
	db.Associate(c.associations()...)
	for _, e := range c.jobs {
		db.Put(c.row(e))
	}
	for _, words := range c.others {
		number := func(i int) int64 {
			n, _ := strconv.ParseInt(words[i], 10, 64)
			return n
		}
		at := func(i int) int64 { return slurmtest.Epoch + number(i) }
		switch words[0] {
		case "tres":
			db.Resource(uint32(number(1)), words[2], words[3])
		case "outage":
			db.Node(words[1], uint32(number(2)), 8, at(3), at(4))
		case "reservation":
			db.Reserve(slurmdbtest.Reservation{ID: uint32(number(1)), Name: words[2], Nodes: words[3], Start: at(4), End: at(5)})
		case "sql":
			db.Run(strings.Join(words[1:], " "))
		}
	}
}

// dump lets the fake sacct and sacctmgr tell what the tables have.
func (c *cluster) dump(folder string) error {
	var associations strings.Builder
	associations.WriteString("Cluster|Account|User|Partition|Share|ParentName|ID\nc1|root|||1||1\n")
	for _, a := range c.associations() {
		fmt.Fprintf(&associations, "c1|%s|%s||%d|%s|%d\n", a.Account, a.User, a.Shares, a.Above, a.ID)
	}
	events := "NodeName|TimeStart|TimeEnd|StateRaw|TRES\n"
	if c.size > 0 {
		events += fmt.Sprintf("|%d|Unknown|0|cpu=%d,node=2\n", slurmtest.Epoch-86400, c.size)
	}
	var rows []slurmtest.Job
	for _, e := range c.jobs {
		row := maps.Clone(e)
		if state, err := strconv.ParseUint(e["state"], 10, 32); err == nil {
			row["state"] = accounting.State(state).String()
		}
		rows = append(rows, row)
	}
	return errors.Join(
		slurmtest.WriteAccounting(folder, rows),
		os.WriteFile(filepath.Join(folder, "associations"), []byte(associations.String()), 0o600),
		os.WriteFile(filepath.Join(folder, "events"), []byte(events), 0o600),
	)
}

func (c *cluster) row(e slurmtest.Job) slurmdbtest.Job {
	at := func(key string) int64 {
		if e[key] == "" {
			return 0
		}
		return slurmtest.Epoch + e.Number(key)
	}
	u := c.users[e["user"]]
	j := slurmdbtest.Job{
		ID: uint32(e.Number("id")), User: u.uid, Assoc: u.uid, Submit: at("submit"), Start: at("start"), End: at("end"),
		Limit: uint32(e.Number("limit")), CPUs: uint32(e.Number("cpus")), Het: uint32(e.Number("het")),
		Array: uint32(e.Number("array")), Task: e.Number("task"), Partition: e["partition"], Account: e["account"], Name: e["name"],
		State:   uint32(e.Number("state")),
		TRESReq: e["tres"], Constraints: e["features"], Nodes: e["nodes"], Submitted: e["submitted"], Reservation: uint32(e.Number("reservation")),
	}
	if e["eligible"] != "" {
		j.Eligible = at("eligible")
	}
	if e["held"] != "" {
		j.Eligible = -1
	}
	if e["tasks"] != "" {
		mask := uint64(0)
		for _, task := range slurmtest.Tasks(e["tasks"]) {
			mask |= 1 << task
			j.Tasks++
		}
		j.Mask = fmt.Sprintf("0x%X", mask)
	}
	return j
}
