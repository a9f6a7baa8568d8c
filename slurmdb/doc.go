// Package slurmdb reads slurmdbd's accounting tables from MySQL or MariaDB and
// reports what happened as events of package ostrich. It only selects; an account
// with SELECT on the database is enough.
//
// # How it reads
//
// Callers call [Reader.PollEach] again and again. The first call is the cold
// start: it reads the jobs that have not ended, and those that ended within
// Config.History. The cost of later calls depends on what has changed, not on what
// is stored. They read
//
//   - the live set, time_end = 0, by the index that begins with time_end. A row
//     with the same bytes as in the last poll is not parsed.
//   - the closed rows, time_end >= newest end seen − overlap. The newest end
//     seen is a time of the data, not of the clock: when slurmdbd was away for
//     an hour, the rows it brings late still lie in the window.
//   - rows that left the live set and are not in that window, by id_job.
//
// mod_time has no index and misses suspensions, and Slurm 24.11 rewrites
// job_db_inx. So neither serves as a cursor.
//
// # What it reports
//
// A job is identified by id_job, a row by (id_job, time_submit). A requeue or a
// resize closes the row and opens another for the same job; the job keeps its
// first submission. Times of events come from the rows. So a history read step by
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
package slurmdb
