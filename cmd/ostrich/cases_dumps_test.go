package main

import (
	"strings"
	"testing"
)

const (
	dumpHead = "JobID|JobIDRaw|JobName|User|Account|Submit|Start|End|State|NCPUS|Timelimit\n"
	times    = "2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T01:01:00"
	oneJob   = "1|1|a|bob|phys|" + times + "|COMPLETED|4|02:00:00\n"
	compared = " --procs 8 --policy fairshare --json"
	swfLine  = " 0 0 100 2 -1 -1 2 200 -1 1 1 1 -1 1 -1 -1 -1\n"
)

// one is what compare says of one job of bob's.
var one = []string{"runs.recorded.jobs=1", "users.bob.account=phys"}

// TestDumpCases are cases of dumps of sacct and of logs.
func TestDumpCases(t *testing.T) {
	for _, c := range []filedCase{
		{
			name: "a delimiter in SubmitLine", args: "compare --sacct submitline-pipe.txt" + compared,
			json: []string{"runs.recorded.jobs=2", "users.0.name=alice", "users.0.account=phys", "users=a list of 1"},
		},
		{
			name: "delimiters in texts on both sides", args: "compare --sacct d.txt" + compared,
			files: map[string]string{"d.txt": "JobID|JobIDRaw|Comment|User|Account|Submit|Start|End|State|NCPUS|WorkDir\n" +
				"1|1|a|b|bob|phys|" + times + "|COMPLETED|4|/home/a|b\n"},
			json: one,
		},
		{
			name: "nothing tells which text has the delimiter", args: "compare --sacct d.txt" + compared, bad: true,
			files: map[string]string{"d.txt": "JobID|JobName|User|Account|Partition|Comment|Submit|Start|End|State|NCPUS\n" +
				"1|a|b|bob|phys|main|x|" + times + "|COMPLETED|4\n"},
			says: []string{"d.txt:2: 12 fields, want 11: a text holds the delimiter, and nothing tells which"},
		},
		{name: "None assigned", args: "compare --sacct none-assigned.txt" + compared, json: []string{"runs.recorded.jobs=1", "runs.recorded.wait.mean=60"}},
		{name: "suspended", args: "compare --sacct susp.txt" + compared, json: []string{"runs.recorded.jobs=1", "users.bob.core_hours=2"}},
		{
			name: "an array in one record", args: "compare --sacct arr.txt" + compared,
			json: []string{"runs.recorded.jobs=2", "left_out.unfinished.jobs=4", "left_out.cancelled.jobs=6"},
		},
		{
			name: "arrays with steps and limits", args: "compare --sacct d.txt" + compared,
			files: map[string]string{"d.txt": dumpHead + oneJob +
				"2_[0-3%2]|2|a|bob|phys|2026-01-01T00:00:00|Unknown|Unknown|PENDING|4|02:00:00\n" +
				"3_[0,5,7]|3|a|bob|phys|2026-01-01T00:00:00|Unknown|Unknown|PENDING|4|02:00:00\n" +
				"4_[0-9:2]|4|a|bob|phys|2026-01-01T00:00:00|Unknown|Unknown|PENDING|4|02:00:00\n" +
				"5_[1,3,...]|5|a|bob|phys|2026-01-01T00:00:00|Unknown|Unknown|PENDING|4|02:00:00\n"},
			json: []string{"runs.recorded.jobs=1"}, says: []string{"1 record of pending arrays lists the first tasks only"},
		},
		{name: "JobID alone", args: "compare --sacct jobid-only.txt --procs 16 --policy fairshare --json", json: []string{"runs.recorded.jobs=3"}},
		{name: "fixed width", args: "compare --sacct fixed.txt" + compared, json: []string{"runs.recorded.jobs=1", "users.alice.account=phys"}},
		{
			name: "fixed width, with dashes", args: "compare --sacct d.txt" + compared,
			files: map[string]string{"d.txt": "JobID             User    Account              Submit               Start                 End      State      NCPUS \n" +
				"------------ --------- ---------- ------------------- ------------------- ------------------- ---------- ---------- \n" +
				"1                  bob       phys 2026-01-01T00:00:00 2026-01-01T00:01:00 2026-01-01T01:01:00 OUT_OF_ME+          4 \n" +
				"1.batch                      phys 2026-01-01T00:00:00 2026-01-01T00:01:00 2026-01-01T01:01:00  COMPLETED          4 \n"},
			json: one,
		},
		{
			name: "fixed width, a user cut off", args: "compare --sacct d.txt" + compared, bad: true,
			files: map[string]string{"d.txt": "JobID User Account Submit Start End State NCPUS\n" +
				"1 longuser+ phys 2026-01-01T00:00:00 2026-01-01T00:01:00 2026-01-01T01:01:00 COMPLETED 4\n"},
			says: []string{`"longuser+": cut off at the width of its column: run sacct again with --parsable2`},
		},
		{name: "another delimiter", args: "compare --sacct hat.txt" + compared, json: []string{"runs.recorded.jobs=1", "users.alice.account=phys"}},
		{
			name: "semicolons", args: "compare --sacct d.txt" + compared,
			files: map[string]string{"d.txt": "JobID;User;Account;Submit;Start;End;State;NCPUS\n1;bob;phys;2026-01-01T00:00:00;2026-01-01T00:01:00;2026-01-01T01:01:00;COMPLETED;4\n"},
			json:  one,
		},
		{name: "tabs, as the shell is told of them", args: `compare --sacct d.txt --delimiter \t` + compared, files: map[string]string{"d.txt": strings.ReplaceAll(dumpHead+oneJob, "|", "\t")}, json: one},
		{
			name: "commas between columns and in one of them", args: "compare --sacct d.txt" + compared,
			files: map[string]string{"d.txt": "JobID,User,Account,AllocTRES,Submit,Start,End,State\n1,bob,phys,billing=4,cpu=4,node=1," + strings.ReplaceAll(times, "|", ",") + ",COMPLETED\n"},
			json:  append([]string{"users.bob.core_hours=4"}, one...),
		},
		{
			name: "commas, and a name that may have taken some", args: "compare --sacct d.txt" + compared, bad: true,
			files: map[string]string{"d.txt": "JobID,User,Account,JobName,AllocTRES,Submit,Start,End,State,NCPUS\n1,bob,phys,x,billing=4,cpu=4,node=1," +
				strings.ReplaceAll(times, "|", ",") + ",COMPLETED,4\n"},
			says: []string{"d.txt:2: 12 fields, want 10: a text holds the delimiter, and nothing tells which (sacct --delimiter '^|^' puts another one between the columns)"},
		},
		{name: "a comment before the header", args: "compare --sacct title.txt" + compared, json: []string{"runs.recorded.jobs=2"}},
		{
			name: "what a shell wrote before the header", args: "compare --sacct d.txt" + compared,
			files: map[string]string{"d.txt": "[root@head ~]# sacct -P\nThu Jan  1 00:00:00 UTC 2026\nsacct: warning: slow\n" + dumpHead + oneJob},
			json:  one, says: []string{"3 lines before the header are left out."},
		},
		{
			name: "and no header", args: "compare --sacct d.txt" + compared, bad: true,
			files: map[string]string{"d.txt": "a title\n" + oneJob}, says: []string{"d.txt:1: 1 field, which is not those of Open XDMoD, and no header"},
		},
		{name: "UTF-16", args: "compare --sacct d.txt" + compared, bad: true, files: map[string]string{"d.txt": "\xff\xfeJ\x00o\x00b\x00"}, says: []string{"d.txt: is text in UTF-16"}},
		{name: "JobIDRaw is not there", args: "compare --sacct noraw.txt" + compared, json: []string{"runs.recorded.jobs=1"}},
		{
			name: "a column is not there", args: "compare --sacct d.txt" + compared, bad: true,
			files: map[string]string{"d.txt": "JobID|User|Submit|Start|End|NCPUS|JobIDRaw\n1|bob|" + times + "|4|1\n"},
			says:  []string{"the header lacks columns: State; run sacct again with them"},
		},
		{
			name: "what a job that had not started asked for is not there", args: "compare --sacct d.txt" + compared,
			files: map[string]string{"d.txt": "JobID|User|Account|Submit|Start|End|State|NCPUS\n1|bob|phys|" + times + "|COMPLETED|4\n" +
				"2|bob|phys|2026-01-01T00:00:00|Unknown|Unknown|PENDING|0\n"},
			json: one, says: []string{"1 job that had not started is left out: it held no processors, and the dump has neither ReqCPUS nor ReqTRES"},
		},
		{
			name: "columns without a header", args: "compare --sacct d.txt --delimiter ; --columns jobid,user,account,submit,start,end,state,ncpus" + compared,
			files: map[string]string{"d.txt": "1;bob;phys;2026-01-01T00:00:00;2026-01-01T00:01:00;2026-01-01T01:01:00;COMPLETED;4\n"},
			json:  one,
		},
		{
			name: "neither header nor columns", args: "compare --sacct d.txt" + compared, bad: true,
			files: map[string]string{"d.txt": "1|bob|phys|" + times + "|COMPLETED|4\n"}, says: []string{"no header: name them with --columns"},
		},
		{name: "a mark before a dump, and CRLF", args: "compare --sacct d.txt" + compared, files: map[string]string{"d.txt": "\ufeff" + dumpHead[:len(dumpHead)-1] + "\r\n" + oneJob}, json: one},
		{
			name: "a mark before associations", args: "compare --sacct d.txt --slurm-config as-bom.txt" + compared,
			files: map[string]string{"d.txt": dumpHead + oneJob}, json: one,
		},
		{name: "a mark before slurm.conf", args: "compare --sacct d.txt --slurm-config m.conf --policy fairshare --json", files: map[string]string{
			"d.txt": "JobID|User|Account|Partition|Submit|Start|End|State|NCPUS\n1|bob|phys|main|" + times + "|COMPLETED|4\n",
			"m.conf": "\ufeffClusterName=c\nPriorityType=priority/multifactor\nPriorityWeightFairshare=1000\n" +
				"NodeName=n1 CPUs=8\nPartitionName=main Nodes=n1 Default=YES\n",
		}, json: []string{"processors=8"}},
		{name: "a mark before a log", args: "compare --swf s-bom.swf --policy fairshare --json", json: []string{"processors=8"}},
		{name: "a comma in MaxProcs", args: "compare --swf s-procs-comma.swf --policy fairshare --json", json: []string{"processors=1024"}},
		{name: "an = after MaxProcs", args: "compare --swf s-procs-eq.swf --policy fairshare --json", json: []string{"processors=8"}},
		{name: "a new line in a name", args: "compare --sacct nl-mid.txt" + compared, json: []string{"runs.recorded.jobs=2", "users.alice.account=phys"}},
		{
			name: "a record that ends in the middle", args: "compare --sacct d.txt --lenient" + compared,
			files: map[string]string{"d.txt": dumpHead + "2|2|f20\n" + oneJob + "3|3|f20\n"}, json: one,
			says: []string{"2 records are malformed or impossible: left out. The first: sacct:", "d.txt:2: 3 fields, want 11"},
		},
		{name: "a limit of INFINITE", args: "compare --sacct k-limit-inf.txt" + compared, json: []string{"runs.recorded.jobs=2"}},
		{name: "a limit in minutes", args: "compare --sacct k-limit-min.txt" + compared, json: []string{"runs.recorded.jobs=2"}},
		{name: "a state cut off", args: "compare --sacct k-trunc-state.txt" + compared, json: []string{"runs.recorded.jobs=2"}},
		{name: "fractions of seconds", args: "compare --swf s-float-times.swf --policy fairshare --json", json: []string{"runs.recorded.jobs=3"}},
		{name: "17 fields", args: "compare --swf s-17f.swf --policy fairshare --json", json: []string{"runs.recorded.jobs=2"}},
		{name: "a comment behind #", args: "compare --swf s-hash-comment.swf --policy fairshare --json", json: []string{"runs.recorded.jobs=1"}},
		{name: "CRLF in a log", args: "compare --swf l.swf --policy fairshare --json", files: map[string]string{"l.swf": "; MaxProcs: 8\r\n1" + swfLine}, json: []string{"processors=8"}},
		{
			name: "parts of a job, and the whole", args: "compare --swf l.swf --policy fairshare --json",
			files: map[string]string{"l.swf": "; MaxProcs: 8\n1 0 10 200 2 -1 -1 2 300 -1 1 1 1 -1 1 -1 -1 -1\n" +
				"1 0 10 100 2 -1 -1 2 300 -1 2 1 1 -1 1 -1 -1 -1\n1 110 10 100 2 -1 -1 2 300 -1 3 1 1 -1 1 -1 -1 -1\n" +
				"2 0 10 100 2 -1 -1 2 300 -1 4 1 1 -1 1 -1 -1 -1\n"},
			json: []string{"runs.recorded.jobs=2"}, says: []string{"2 lines left out: parts of jobs that have a line as a whole."}, not: []string{"number of another"},
		},
		{
			name: "two logs in one", args: "simulate --swf l.swf --policy fcfs", files: map[string]string{"l.swf": "; MaxProcs: 8\n1" + swfLine + "; MaxProcs: 16\n2" + swfLine},
			says: []string{"MaxProcs is in the header as 8 and 16, of which the first counts"},
		},
		{
			name: "more processors in use than there are", args: "compare --swf l.swf --policy fairshare --json",
			files: map[string]string{"l.swf": "; MaxNodes: 2\n1" + swfLine + "2" + swfLine}, json: []string{"processors=2"},
			says: []string{"The header of the log says 2 processors, and the jobs used more for 100 % of the time, up to 4"},
		},
		{
			name: "as many, where times are rounded", args: "compare --swf l.swf --policy fairshare --json",
			files: map[string]string{"l.swf": "; MaxNodes: 2\n1 0 0 1000 2 -1 -1 2 2000 -1 1 1 1 -1 1 -1 -1 -1\n2 0 999 1000 2 -1 -1 2 2000 -1 1 1 1 -1 1 -1 -1 -1\n"},
			json:  []string{"processors=2"}, not: []string{"the jobs used more"},
		},
		{name: "thousands", args: "compare --sacct nbsp.txt --procs 400 --policy fairshare,fcfs --long", says: []string{" 2 400 "}, not: []string{`\u`}},
		{name: "thousands for programs", args: "compare --sacct nbsp.txt --procs 400 --policy fairshare,fcfs --parsable2", says: []string{"user1|phys|2400|"}, not: []string{`\u`, "−", " s|"}},
	} {
		t.Run(c.name, func(t *testing.T) { checkCase(t, &c) })
	}
}
