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
// Package ledger makes events of what it has read.
package slurmdb
