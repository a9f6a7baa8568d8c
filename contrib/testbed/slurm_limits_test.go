package testbed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
)

// TestLimits: a job that waits for a limit of its account, of its user or of its QOS while processors are idle is told a start, which is not
// now. It is told of what the tables say as of what sacctmgr says.
func TestLimits(t *testing.T) {
	for _, source := range []string{"database", "sacct"} {
		part(t, source, func(t *testing.T) {
			t.Parallel()
			b := up(t, "limits-"+source)
			for _, command := range []string{
				"modify account astro cluster=" + cluster + " set GrpTRES=cpu=4",
				"modify user ob-erin cluster=" + cluster + " set MaxJobs=1",
				"add qos few set MaxTRESPerUser=cpu=2",
				"modify user ob-heidi cluster=" + cluster + " set qos+=few",
			} {
				b.do(t, "root", "sacctmgr", append([]string{"-i"}, strings.Fields(command)...)...)
			}
			runs := b.submit(t, "ob-alice", "--ntasks=4", "--time=30", "--wrap", "sleep 600")
			b.running(t, runs)
			b.running(t, b.submit(t, "ob-erin", "--time=30", "--wrap", "sleep 600"))
			b.running(t, b.submit(t, "ob-heidi", "--ntasks=2", "--time=30", "--qos=few", "--wrap", "sleep 600"))
			reasons := map[string]string{
				b.submit(t, "ob-bob", "--time=5"):                        "AssocGrpCpuLimit",
				b.submit(t, "ob-erin", "--time=5"):                       "AssocMaxJobsLimit",
				b.submit(t, "ob-heidi", "--time=5", "--qos=few"):         "QOSMaxCpuPerUserLimit",
				b.submit(t, "ob-heidi", "--time=5", "--begin=now+1hour"): "BeginTime",
			}
			d := b.daemon(t, "--source", source)
			d.cycles(t, 1)
			eventually(t, "who waits for a limit is told when it starts", func() string {
				now, odds := ostrich.Time(time.Now().Unix()), oddsOf(t, b, d)
				for id, reason := range reasons {
					if got := strings.TrimSpace(b.do(t, "root", "squeue", "--noheader", "--jobs="+id, "--format=%r")); got != reason {
						return "job " + id + " waits for " + got + ", not " + reason
					}
					at, told := odds[id]
					if told != (reason != "BeginTime") || told && at[1] < now+5 {
						return fmt.Sprintf("%s: %v at %d", reason, at, now)
					}
				}
				return ""
			})
			b.do(t, "ob-alice", "scancel", runs)
		})
	}
}
