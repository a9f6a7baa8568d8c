package testbed_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testSacct: with source sacct, which asks Slurm's commands alone, the order is that from
// the tables: of a history in which everything happened, read at once, and of jobs that a
// daemon hears of one by one.
func (b *bed) testSacct(t *testing.T) {
	b.freeze(t)
	t.Cleanup(func() { b.thaw(t) })
	sources := func() string {
		tables, sacct := b.plan(t), b.plan(t, "--source", "sacct", "--database-address", "nowhere", "--database-password-file", "/nowhere")
		return cmp.Diff(tables.Jobs, sacct.Jobs)
	}
	eventually(t, "both sources have the same order", sources)

	d := b.daemon(t, "--apply", "--source", "sacct", "--database-address", "nowhere", "--database-password-file", "/nowhere")
	d.await(t, "started", 1)
	_, jobs := b.burst(t, "--nice=0")
	eventually(t, "from the tables all is ranked and nothing is to be written", func() string {
		p := b.plan(t)
		if p.Summary.Managed < jobs || p.Summary.Writes > 0 {
			return fmt.Sprintf("%d of %d managed jobs are to be written", p.Summary.Writes, p.Summary.Managed)
		}
		return ""
	})
	eventually(t, "both sources have the same order after the burst", sources)
	d.terminate(t)
}
