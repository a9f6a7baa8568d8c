// Package slurmdb reads slurmdbd's accounting tables from MySQL or MariaDB and
// tells what happened as events of package ostrich. It only ever selects; an
// account with SELECT on the database is enough.
//
// # How it reads
//
// [Reader.PollEach] is called again and again. The first call is the cold start:
// the jobs that have not ended, and those that ended within Config.History.
// Later calls cost what has changed, not what is stored:
//
//   - the live set, time_end = 0, by the index that begins with time_end. A row
//     whose bytes are those of the last poll is not parsed.
//   - the closed rows, time_end >= newest end seen − overlap. The newest end
//     seen is a time of the data, not of the clock: when slurmdbd was away for
//     an hour, the rows it brings late still lie in the window.
//   - rows that left the live set and are not in that window, by id_job.
//
// mod_time has no index and misses suspensions; job_db_inx is rewritten by
// Slurm 24.11. Neither is a cursor here.
//
// # What it tells
//
// A job is named by id_job, a row by (id_job, time_submit). A requeue or a
// resize closes the row and opens another for the same job; the job keeps its
// first submission. Times of events come from the rows, so that a history told
// step by step and the same history told by a cold start hold the same
// submissions, starts, suspensions, requeues and ends, at the same times.
//
// Some things have no time in the tables, or are overwritten. A cold start
// tells them as they are now:
//
//   - An altered time limit, size, partition or association. Seen live it is a
//     Change at the time of the poll; later only the last value is known.
//   - Tasks that left a pending array record. Seen live, the record shrinks by a
//     Change; later every task is told as submitted with the array, and
//     tasks cancelled while pending are not in the tables at all.
//   - The sizes of a resized job are told at their times, and it ends with the
//     last one, so that no processor is counted twice.
//   - Jobs whose rows were purged, and siblings of a federation that were
//     revoked: told as ended if seen live, unknown to a cold start.
//   - A start time that Slurm corrects when nodes have booted.
//   - Runs and suspensions that are over within their second: seen live in
//     between, they are told.
//   - Shares: only the present ones are stored.
//   - What users say in comments: the column derived_es is written when a row
//     ends, and only with AccountingStoreFlags=job_comment. Seen live, a job that
//     is unfinished says nothing.
//
// # The machine
//
// Sizes come from the event table: the processors of the cluster less those of
// nodes that are out. A node counts as out while its row is open and it is
// down, or drained or failed with no job on it when the row was written. A
// draining node counts as part of the machine, for its jobs still run and
// its row is not written again when they end.
package slurmdb
