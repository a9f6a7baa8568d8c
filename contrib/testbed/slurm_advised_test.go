package testbed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// advised are the cases of TestAdvice. What no case makes wrong does not go wrong on this
// Slurm, 22.05: another PriorityType, a release or a flag that OStrich does not know, a
// plugin for SiteFactors, PreemptMode=PRIORITY, min_exempt_priority, SHOW GRANTS refused.
// The predictors have a test script, as they take a history of jobs.
func (b *bed) advised(t *testing.T) []advised {
	root := func(args ...string) func(*testing.T) {
		return func(t *testing.T) { t.Helper(); b.do(t, "root", args[0], args[1:]...) }
	}
	acct := func(line string) func(*testing.T) {
		return root(append([]string{"sacctmgr", "-i", "-Q"}, strings.Fields(line)...)...)
	}
	all := func(steps ...func(*testing.T)) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			for _, step := range steps {
				step(t)
			}
		}
	}
	query := func(q string) func(*testing.T) { return func(t *testing.T) { t.Helper(); b.sql(t, q) } }
	again := func(t *testing.T) { t.Helper(); b.start(t) } // starts what was killed
	none := func(advice ...string) map[string]func(*testing.T) {
		m := make(map[string]func(*testing.T))
		for _, a := range advice {
			m[a] = nil
		}
		return m
	}
	// apart takes away what the case of a federation makes, as far as it is there.
	apart := func(t *testing.T) {
		b.try(t, "root", "sacctmgr", "-i", "-Q", "delete", "federation", "fed")
		b.try(t, "root", "sacctmgr", "-i", "-Q", "delete", "cluster", "other")
	}
	password, err := os.ReadFile(b.dir + "/etc/ostrich.password")
	if err != nil {
		t.Fatal(err)
	}
	grants := func(t *testing.T) { t.Helper(); b.grants(t, strings.TrimSpace(string(password))) }
	dir := filepath.Join(b.dir, "advised")
	journal := []string{"--journal", dir + "/journal.jsonl"}
	write := func(name, text string) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			b.do(t, "root", "install", "-d", "-o", operator, dir)
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			b.do(t, "root", "chown", operator, name)
		}
	}
	return []advised{
		{
			what: "slurm.conf",
			set: []string{
				"PreemptType=preempt/qos", "PreemptMode=WITHIN,REQUEUE", "PreemptExemptTime=10",
				"SchedulerParameters=sched_interval=2,bf_min_prio_reserve=5000", "SlurmctldParameters=rl_enable,rl_refill_rate=7", "PriorityFlags=NO_NORMAL_TRES,MAX_TRES",
				"PriorityWeightQOS=10000000",
			},
			wrong: []string{
				"priority SlurmctldParameters=rl_enable holds every user but root and SlurmUser to 7 ", "priority SchedulerParameters lacks bf_continue",
				"PreemptMode=WITHIN ", "PreemptExemptTime ", "bf_min_prio_reserve ", "PriorityFlags ", "PriorityWeight ",
			},
			by: map[string]func(*testing.T){
				"do as said of the lines above, and it no longer matters": nil,
				"set it to 1": nil, // tried in priority/harm_test.go
			},
		},
		{
			what: "huge weights", set: []string{"PriorityWeightQOS=2000000000"},
			wrong: []string{"priority channel sitefactor, mode strict under priority/multifactor: the weights "},
		},
		{
			what: "few ranks", set: []string{"PriorityWeightQOS=10000000"},
			wrong: []string{"PriorityWeight the PriorityWeight* add up to "},
		},
		{
			what: "a weight of few ranks", args: []string{"--priority-mode", "weight=50"},
			wrong: []string{"PriorityWeight priority.mode weight=50 gives 50 ranks, and 1000 are needed"},
		},
		{
			what: "INCR_ONLY", set: []string{"PriorityFlags=INCR_ONLY"}, wrong: []string{"priority channel sitefactor, mode strict under priority/multifactor: PriorityFlags=INCR_ONLY"},
			remains: []string{"priority"}, // channel priority is warned of
		},
		{what: "basic", set: []string{"PriorityType=priority/basic"}, wrong: []string{"priority channel sitefactor, mode strict under priority/basic: "}},
		{
			what: "basic and nice", set: []string{"PriorityType=priority/basic"}, args: []string{"--priority-channel", "nice"},
			wrong: []string{"priority channel nice, mode strict under priority/basic: ", "priority channel nice: a job's owner"}, remains: []string{"priority"},
			by: none("nothing; channel sitefactor cannot work here"),
		},
		{
			what: "basic and weight", set: []string{"PriorityType=priority/basic"}, args: []string{"--priority-mode", "weight=5000"},
			wrong: []string{"priority channel sitefactor, mode weight under priority/basic: "},
		},
		{
			what: "pins of a weight", args: []string{"--priority-channel", "priority", "--priority-mode", "weight=5000"},
			wrong: []string{"priority channel priority, mode weight under priority/multifactor: ", "priority channel priority: age"}, remains: []string{"priority"},
		},
		{what: "channel nice", args: []string{"--priority-channel", "nice"}, wrong: []string{"priority channel nice: "}},
		{what: "channel priority", args: []string{"--priority-channel", "priority"}, wrong: []string{"priority channel priority: "}},
		{
			what: "policies",
			set:  []string{"PreemptType=preempt/qos", "PreemptMode=REQUEUE"},
			arrange: all(
				func(t *testing.T) { b.try(t, "root", "sacctmgr", "-i", "-Q", "add", "qos", "kill") },
				acct("modify qos kill set preemptmode=within,requeue minpriothresh=50"), acct("modify user ob-alice where account=astro set minpriothresh=77"),
				acct("modify account bio set minpriothresh=78"),
			),
			wrong: []string{
				"PreemptMode=WITHIN PreemptMode=WITHIN,REQUEUE of QOS kill", "MinPrioThreshold MinPrioThreshold=50 of QOS kill",
				"MinPrioThreshold MinPrioThreshold=77 of user ob-alice of account astro", "MinPrioThreshold MinPrioThreshold=78 of account bio",
				"MinPrioThreshold MinPrioThreshold=78 of user ob-",
			},
		},
		{
			what:    "federation",
			arrange: all(apart, acct("add cluster other"), acct("add federation fed clusters="+cluster+",other")),
			clean:   apart,
			wrong:   []string{"federation federation fed", "clusters 2 clusters in one database"},
			by: map[string]func(*testing.T){
				"nothing, if each has a daemon with a configuration, journal and listen of its own": acct("delete cluster other"),
				"none. Slurm forgets one that is no more with sacctmgr delete cluster":              nil,
				"stay in mode observe": nil,
			},
		},
		{
			what: "tiers", set: []string{"PartitionName=fast Nodes=ALL PriorityTier=5"}, wrong: []string{"partitions PriorityTier differs, which no priority can cross: main 1, debug 1, fast 5"},
			by: none("nothing, if that is wanted; else give all the same PriorityTier in slurm.conf"), remains: []string{"partitions"},
		},
		{
			what: "pools", args: []string{"--pools", "gpu=gpu"}, wrong: []string{"partitions configuration: not usable: pool gpu: "},
			by: none("name only partitions of slurm.conf in pools: main, debug"), mended: []string{"--pools", "gpu=debug"},
		},
		{
			what: "names", args: []string{"--exclude-users", "ob-alcie", "--include-accounts", "boi"}, wrong: []string{"names "},
			by:     none("write them in include and exclude as Slurm does; mode enforce does not begin with names that it does not know"),
			mended: []string{"--exclude-users", "ob-alice", "--include-accounts", "bio"},
		},
		{what: "operator", args: []string{"--as", "ob-alice"}, wrong: []string{"operator ob-alice has AdminLevel None"}, clean: acct("modify user ob-alice set adminlevel=none")},
		{
			what: "operator that slurmdbd does not know", args: []string{"--as", "daemon", "--mode", "enforce"}, wrong: []string{"operator AdminLevel of daemon: user daemon: not known"},
			clean: acct("delete user daemon"),
		},
		{
			what: "comments", args: []string{"--schedule-hints", "comment"}, wrong: []string{"comments "},
		},
		{
			what: "no journal", args: []string{"--journal", ""}, wrong: []string{"journal none"},
			arrange: root("install", "-d", "-o", operator, dir), mended: journal,
			by: none("set journal to a file in a folder that belongs to ostrich, before mode enforce"),
		},
		{what: "no folder", args: journal, arrange: root("rm", "-rf", dir), wrong: []string{"journal stat "}},
		{what: "no folder, as root sees it", args: journal, as: "root", arrange: root("rm", "-rf", dir), wrong: []string{"journal stat "}},
		{what: "somebody else's folder", args: journal, arrange: root("install", "-d", "-o", "root", "-m", "755", dir), wrong: []string{"journal " + dir + " is not writable"}},
		{
			what: "no folder at all", args: []string{"--journal", "/etc/passwd/journal"}, arrange: root("install", "-d", "-o", operator, dir),
			wrong: []string{"journal /etc/passwd is no folder"}, by: none("set journal to a file in a folder"), mended: journal,
		},
		{
			what: "a folder as journal", args: journal, arrange: all(root("install", "-d", "-o", operator, dir), root("install", "-d", "-o", operator, dir+"/journal.jsonl")),
			wrong: []string{"journal "},
			by: map[string]func(*testing.T){
				"remove it": root("rmdir", dir+"/journal.jsonl"), "let it be a regular file of the folder's owner: ostrichd creates what is missing": all(root("rmdir", dir+"/journal.jsonl"), write(dir+"/journal.jsonl", "")),
			},
			clean: root("rm", "-rf", dir),
		},
		{
			what: "a journal that is none", args: journal, arrange: write(dir+"/journal.jsonl", "what\n"), wrong: []string{"journal " + dir + "/journal.jsonl:1: not a record"},
			by: map[string]func(*testing.T){
				"nothing: ostrichd sets the file aside as " + dir + "/journal.jsonl.bad and goes on with the lines that are records": func(t *testing.T) { b.apply(t, journal...) },
			},
			clean: root("rm", "-rf", dir),
		},
		{
			what: "password", args: []string{"--database-password-file", dir + "/password"}, arrange: all(write(dir+"/password", string(password)), root("chown", "root", dir+"/password")),
			wrong: []string{"password "},
			by:    map[string]func(*testing.T){"let database.password_file name a file that this user can read": root("chown", operator, dir+"/password")},
			clean: root("rm", "-rf", dir),
		},
		{
			what: "database", args: []string{"--database-name", "nothing"}, wrong: []string{"database "}, mended: []string{"--database-name", "slurm_acct_db"},
			by: none("set database.name to StorageLoc of slurmdbd.conf; if it is that, grant SELECT on it with grants.sql"),
		},
		{
			what: "cluster", args: []string{"--cluster", "nowhere"}, wrong: []string{"cluster "}, mended: []string{"--cluster", cluster}, by: none("set cluster to one that exists"),
		},
		{
			what: "columns", arrange: query("REVOKE ALL PRIVILEGES, GRANT OPTION FROM ostrich@localhost; GRANT SELECT ON slurm_acct_db.cluster_table TO ostrich@localhost"),
			wrong: []string{"columns "},
			by: map[string]func(*testing.T){
				"grant SELECT on the tables, as grants.sql does; or set database.name to StorageLoc of slurmdbd.conf": grants,
			},
		},
		{
			what: "read-only", arrange: query("GRANT ALL ON slurm_acct_db.* TO ostrich@localhost WITH GRANT OPTION"), wrong: []string{"read-only "},
			by: map[string]func(*testing.T){
				"REVOKE ALL PRIVILEGES, GRANT OPTION FROM `ostrich`@`localhost`; and then grants.sql again": func(t *testing.T) {
					b.sql(t, "REVOKE ALL PRIVILEGES, GRANT OPTION FROM `ostrich`@`localhost`")
					grants(t)
				},
			},
		},
		{
			what: "clocks", arrange: query("SET GLOBAL init_connect='SET timestamp=unix_timestamp()+864000'"), wrong: []string{"clocks "},
			by: map[string]func(*testing.T){"let all hosts follow one time server": query("SET GLOBAL init_connect=''")},
		},
		{
			what: "slurmdbd", arrange: func(t *testing.T) {
				b.kill(t, "slurmdbd")
				b.submit(t, "ob-alice", "--time", "5")
			},
			wrong: []string{"slurmdbd ", "operator ", "harm "},
			by: map[string]func(*testing.T){
				"start slurmdbd": again,
				"see in its log why it does not keep up; until then the virtual schedule stands still": nil,
				"let sacctmgr reach it from here": again,
				"start slurmdbd, and let this user run scontrol show assoc_mgr, scontrol show federation and sacctmgr show associations": again,
			},
			clean: b.empty,
		},
		{
			what: "slurmctld", arrange: func(t *testing.T) { b.kill(t, "slurmctld") }, wrong: []string{"controller ", "slurmdbd "},
			by: map[string]func(*testing.T){
				"start slurmctld": again, "set slurm.conf and slurm.bin to those of its cluster": again, "do as said of the controller": again,
			},
		},
		{
			what: "another slurm.conf", args: []string{"--slurm-conf", "/nowhere/slurm.conf", "--cluster", ""}, wrong: []string{"controller ", "slurmdbd ", "cluster "},
			by: none("start slurmctld", "set slurm.conf and slurm.bin to those of its cluster", "do as said of the controller",
				"set cluster to the ClusterName of slurm.conf"),
			mended: []string{"--slurm-conf", b.conf, "--cluster", cluster},
		},
	}
}
