package slurmdb

import (
	"context"
	"errors"

	"github.com/go-sql-driver/mysql"
)

// SnapshotIsolation reports whether innodb_snapshot_isolation is on for new connections
// such as slurmdbd's. A server without that setting, older than MariaDB 10.6.18 or another
// one, has it off.
func (r *Reader) SnapshotIsolation(ctx context.Context) (bool, error) {
	var on bool
	err := r.db.one(ctx, "SELECT @@GLOBAL.innodb_snapshot_isolation", &on)
	if e := (*mysql.MySQLError)(nil); errors.As(err, &e) && e.Number == unknownVariable {
		return false, nil
	}
	if err != nil {
		return false, r.failed("innodb_snapshot_isolation", err)
	}
	return on, nil
}
