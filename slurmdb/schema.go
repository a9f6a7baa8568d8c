package slurmdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// tables are those that the reader reads, in the order of messages. They are the
// same from Slurm 20.11 to 26.05.
var tables = []struct {
	name     string // Slurm puts the cluster's name before it: <cluster>_job_table
	shared   bool   // by all clusters: the name is the whole one
	required []string
	optional []string // columns that are used where they exist
}{
	{
		name: "job_table", required: []string{
			"account", "array_task_pending", "array_task_str", "cpus_req", "het_job_id", "id_array_job", "id_array_task",
			"id_assoc", "id_job", "id_qos", "id_user", "job_db_inx", "job_name", "partition", "state", "time_eligible",
			"time_end", "time_start", "time_submit", "time_suspended", "timelimit", "tres_alloc", "tres_req",
		},
		// submit_line since 21.08, script_hash_inx since 22.05, licenses since 23.02, qos_req since 24.11, exclusive since 26.05
		optional: []string{
			"constraints", "deleted", "derived_es", "exclusive", "flags", "id_resv", "licenses", "mem_req", "nodelist", "priority", "qos_req", "script_hash_inx", "submit_line", "wckey", "work_dir",
		},
	},
	{
		name: "event_table", required: []string{"node_name", "state", "time_end", "time_start", "tres"},
		optional: []string{"deleted"}, // since 24.11
	},
	{
		name: "suspend_table", required: []string{"job_db_inx", "time_end", "time_start"},
		optional: []string{"deleted"}, // since 24.11
	},
	{name: "assoc_table", required: []string{"acct", "deleted", "id_assoc", "mod_time", "parent_acct", "partition", "shares", "user"}},
	{name: "cluster_table", shared: true, required: []string{"deleted", "name"}},
	{name: "qos_table", shared: true, required: []string{"id", "name"}, optional: []string{"preempt"}},
}

const (
	noTable  = 1146
	noDB     = 1049
	denied   = 1142
	deniedDB = 1044
)

// schema is what the database has for one cluster.
type schema struct {
	cluster string
	names   []string                   // of all clusters
	columns map[string]map[string]bool // by table, without the cluster's name
	byEnd   string                     // hint that names an index that begins with time_end, or ""
}

func clusters(ctx context.Context, db *database) ([]string, error) {
	names, err := db.list(ctx, "SELECT name FROM cluster_table WHERE deleted = 0")
	if e := (*mysql.MySQLError)(nil); errors.As(err, &e) {
		switch e.Number {
		case noTable:
			return nil, fmt.Errorf("slurmdb: database %s has no cluster_table, so it is not slurmdbd's: %w",
				db.config.Database, ErrColumns)
		case denied, deniedDB:
			return nil, unwelcome{fmt.Errorf("slurmdb: %w: %s", ErrConnect, plain(err))}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("slurmdb: read clusters: %w", err)
	}
	slices.Sort(names)
	return names, nil
}

// probe finds the cluster and its columns.
func probe(ctx context.Context, db *database) (*schema, error) {
	names, err := clusters(ctx, db)
	if err != nil {
		return nil, err
	}
	s := &schema{cluster: db.config.Cluster, names: names, columns: map[string]map[string]bool{}}
	if !slices.Contains(names, s.cluster) {
		return nil, fmt.Errorf("slurmdb: cluster %q: %w: %s", s.cluster, ErrCluster, listClusters(names))
	}
	var missing []string
	for _, t := range tables {
		name := t.name
		if !t.shared {
			name = s.cluster + "_" + name
		}
		found, err := readable(ctx, db, name)
		if err != nil {
			return nil, err
		}
		s.columns[t.name] = found
		if len(found) == 0 {
			missing = append(missing, "table "+name)
			continue
		}
		for _, c := range t.required {
			if !found[c] {
				missing = append(missing, name+"."+c)
			}
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("slurmdb: cluster %s in database %s: %w, or not readable for %s: %s",
			s.cluster, db.config.Database, ErrColumns, db.config.User, strings.Join(missing, ", "))
	}
	return s, s.findIndex(ctx, db)
}

func listClusters(names []string) string {
	if len(names) == 0 {
		return "the database has none"
	}
	return "the database has " + strings.Join(names, ", ")
}

// readable lists the columns of a table that the account may read.
func readable(ctx context.Context, db *database, table string) (map[string]bool, error) {
	columns, err := db.list(ctx,
		"SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?", table)
	if err != nil {
		return nil, fmt.Errorf("slurmdb: read the columns of %s: %w", table, err)
	}
	found := map[string]bool{}
	for _, c := range columns {
		found[strings.ToLower(c)] = true
	}
	return found, nil
}

// findIndex looks for an index that begins with time_end. Queries name it: with
// stale statistics the server may choose to scan the table.
func (s *schema) findIndex(ctx context.Context, db *database) error {
	names, err := db.list(ctx, `SELECT index_name FROM information_schema.statistics
		WHERE table_schema = DATABASE() AND table_name = ? AND seq_in_index = 1 AND column_name = 'time_end'`,
		s.cluster+"_job_table")
	if err != nil {
		return fmt.Errorf("slurmdb: read the indexes of %s_job_table: %w", s.cluster, err)
	}
	if len(names) > 0 {
		s.byEnd = " FORCE INDEX (" + quote(slices.Min(names)) + ")"
	}
	return nil
}

func (s *schema) table(name string) string { return quote(s.cluster + "_" + name) }

// kept is the condition that leaves out rows marked as deleted. The sum keeps the server from the index on
// deleted (since Slurm 25.05), in which nearly all rows are alike.
func (s *schema) kept(table string) string {
	if s.columns[table]["deleted"] {
		return "deleted + 0 = 0 AND "
	}
	return ""
}

// quote makes a name safe in a statement.
func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Columns are the optional columns of the database, each as table.column.
type Columns struct {
	Found, Missing []string
}

// Columns reports which optional columns the database has.
func (r *Reader) Columns() (c Columns) {
	for _, t := range tables {
		for _, column := range t.optional {
			name := t.name + "." + column
			if !t.shared {
				name = r.schema.cluster + "_" + name
			}
			if r.schema.columns[t.name][column] {
				c.Found = append(c.Found, name)
			} else {
				c.Missing = append(c.Missing, name)
			}
		}
	}
	return c
}
