package slurmdb

import (
	"context"
	"database/sql/driver"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
)

// fetchNodes reads the open and the new rows of the event table. The table has an
// index on time_start, so it asks for the known open rows by their starts.
func (r *Reader) fetchNodes(ctx context.Context, p *ledger.Poll) error {
	row := func(v []driver.Value) {
		size, _ := readTRES(text(v[4]), &r.parser.named) // One that cannot be read counts as 0.
		p.Nodes(accounting.NodeEvent{
			Node: string(text(v[0])), From: ostrich.Time(number(v[1])), To: ostrich.Time(number(v[2])),
			State: uint32(number(v[3])), TRES: size,
		})
	}
	if r.Cold() {
		return r.db.each(ctx, r.nodesQuery("(time_end = 0 OR time_end >= "+strconv.FormatInt(int64(p.Window), 10)+")"), row)
	}
	since := r.NodeWindow()
	if err := r.db.each(ctx, r.nodesQuery("time_start >= "+strconv.FormatInt(int64(since), 10)), row); err != nil {
		return err
	}
	return inChunks(ctx, r.db, r.OpenNodes(since), func(list string) string { return r.nodesQuery("time_start IN (" + list + ")") }, row)
}
