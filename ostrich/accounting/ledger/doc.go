// Package ledger turns rows of accounting into events of package ostrich, whoever reads
// them: package slurmdb from the tables, package sacctsource from what sacct prints. It
// reads nothing itself, and keeps the jobs that have not ended and what it needs to tell a
// row that it has reported from a new one.
//
// # What it reports
//
// A job is identified by id_job, a row by (id_job, time_submit). A requeue or a
// resize closes the row and opens another for the same job; the job keeps its
// first submission. The row of a job that was preempted or whose node failed does not
// tell whether the job was requeued: its end is reported minutes late. Times of events come from the rows. So a history read step by
// step and the same history read by a cold start have the same submissions,
// starts, suspensions, requeues and ends, at the same times.
//
// Some things have no time in the tables, or are overwritten. A cold start
// reports them as they are now:
//
//   - An altered time limit, size, partition or association. Seen live, it is a
//     Change at the time of the poll; later only the last value is known.
//   - Tasks that left a pending array record. Seen live, the record shrinks by a
//     Change. A cold start reports every task as submitted with the array; tasks
//     cancelled while pending are not in the tables at all.
//   - The sizes of a resized job. They are reported at their times, and the job
//     ends with the last one, so that no processor is counted twice.
//   - Jobs whose rows were purged, and siblings of a federation that were
//     revoked. Seen live, they end; a cold start does not know them.
//   - A start time that Slurm corrects when nodes have booted.
//   - Runs and suspensions that are over within their second. Only a poll that
//     comes in between reports them.
//   - Shares: only the present ones are stored.
//   - Comments of users: the column derived_es is written when a row ends, and
//     only with AccountingStoreFlags=job_comment. Seen live, a job that has not
//     ended has no comment.
//
// # The machine
//
// Sizes come from the event table: the processors of the cluster less those of
// nodes that are out. A node counts as out while its row is open and it is
// down, or drained or failed with no job on it when the row was written. A
// draining node counts as part of the machine, because its jobs still run and
// its row is not written again when they end.
package ledger
