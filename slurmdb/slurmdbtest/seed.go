package slurmdbtest

import "fmt"

// Seeding describes a large job table.
type Seeding struct {
	Ended, Live int   // rows; half of the live jobs run
	Users       int   // whose uids begin with 1001
	First       int64 // submission of the first job
	Every       int64 // seconds between the ends of two jobs
}

// Seed fills the job table with jobs that ended one after the other, and with
// live ones. With MariaDB's sequences a million rows take seconds.
func (db *DB) Seed(s Seeding) {
	db.t.Helper()
	inx, column := "", ""
	if db.Release >= R2411 {
		inx, column = "(1 << 63) + seq, ", "job_db_inx, "
	}
	once := ""
	if !db.Server.MySQL { // Into an empty table MariaDB then writes each index once, sorted.
		once = "SET STATEMENT unique_checks = 0, foreign_key_checks = 0 FOR "
	}
	insert := once + fmt.Sprintf("INSERT INTO `%s_job_table` (%sid_job, time_submit, time_eligible, time_start, time_end, "+
		"state, id_user, id_assoc, cpus_req, timelimit, `partition`, account, job_name, tres_req, tres_alloc, "+
		"id_resv, id_wckey, id_group, het_job_id, het_job_offset, state_reason_prev, nodes_alloc, priority, nodelist, "+
		"work_dir) SELECT %s", db.Cluster, column, inx)
	const tail = "1001 + seq %% %d, 10 + seq %% %[1]d, 1 + seq %% 16, 60 + seq %% 600, ELT(1 + seq %% 3, 'main', 'long', 'gpu'), " +
		"'physics', CONCAT('simulation-', seq %% 100), CONCAT('1=', 1 + seq %% 16, ',2=4000,4=1,5=', 1 + seq %% 16), " +
		"CONCAT('1=', 1 + seq %% 16, ',2=4000,3=18446744073709551614,4=1,5=', 1 + seq %% 16), " +
		"0, 0, 100, 0, 4294967294, 0, 1, 1000, CONCAT('node', seq %% 500), " +
		"'/home/somebody/project/run' FROM %s"
	if s.Ended > 0 {
		db.Run(insert + fmt.Sprintf("seq, %d + seq * %d, %[1]d + seq * %[2]d, %[1]d + seq * %[2]d + 5, "+
			"%[1]d + seq * %[2]d + 5 + seq %% 600, 3, ", s.First, s.Every) + fmt.Sprintf(tail, s.Users, db.Sequence(s.Ended)))
	}
	if s.Live > 0 {
		if inx != "" {
			insert = insert[:len(insert)-len(inx)] + "(1 << 63) + (1 << 40) + seq, "
		}
		last := s.First + int64(s.Ended)*s.Every
		db.Run(insert + fmt.Sprintf("%d + seq, %d, %[2]d, IF(seq %% 2, %[2]d + 5, 0), 0, seq %% 2, ", s.Ended, last) +
			fmt.Sprintf(tail, s.Users, db.Sequence(s.Live)))
	}
	db.Run("ANALYZE TABLE `" + db.Cluster + "_job_table`")
}

// Sequence names a table of the numbers from 1 to n, in a column seq.
func (db *DB) Sequence(n int) string {
	if db.Server.MySQL {
		return fmt.Sprintf("(WITH RECURSIVE s (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM s WHERE seq < %d) SELECT seq FROM s) AS numbers", n)
	}
	return fmt.Sprintf("seq_1_to_%d", n)
}
