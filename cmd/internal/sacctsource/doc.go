// Package sacctsource reads accounting through Slurm's own commands, for sites that do
// not let anybody read slurmdbd's tables.
//
// A Source reports the same events as a slurmdb.Reader, because the same slurmdb.Ledger
// makes them from the same rows. Where the reader asks the tables, it asks
//
//   - sacct, once at the start, for all rows of a window of time,
//   - squeue, which records have changed since, and sacct for their rows by id,
//   - sacct, for the rows that ended since the newest end seen, less the overlap,
//   - sacctmgr, once a minute, for the associations and for the nodes that are out,
//   - sdiag, for the time: that of slurmctld, which writes all times of a row.
//
// A poll in which one of them fails tells nothing. The next one tells all.
package sacctsource
