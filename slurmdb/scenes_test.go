package slurmdb_test

import (
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// scenes are the row shapes that slurmdbd writes.
func scenes() []scene {
	steps := func(all ...func(*slurmdbtest.DB)) []func(*slurmdbtest.DB) { return all }
	return []scene{
		{
			name: "pending, running, ended",
			steps: steps(
				put(job{ID: 1, Submit: 1, CPUs: 4, Limit: 10}),
				put(job{ID: 1, Submit: 1, Start: 90, CPUs: 4, Limit: 10}),
				put(job{ID: 1, Submit: 1, Start: 90, End: 180, CPUs: 4, Limit: 10}),
			),
			live: "1 submit 1 of 1001: 1 x 4 for 600 in main\n" +
				"90 start 1 of 1001: 1 x 4 for 600 in main since 1\n" +
				"180 end 1 ran 90..180 suspended 0\n",
		},
		{
			name:  "first seen when ended",
			steps: steps(put(job{ID: 1, Submit: -50, Start: -40, End: -20})),
			live: "-50 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-40 start 1 of 1001: 1 x 1 for 3600 in main since -50\n" +
				"-20 end 1 ran -40..-20 suspended 0\n",
		},
		{
			name:  "no length at all",
			steps: steps(put(job{ID: 1, Submit: -50, Start: -50, End: -50, State: 5})),
			live: "-50 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-50 start 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-50 end 1 ran -50..-50 suspended 0\n",
		},
		{
			name: "cancelled while pending",
			steps: steps(
				put(job{ID: 1, Submit: 0, Eligible: -1}),
				put(job{ID: 1, Submit: 0, Eligible: -1, End: 70, State: 4}),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"0 hold 1 of 1001: 1 x 1 for 3600 in main\n" +
				"70 end 1 never ran\n",
		},
		{
			name: "held, released, held and released again, and started",
			steps: steps(
				put(job{ID: 1, Submit: 0, Eligible: -1}),
				put(job{ID: 1, Submit: 0, Eligible: 60}),
				put(job{ID: 1, Submit: 0, Eligible: -1}),
				put(job{ID: 1, Submit: 0, Eligible: 290}),
				put(job{ID: 1, Submit: 0, Eligible: 390}), // held and released meanwhile
				put(job{ID: 1, Submit: 0, Eligible: 390, Start: 450}),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"0 hold 1 of 1001: 1 x 1 for 3600 in main\n" +
				"60 release 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"200 hold 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"290 release 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"390 hold 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"390 release 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"450 start 1 of 1001: 1 x 1 for 3600 in main since 0\n",
			cold: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"0 hold 1 of 1001: 1 x 1 for 3600 in main\n" +
				"390 release 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"450 start 1 of 1001: 1 x 1 for 3600 in main since 0\n",
		},
		{
			name: "begins later",
			steps: steps(
				put(job{ID: 1, Submit: 0, Eligible: 150}),
				func(*slurmdbtest.DB) {},
				func(*slurmdbtest.DB) {}, // the row is as it was, and the time has come
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"0 hold 1 of 1001: 1 x 1 for 3600 in main\n" +
				"150 release 1 of 1001: 1 x 1 for 3600 in main since 0\n",
		},
		{
			name: "cancelled in the second in which it was to begin",
			steps: steps(
				put(job{ID: 1, Submit: 0, Eligible: 150}),
				put(job{ID: 1, Submit: 0, Eligible: 150, End: 150, State: 4}),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"0 hold 1 of 1001: 1 x 1 for 3600 in main\n" +
				"150 end 1 never ran\n",
		},
		{
			name: "allocated more than asked for, and a limit at the start",
			steps: steps(
				put(job{ID: 1, Submit: 0, CPUs: 2, Limit: slurmdbtest.NoVal, Partition: "alt,main"}),
				put(job{ID: 1, Submit: 0, Start: 50, CPUs: 2, Procs: 8, Limit: 30}),
			),
			edit: func(c *slurmdb.Config) {
				c.Partitions = map[string]ledger.Partition{"main": {MaxTime: 1000}, "alt": {MaxTime: 2000}}
			},
			live: "0 submit 1 of 1001: 1 x 2 for 2000 in alt,main\n" +
				"50 start 1 of 1001: 1 x 8 for 1800 in main since 0\n",
			cold: "0 submit 1 of 1001: 1 x 2 for 1800 in main\n" +
				"50 start 1 of 1001: 1 x 8 for 1800 in main since 0\n",
		},
		{
			name:  "no limit anywhere",
			steps: steps(put(job{ID: 1, Limit: slurmdbtest.Infinite}, job{ID: 2, Limit: slurmdbtest.NoVal})),
			live: "0 submit 1 of 1001: 1 x 1 for 604800 in main\n" +
				"0 submit 2 of 1001: 1 x 1 for 604800 in main\n",
		},
		{
			name: "altered while pending",
			steps: steps(
				put(job{ID: 1, Submit: 0, CPUs: 2}),
				put(job{ID: 1, Submit: 0, CPUs: 2, TRESReq: "1=6,4=1", Limit: 30}),
			),
			live: "0 submit 1 of 1001: 1 x 2 for 3600 in main\n" +
				"100 change 1 of 1001: 1 x 6 for 1800 in main since 0\n",
			cold: "0 submit 1 of 1001: 1 x 6 for 1800 in main\n",
		},
		{
			name: "cpus_req counts where tres_req says nothing",
			steps: steps(
				put(job{ID: 1, Submit: 0, CPUs: 3, TRESReq: "-"}),
				put(job{ID: 1, Submit: 0, Start: 10, CPUs: 3, TRESReq: "-", TRES: "2=100"}),
			),
			live: "0 submit 1 of 1001: 1 x 3 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 3 for 3600 in main since 0\n",
		},
		{
			name: "a start that is expected, not real",
			steps: steps(func(db *slurmdbtest.DB) {
				put(job{ID: 1, Submit: 0})(db)
				db.Run("UPDATE c1_job_table SET time_start = ?", t0+500)
			}),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n",
		},
		{
			name: "a start that is corrected",
			steps: steps(
				put(job{ID: 1, Submit: 0, Start: 10}),
				put(job{ID: 1, Submit: 0, Start: 60}),
				put(job{ID: 1, Submit: 0, Start: 60, End: 160}),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"100 change 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"160 end 1 ran 60..160 suspended 0\n",
			cold: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"60 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"160 end 1 ran 60..160 suspended 0\n",
		},
		{
			name: "array",
			steps: steps(
				put(job{ID: 10, Array: 10, Mask: "0x7", Tasks: 3}),
				both( // Task 0 starts under an id of its own.
					put(job{ID: 10, Array: 10, Mask: "0x6", Tasks: 2}),
					put(job{ID: 11, Array: 10, Task: 1, Submit: 0, Start: 90}),
				),
				both( // Task 2 too, and the last one takes the record's id.
					put(job{ID: 12, Array: 10, Task: 2, Submit: 0, Start: 190}),
					put(job{ID: 10, Array: 10, Task: 3, Submit: 0, Start: 195}),
				),
				put(
					job{ID: 11, Array: 10, Task: 1, Submit: 0, Start: 90, End: 290},
					job{ID: 12, Array: 10, Task: 2, Submit: 0, Start: 190, End: 295},
					job{ID: 10, Array: 10, Task: 3, Submit: 0, Start: 195, End: 299},
				),
			),
			live: "0 submit 10 of 1001: 3 x 1 for 3600 in main group 10\n" +
				"0 submit 11 of 1001: 1 x 1 for 3600 in main group 10\n" +
				"90 change 10 of 1001: 2 x 1 for 3600 in main group 10 since 0\n" +
				"90 start 11 of 1001: 1 x 1 for 3600 in main group 10 since 0\n" +
				"0 submit 12 of 1001: 1 x 1 for 3600 in main group 10\n" +
				"190 start 12 of 1001: 1 x 1 for 3600 in main group 10 since 0\n" +
				"195 change 10 of 1001: 1 x 1 for 3600 in main group 10 since 0\n" +
				"195 start 10 of 1001: 1 x 1 for 3600 in main group 10 since 0\n" +
				"290 end 11 ran 90..290 suspended 0\n" +
				"295 end 12 ran 190..295 suspended 0\n" +
				"299 end 10 ran 195..299 suspended 0\n",
			cold: "0 submit 10 of 1001: 1 x 1 for 3600 in main group 10\n" +
				"0 submit 11 of 1001: 1 x 1 for 3600 in main group 10\n" +
				"0 submit 12 of 1001: 1 x 1 for 3600 in main group 10\n" +
				"90 start 11 of 1001: 1 x 1 for 3600 in main group 10 since 0\n" +
				"190 start 12 of 1001: 1 x 1 for 3600 in main group 10 since 0\n" +
				"195 start 10 of 1001: 1 x 1 for 3600 in main group 10 since 0\n" +
				"290 end 11 ran 90..290 suspended 0\n" +
				"295 end 12 ran 190..295 suspended 0\n" +
				"299 end 10 ran 195..299 suspended 0\n",
		},
		{
			name: "array whose tasks are cancelled one by one, then at once",
			steps: steps(
				put(job{ID: 10, Array: 10, Mask: "0x00FF", Tasks: 8, Eligible: slurmdbtest.Infinite}),
				put(job{ID: 10, Array: 10, Mask: "0x000F", Tasks: 8}),
				put(job{ID: 10, Array: 10, Mask: "0x000F", Tasks: 8, End: 180, State: 4}),
			),
			live: "0 submit 10 of 1001: 8 x 1 for 3600 in main group 10\n" +
				"0 hold 10 of 1001: 8 x 1 for 3600 in main group 10\n" +
				"0 release 10 of 1001: 8 x 1 for 3600 in main group 10\n" +
				"100 change 10 of 1001: 4 x 1 for 3600 in main group 10 since 0\n" +
				"180 end 10 never ran\n",
			cold: "0 submit 10 of 1001: 4 x 1 for 3600 in main group 10\n" +
				"180 end 10 never ran\n",
		},
		{
			name:  "array without a mask",
			steps: steps(put(job{ID: 10, Array: 10, Tasks: 5})),
			live:  "0 submit 10 of 1001: 5 x 1 for 3600 in main group 10\n",
		},
		{
			name: "tasks split off by an update",
			steps: steps(
				put(job{ID: 10, Array: 10, Mask: "0xF", Tasks: 4}),
				both(
					put(job{ID: 10, Array: 10, Mask: "0x7", Tasks: 3}),
					put(job{ID: 11, Array: 10, Task: 3, Eligible: -1}),
				),
			),
			live: "0 submit 10 of 1001: 4 x 1 for 3600 in main group 10\n" +
				"0 submit 11 of 1001: 1 x 1 for 3600 in main group 10\n" +
				"0 hold 11 of 1001: 1 x 1 for 3600 in main group 10\n" +
				"100 change 10 of 1001: 3 x 1 for 3600 in main group 10 since 0\n",
			cold: "0 submit 10 of 1001: 3 x 1 for 3600 in main group 10\n" +
				"0 submit 11 of 1001: 1 x 1 for 3600 in main group 10\n" +
				"0 hold 11 of 1001: 1 x 1 for 3600 in main group 10\n",
		},
		{
			name: "requeued",
			steps: steps(
				put(job{ID: 1, Submit: 0, Start: 10}),
				put(job{ID: 1, Submit: 0, Start: 10, End: 90, State: 1024}),
				put(job{ID: 1, Submit: 91, Eligible: 211}),
				put(job{ID: 1, Submit: 91, Eligible: 211, Start: 250}),
				put(job{ID: 1, Submit: 91, Eligible: 211, Start: 250, End: 390}),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"90 requeue 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"91 hold 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"211 release 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"250 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"390 end 1 ran 250..390 suspended 0\n",
		},
		{
			name: "requeued twice between two polls, with another limit",
			steps: steps(
				put(job{ID: 1, Submit: 0, Start: 10}),
				put(
					job{ID: 1, Submit: 0, Start: 10, End: 20, State: 1024},
					job{ID: 1, Submit: 20, Start: 30, End: 40, State: 1024, Limit: 50},
					job{ID: 1, Submit: 40, Limit: 50},
				),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"20 requeue 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"30 start 1 of 1001: 1 x 1 for 3000 in main since 0\n" +
				"40 requeue 1 of 1001: 1 x 1 for 3000 in main since 0\n",
		},
		{
			name: "requeued and cancelled",
			steps: steps(
				put(job{ID: 1, Submit: 0, Start: 10}),
				put(job{ID: 1, Submit: 0, Start: 10, End: 90, State: 1024},
					job{ID: 1, Submit: 90, End: 95, State: 4}),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"90 requeue 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"95 end 1 never ran\n",
		},
		{
			name: "requeued in the second of its start",
			steps: steps(put(
				job{ID: 1, Submit: -50, Start: -40, End: -40, State: 1024},
				job{ID: 1, Submit: -40},
			)),
			live: "-50 submit 1 of 1001: 1 x 1 for 3600 in main\n",
		},
		{
			name: "requeued, as was an older job of the same id",
			steps: steps(put(
				job{ID: 1, Submit: -90_000, Start: -80_000, End: -70_000, State: 1024},
				job{ID: 1, Submit: -20_000, Start: -19_000, End: -9000, State: 1024},
				job{ID: 1, Submit: -8900},
			)),
			edit: func(c *slurmdb.Config) { c.History = 3600 },
			live: "-20000 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-19000 start 1 of 1001: 1 x 1 for 3600 in main since -20000\n" +
				"-9000 requeue 1 of 1001: 1 x 1 for 3600 in main since -20000\n",
		},
		{
			name: "requeued and never seen again",
			steps: steps(
				put(job{ID: 1, Submit: -9000, Start: -8000}),
				put(job{ID: 1, Submit: -9000, Start: -8000, End: -7000, State: 1024}),
			),
			live: "-9000 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-8000 start 1 of 1001: 1 x 1 for 3600 in main since -9000\n" +
				"-7000 requeue 1 of 1001: 1 x 1 for 3600 in main since -9000\n" +
				"-7000 end 1 never ran\n",
		},
		{
			name: "preempted and requeued",
			steps: steps(
				put(job{ID: 1, Submit: 0, Start: 10}),
				put(job{ID: 1, Submit: 0, Start: 10, End: 90, State: 8}),
				put(job{ID: 1, Submit: 121, Eligible: 242}),
				put(job{ID: 1, Submit: 121, Eligible: 242, Start: 250}),
				put(job{ID: 1, Submit: 121, Eligible: 242, Start: 250, End: 390}),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"90 requeue 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"121 hold 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"242 release 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"250 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"390 end 1 ran 250..390 suspended 0\n",
		},
		{
			name: "requeued as a node failed, before the history",
			steps: steps(put(
				job{ID: 1, Submit: -9000, Start: -8000, End: -7000, State: 7},
				job{ID: 1, Submit: -6990},
			)),
			edit: func(c *slurmdb.Config) { c.History = 3600 },
			live: "-9000 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-8000 start 1 of 1001: 1 x 1 for 3600 in main since -9000\n" +
				"-7000 requeue 1 of 1001: 1 x 1 for 3600 in main since -9000\n",
		},
		{
			name: "preempted for good",
			steps: steps(
				put(job{ID: 1, Submit: 0, Start: 10}),
				put(job{ID: 1, Submit: 0, Start: 10, End: 90, State: 8}),
				put(), put(), put(), // its next row might come still
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"90 end 1 ran 10..90 suspended 0\n",
		},
		{
			name: "preempted for good while suspended, and another job has its id",
			steps: steps(
				both(put(job{ID: 1, Submit: 0, Start: 10, State: 2, Suspended: t0 + 60}), pause(0, 60, 0)),
				both(put(job{ID: 1, Submit: 0, Start: 10, End: 90, State: 8, Suspended: t0 + 60}), pause(0, 60, 90)),
				put(job{ID: 1, User: 1002, Submit: 150}),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"60 suspend 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"90 end 1 ran 10..90 suspended 30\n" +
				"150 submit 1 of 1002: 1 x 1 for 3600 in main\n",
		},
		{
			name: "resized",
			steps: steps(
				put(job{ID: 1, Submit: 0, Start: 10, CPUs: 8}),
				put(
					job{ID: 1, Submit: 0, Start: 10, CPUs: 8, End: 90, State: 8192},
					job{ID: 1, Submit: 90, Start: 10, CPUs: 2, State: 1},
				),
				put(job{ID: 1, Submit: 90, Start: 10, CPUs: 2, End: 190}),
			),
			live: "0 submit 1 of 1001: 1 x 8 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 8 for 3600 in main since 0\n" +
				"90 change 1 of 1001: 1 x 2 for 3600 in main since 0\n" +
				"190 end 1 ran 10..190 suspended 0\n",
		},
		{
			name: "resized, and the next row comes late",
			steps: steps(
				put(job{ID: 1, Submit: 0, Start: 10, CPUs: 8}),
				put(job{ID: 1, Submit: 0, Start: 10, CPUs: 8, End: 90, State: 8192}),
				put(job{ID: 1, Submit: 90, Start: 10, CPUs: 16, State: 1}),
			),
			live: "0 submit 1 of 1001: 1 x 8 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 8 for 3600 in main since 0\n" +
				"90 change 1 of 1001: 1 x 16 for 3600 in main since 0\n",
		},
		{
			name: "resized, and the next row comes an hour late",
			steps: steps(
				put(job{ID: 1, Submit: -9000, Start: -8990, CPUs: 8}),
				put(job{ID: 1, Submit: -9000, Start: -8990, CPUs: 8, End: -3400, State: 8192}),
				put(), // it is 200
				put(job{ID: 1, Submit: -3400, Start: -8990, CPUs: 16, State: 1}),
			),
			live: "-9000 submit 1 of 1001: 1 x 8 for 3600 in main\n" +
				"-8990 start 1 of 1001: 1 x 8 for 3600 in main since -9000\n" +
				"-3400 change 1 of 1001: 1 x 16 for 3600 in main since -9000\n",
		},
		{
			name: "heterogeneous",
			steps: steps(
				put(job{ID: 20, Het: 20, CPUs: 1}, job{ID: 21, Het: 20, CPUs: 6}),
			),
			live: "0 submit 20 of 1001: 1 x 1 for 3600 in main group 20\n" +
				"0 submit 21 of 1001: 1 x 6 for 3600 in main group 20\n",
		},
		{
			name: "suspended twice",
			steps: steps(
				put(job{ID: 1, Submit: 0, Start: 10}),
				both(put(job{ID: 1, Submit: 0, Start: 10, State: 2, Suspended: t0 + 60}), pause(0, 60, 0)),
				both(put(job{ID: 1, Submit: 0, Start: 10, State: 1, Suspended: 100}), pause(0, 60, 160)),
				both( // Suspended, resumed and suspended again between two polls.
					put(job{ID: 1, Submit: 0, Start: 10, State: 2, Suspended: t0 + 290 - 130}),
					pause(0, 210, 240), pause(0, 290, 0)),
				both(put(job{ID: 1, Submit: 0, Start: 10, State: 1, Suspended: 170}), pause(0, 290, 330)),
				put(job{ID: 1, Submit: 0, Start: 10, End: 490, Suspended: 170}),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"60 suspend 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"160 resume 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"210 suspend 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"240 resume 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"290 suspend 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"330 resume 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"490 end 1 ran 10..490 suspended 170\n",
		},
		{
			name: "cancelled while suspended",
			steps: steps(
				both(put(job{ID: 1, Submit: -90, Start: -80, State: 2, Suspended: t0 - 50}), pause(-90, -50, 0)),
				both(put(job{ID: 1, Submit: -90, Start: -80, End: 90, State: 4, Suspended: t0 - 50}), pause(-90, -50, 90)),
			),
			live: "-90 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-80 start 1 of 1001: 1 x 1 for 3600 in main since -90\n" +
				"-50 suspend 1 of 1001: 1 x 1 for 3600 in main since -90\n" +
				"90 end 1 ran -80..90 suspended 140\n",
		},
		{
			name: "suspensions purged before the job",
			steps: steps(put(
				job{ID: 1, Submit: -90, Start: -80, End: -10, Suspended: 30},
				job{ID: 2, Submit: -90, Start: -80, End: -10, Suspended: t0 - 50 - 5},
			)),
			live: "-90 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-90 submit 2 of 1001: 1 x 1 for 3600 in main\n" +
				"-80 start 1 of 1001: 1 x 1 for 3600 in main since -90\n" +
				"-80 start 2 of 1001: 1 x 1 for 3600 in main since -90\n" +
				"-10 end 1 ran -80..-10 suspended 30\n" +
				"-10 end 2 ran -80..-10 suspended 45\n",
		},
		{
			name: "resized after a suspension",
			steps: steps(
				both(put(job{ID: 1, Submit: 0, Start: 10, Suspended: 20}), pause(0, 20, 40)),
				both(
					put(job{ID: 1, Submit: 0, Start: 10, End: 90, State: 8192, Suspended: 20}),
					put(job{ID: 1, Submit: 90, Start: 10, State: 1, CPUs: 2, Suspended: 30}),
					pause(90, 95, 125),
				),
				put(job{ID: 1, Submit: 90, Start: 10, CPUs: 2, Suspended: 30, End: 190}),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"20 suspend 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"40 resume 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"90 change 1 of 1001: 1 x 2 for 3600 in main since 0\n" +
				"95 suspend 1 of 1001: 1 x 2 for 3600 in main since 0\n" +
				"125 resume 1 of 1001: 1 x 2 for 3600 in main since 0\n" +
				"190 end 1 ran 10..190 suspended 50\n",
			cold: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"20 suspend 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"40 resume 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"90 change 1 of 1001: 1 x 2 for 3600 in main since 0\n" +
				"95 suspend 1 of 1001: 1 x 2 for 3600 in main since 0\n" +
				"125 resume 1 of 1001: 1 x 2 for 3600 in main since 0\n" +
				"190 end 1 ran 10..190 suspended 50\n",
		},
		{
			name: "purged while live",
			steps: steps(
				put(job{ID: 1, Submit: 0, Start: 10}, job{ID: 2, Submit: 0}),
				both(purge(1, 0), func(db *slurmdbtest.DB) { db.Run("UPDATE c1_job_table SET deleted = 1 WHERE id_job = 2") }),
			),
			live: "0 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"0 submit 2 of 1001: 1 x 1 for 3600 in main\n" +
				"10 start 1 of 1001: 1 x 1 for 3600 in main since 0\n" +
				"0 end 2 never ran\n" +
				"10 end 1 ran 10..10 suspended 0\n",
			cold: " ",
		},
		{
			name: "ended long before the window, as fixed runaways are",
			steps: steps(
				put(job{ID: 1, Submit: -9000, Start: -8000}),
				put(job{ID: 1, Submit: -9000, Start: -8000, End: -8000}, job{ID: 2, Submit: -30, Start: -20, End: 90}),
				put(job{ID: 3, Submit: 190}),
			),
			live: "-9000 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-8000 start 1 of 1001: 1 x 1 for 3600 in main since -9000\n" +
				"-8000 end 1 ran -8000..-8000 suspended 0\n" +
				"-30 submit 2 of 1001: 1 x 1 for 3600 in main\n" +
				"-20 start 2 of 1001: 1 x 1 for 3600 in main since -30\n" +
				"90 end 2 ran -20..90 suspended 0\n" +
				"190 submit 3 of 1001: 1 x 1 for 3600 in main\n",
			cold: "-9000 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-8000 start 1 of 1001: 1 x 1 for 3600 in main since -9000\n" +
				"-8000 end 1 ran -8000..-8000 suspended 0\n" +
				"-30 submit 2 of 1001: 1 x 1 for 3600 in main\n" +
				"-20 start 2 of 1001: 1 x 1 for 3600 in main since -30\n" +
				"90 end 2 ran -20..90 suspended 0\n" +
				"190 submit 3 of 1001: 1 x 1 for 3600 in main\n",
		},
		{
			name: "slurmdbd was away for longer than the overlap",
			steps: steps(
				put(job{ID: 1, Submit: -700, Start: -600, End: -500}),
				put(), put(), put(), put(),
				put(job{ID: 2, Submit: -450, Start: -400, End: -390}),
			),
			live: "-700 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-600 start 1 of 1001: 1 x 1 for 3600 in main since -700\n" +
				"-500 end 1 ran -600..-500 suspended 0\n" +
				"-450 submit 2 of 1001: 1 x 1 for 3600 in main\n" +
				"-400 start 2 of 1001: 1 x 1 for 3600 in main since -450\n" +
				"-390 end 2 ran -400..-390 suspended 0\n",
		},
		{
			name: "federation siblings and deleted rows",
			steps: steps(
				put(job{ID: 1, Submit: -50, End: -40, State: 1 << 19}, job{ID: 2, Submit: -50, Deleted: 1},
					job{ID: 3, Submit: 0}),
				put(job{ID: 3, Submit: 0, End: 90, State: 1 << 19}),
			),
			live: "0 submit 3 of 1001: 1 x 1 for 3600 in main\n" +
				"90 end 3 never ran\n",
			cold: " ",
		},
		{
			name: "an id used again, and the first job lost",
			steps: steps(
				put(job{ID: 1, Submit: -500, Start: -400}),
				put(job{ID: 1, Submit: 50, User: 1002}),
				put(job{ID: 1, Submit: 50, User: 1002, Start: 150}),
				put(job{ID: 1, Submit: -500, Start: -400, End: 250}), // Closed late.
			),
			live: "-500 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-400 start 1 of 1001: 1 x 1 for 3600 in main since -500\n" +
				"50 end 1 ran -400..50 suspended 0\n" +
				"50 submit 1 of 1002: 1 x 1 for 3600 in main\n" +
				"150 start 1 of 1002: 1 x 1 for 3600 in main since 50\n",
		},
		{
			name: "a task whose row Slurm has not filled in yet",
			steps: steps(
				func(db *slurmdbtest.DB) {
					put(job{ID: 1, Submit: 60, Start: 70, TRESReq: "-"})(db)
					db.Run("UPDATE c1_job_table SET cpus_req = 0, tres_alloc = '' WHERE id_job = 1")
				},
				put(job{ID: 1, Submit: 60, Start: 70, CPUs: 2}),
				func(db *slurmdbtest.DB) {
					put(job{ID: 1, Submit: 60, Start: 70, End: 190, CPUs: 2})(db)
					db.Run("UPDATE c1_job_table SET cpus_req = 0, tres_req = '', tres_alloc = '' WHERE id_job = 1")
				},
				put(job{ID: 1, Submit: 60, Start: 70, End: 190, CPUs: 2}),
			),
			live: "60 submit 1 of 1001: 1 x 2 for 3600 in main\n" +
				"70 start 1 of 1001: 1 x 2 for 3600 in main since 60\n" +
				"190 end 1 ran 70..190 suspended 0\n",
			cold: "60 submit 1 of 1001: 1 x 2 for 3600 in main\n" +
				"70 start 1 of 1001: 1 x 2 for 3600 in main since 60\n" +
				"190 end 1 ran 70..190 suspended 0\n",
		},
		{
			name: "ended before slurmdbd heard of its start",
			steps: steps(
				func(db *slurmdbtest.DB) {
					put(job{ID: 1, User: 1002, Submit: 90, Start: 95, End: 96, CPUs: 2})(db)
					db.Run("UPDATE c1_job_table SET id_user = 0, id_assoc = 0, `partition` = '', tres_req = '', timelimit = 0 WHERE id_job = 1")
				},
				put(job{ID: 1, User: 1002, Submit: 90, Start: 95, End: 96, CPUs: 2}),
			),
			live: "90 submit 1 of 1002: 1 x 2 for 3600 in main\n" +
				"95 start 1 of 1002: 1 x 2 for 3600 in main since 90\n" +
				"96 end 1 ran 95..96 suspended 0\n",
		},
		{
			name: "a runaway",
			steps: steps(
				put(
					job{ID: 1, Submit: -90200, Start: -90100, Limit: 60}, // a day past its hour
					job{ID: 2, Submit: -89800, Start: -89700, Limit: 60}, // not quite, at the last poll
					job{ID: 3, Submit: -90200, Start: -90100, Limit: 4294967295},
				),
				func(*slurmdbtest.DB) {}, // told once
				put(job{ID: 1, Submit: -90200, Start: -90100, End: -90100, Limit: 60}), // and repaired
			),
			live: "-90200 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-90200 submit 3 of 1001: 1 x 1 for 604800 in main\n" +
				"-90100 start 1 of 1001: 1 x 1 for 3600 in main since -90200\n" +
				"-90100 start 3 of 1001: 1 x 1 for 604800 in main since -90200\n" +
				"-89800 submit 2 of 1001: 1 x 1 for 3600 in main\n" +
				"-89700 start 2 of 1001: 1 x 1 for 3600 in main since -89800\n" +
				"-86500 end 1 ran -90100..-86500 suspended 0\n",
			cold: "-90200 submit 3 of 1001: 1 x 1 for 604800 in main\n" +
				"-90100 start 3 of 1001: 1 x 1 for 604800 in main since -90200\n" +
				"-89800 submit 2 of 1001: 1 x 1 for 3600 in main\n" +
				"-89700 start 2 of 1001: 1 x 1 for 3600 in main since -89800\n",
			skips: "1 has run a day past its time limit of 60 min: taken to have ended then; see sacctmgr show runawayjobs\n",
		},
		{
			name: "a runaway that ends after all",
			steps: steps(
				put(job{ID: 1, Submit: -90200, Start: -90100, Limit: 60}),
				put(),
				put(job{ID: 1, Submit: -90200, Start: -90100, End: 190, Limit: 60}),
				put(),
				put(job{ID: 2, Submit: 360}),
			),
			live: "-90200 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-90100 start 1 of 1001: 1 x 1 for 3600 in main since -90200\n" +
				"-86500 end 1 ran -90100..-86500 suspended 0\n" +
				"360 submit 2 of 1001: 1 x 1 for 3600 in main\n",
			cold: "-90200 submit 1 of 1001: 1 x 1 for 3600 in main\n" +
				"-90100 start 1 of 1001: 1 x 1 for 3600 in main since -90200\n" +
				"190 end 1 ran -90100..190 suspended 0\n" +
				"360 submit 2 of 1001: 1 x 1 for 3600 in main\n",
			skips: "1 has run a day past its time limit of 60 min: taken to have ended then; see sacctmgr show runawayjobs\n",
		},
		{
			name: "impossible rows",
			steps: steps(
				put(
					job{ID: 1, Submit: -50, Start: -40, End: -45},
					job{ID: 2, Submit: -50, Start: -60},
					job{ID: 3, Submit: 200000},
					job{ID: 4, CPUs: 1, TRESReq: "1=4294967296"},
					job{ID: 5, CPUs: 1, TRESReq: "1=many"},
					job{ID: 6, Array: 6, Mask: "0xFG", Tasks: 3},
					job{ID: 7, Array: 7, Mask: "0x0", Tasks: 3},
					job{ID: 8, Submit: -50, Start: -40, End: 1e9},
					job{ID: 9, Submit: -50, End: -70, State: 4},
					job{ID: 10, Submit: -50, Start: -40},
				),
				func(db *slurmdbtest.DB) {
					put(job{ID: 10, Submit: -50, Start: -40, End: -45})(db)
					put(job{ID: 11, Submit: -61, TRESReq: "-"})(db)
					db.Run("UPDATE c1_job_table SET cpus_req = 0 WHERE id_job = 11")
				},
			),
			live: "-50 submit 10 of 1001: 1 x 1 for 3600 in main\n" +
				"-40 start 10 of 1001: 1 x 1 for 3600 in main since -50\n" +
				"0 end 10 ran -40..0 suspended 0\n",
			cold: " ",
			skips: "1 ends at 1799999955, before its start at 1799999960\n" +
				"2 starts at 1799999940, before its submission at 1799999950\n" +
				"3 submitted in the future, at 1800200000\n" +
				"4 asks for 4294967296 processors\n" +
				"5 tres_req: not a TRES string: \"1=many\"\n" +
				"6 array_task_str: not a mask of array tasks: \"0xFG\"\n" +
				"7 array record with no pending task (array_task_str \"0x0\")\n" +
				"8 ends in the future, at 2800000000\n" +
				"9 ends at 1799999930, before its submission at 1799999950\n" +
				"10 ends at 1799999955, before its start at 1799999960\n" +
				"11 asks for no processor (cpus_req 0, tres_req \"\")\n",
		},
	}
}
