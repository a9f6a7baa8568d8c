package priority

import (
	"fmt"
	"math"
	"strings"
)

// Surroundings decides, with the controller's configuration, whether an order can
// do harm.
type Surroundings struct {
	Partitions []Partition
	Thresholds []Threshold // of associations
	Clusters   []string    // of the database
}

// Harm is a setting of Slurm's under which an order can do harm.
type Harm struct {
	Hint

	Setting string
	Fatal   bool // nothing may be written
}

// harms lists the settings under which an order can do harm, or does less than it
// seems to. The effects were read in Slurm's sources, releases 20.11 to 26.05.
var harms = []struct {
	setting string
	fatal   bool
	where   func(*view) []string // where it is set, one for each
	leads   string               // what that leads to
	fix     string
}{
	{
		"PreemptMode=WITHIN", true, (*view).within,
		"jobs end running jobs of their own QOS that have a lower priority, so every change of the order ends running jobs",
		"remove WITHIN from slurm.conf's PreemptMode, or with sacctmgr from the QOS",
	},
	{
		"PreemptMode=PRIORITY", true, (*view).byPriority,
		"a job preempts only what has a lower priority, and a running job keeps the value that it started with, so places in the order decide what QOS or partitions should",
		"remove PRIORITY from the PreemptMode of slurm.conf, its partitions and, with sacctmgr, of the QOS",
	},
	{
		"min_exempt_priority", true, (*view).exempt,
		"running jobs above that priority are never preempted, and that is where the order puts jobs",
		"remove min_exempt_priority from slurm.conf's PreemptParameters, or use a priority.mode weight that stays below it",
	},
	{
		"PreemptExemptTime", false, (*view).spared,
		"it does not make the settings above harmless: a job is spared for that time only",
		"remove what is named above",
	},
	{
		"bf_min_prio_reserve", false, (*view).reserve,
		"Slurm keeps nodes free only for jobs from that priority on: ordered jobs are above it whoever they belong to, and jobs that are left alone or new are not",
		"remove bf_min_prio_reserve from slurm.conf's SchedulerParameters, or set it to 1",
	},
	{
		"MinPrioThreshold", false, (*view).thresholds,
		"Slurm keeps nodes free only for jobs from that priority on: ordered jobs are above it whoever they belong to, and jobs that are left alone or new are not",
		"set MinPrioThresh=-1 with sacctmgr",
	},
	{
		"PriorityFlags", false, (*view).unbounded,
		"factors have no upper bound, so the step between ranks follows the largest one that was seen, and a weight says little",
		"remove NO_NORMAL_* from slurm.conf's PriorityFlags",
	},
	{
		"PriorityWeight", false, (*view).few,
		"jobs that share a rank go by Slurm's own factors",
		"divide all PriorityWeight* of slurm.conf by the same number, or use priority.mode weight",
	},
	{
		"federation", true, (*view).federated,
		"an update of a job is sent to its siblings on the other clusters, where another order holds, and each sibling's work counts on each cluster",
		"take the cluster out of the federation with sacctmgr, or stay in mode observe",
	},
	{
		"clusters", false, (*view).others,
		"they share QOS, accounts and users, of which a change for one is a change for all; this configuration orders the jobs of one",
		"nothing, if each has a daemon with a configuration, journal and listen of its own, or none",
	},
}

// flags says what each of PriorityFlags means for an order. Those of the table
// above and of Check are not harmless.
var flags = map[string]string{
	"ACCRUE_ALWAYS":          "age also grows while a job cannot start; in mode strict that crosses no rank",
	"CALCULATE_RUNNING":      "priorities of running jobs move too, and nothing asks for them",
	"DEPTH_OBLIVIOUS":        "another formula for fairshare, which stays below its weight",
	"FAIR_TREE":              "the default formula for fairshare",
	"NO_FAIR_TREE":           "another formula for fairshare, which stays below its weight",
	"INCR_ONLY":              "Slurm's own priorities never fall; a pin is set whatever was before",
	"MAX_TRES":               "decides what a job is charged, not where it stands",
	"MAX_TRES_GRES":          "decides what a job is charged, not where it stands",
	"SMALL_RELATIVE_TO_TIME": "another formula for the size of a job, which stays below its weight",
}

// Flag is one of PriorityFlags.
type Flag struct {
	Name  string
	Means string // for an order; "" where Check or Harms says so, or for one that is not known
	Known bool
}

// Flags lists the PriorityFlags with what each means for an order.
func Flags(o Options) []Flag {
	var all []Flag
	for _, name := range o.Controller.PriorityFlags {
		name = strings.ToUpper(name)
		means, known := flags[name]
		if name == "INCR_ONLY" && o.Channel != Priority {
			means = "" // Check refuses it
		}
		all = append(all, Flag{name, means, known || strings.HasPrefix(name, "NO_NORMAL_")})
	}
	return all
}

// Harms lists the settings under which an order can do harm, in the order of the
// table.
func Harms(o Options, s Surroundings) []Harm {
	v := view{Options: o, Surroundings: s}
	var all []Harm
	for _, h := range harms {
		for _, where := range h.where(&v) {
			all = append(all, Harm{Hint{where + ": " + h.leads, h.fix}, h.setting, h.fatal})
		}
	}
	return all
}

// Harmless returns an error of kind ErrImpossible if an order would do harm,
// and nil if not.
func Harmless(o Options, partitions []Partition) error {
	for _, h := range Harms(o, Surroundings{Partitions: partitions}) {
		if h.Fatal {
			return fmt.Errorf("%s: %w", h.Setting, impossible("%s; %s", h.Found, h.Fix))
		}
	}
	return nil
}

// view is where the settings are looked up.
type view struct {
	Options
	Surroundings
}

// preempts reports whether jobs preempt others, by the plugin of that name; ""
// stands for any.
func (v *view) preempts(plugin string) bool {
	is := v.Controller.PreemptType
	return is != "" && (plugin == "" || is == "preempt/"+plugin)
}

// hasMode reports whether a PreemptMode contains a word. Slurm prints GANG and
// WITHIN together, and any other two of such words, as UNKNOWN.
func hasMode(mode, word string) bool {
	for m := range strings.SplitSeq(strings.ToUpper(mode), ",") {
		if m == word || m == "UNKNOWN" {
			return true
		}
	}
	return false
}

// modes lists where a PreemptMode has a word: slurm.conf and QOS.
func (v *view) modes(word string) (where []string) {
	if hasMode(v.Controller.PreemptMode, word) {
		where = append(where, "PreemptMode="+v.Controller.PreemptMode)
	}
	if v.preempts("qos") {
		for _, q := range v.Controller.QOS {
			if hasMode(q.PreemptMode, word) {
				where = append(where, fmt.Sprintf("PreemptMode=%s of QOS %s", q.PreemptMode, q.Name))
			}
		}
	}
	return where
}

func (v *view) within() []string {
	if !v.preempts("qos") {
		return nil // only this plugin knows it
	}
	return v.modes("WITHIN")
}

func (v *view) byPriority() []string {
	if !v.preempts("") {
		return nil
	}
	where := v.modes("PRIORITY")
	if v.preempts("partition_prio") {
		for _, p := range v.Partitions {
			if hasMode(p.PreemptMode, "PRIORITY") {
				where = append(where, fmt.Sprintf("PreemptMode=%s of partition %s", p.PreemptMode, p.Name))
			}
		}
	}
	return where
}

// top returns the highest priority that an ordered job can get.
func (v *view) top() int64 {
	switch base := v.Controller.Weights.Sum(); {
	case v.Channel == Priority:
		return maxPriority
	case v.Mode == Weight:
		return base + v.Weight
	default:
		return min(maxPriority, base+limit)
	}
}

func (v *view) exempt() []string {
	n, set := v.Controller.parameterOf(v.Controller.PreemptParameters, "min_exempt_priority")
	if !set || !v.preempts("") || n >= v.top() {
		return nil
	}
	return []string{fmt.Sprintf("PreemptParameters=min_exempt_priority=%d", n)}
}

func (v *view) spared() []string {
	t := v.Controller.PreemptExemptTime
	if t <= 0 || len(v.within()) == 0 && len(v.byPriority()) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("PreemptExemptTime of %d s", t)}
}

func (v *view) reserve() []string {
	n, set := v.Controller.parameterOf(v.Controller.SchedulerParameters, "bf_min_prio_reserve")
	if !set || n <= 1 {
		return nil // no priority is below 1
	}
	return []string{fmt.Sprintf("SchedulerParameters=bf_min_prio_reserve=%d", n)}
}

// thresholds lists those of QOS, of partitions by their QOS, and of associations.
// Slurm checks them only where limits are enforced.
func (v *view) thresholds() (where []string) {
	enforced := false
	for _, word := range v.Controller.AccountingEnforce {
		enforced = enforced || strings.EqualFold(word, "limits") || strings.EqualFold(word, "safe") || strings.EqualFold(word, "all")
	}
	if !enforced {
		return nil
	}
	for _, q := range v.Controller.QOS {
		if q.Threshold <= 1 {
			continue
		}
		of := []string{"QOS " + q.Name}
		for _, p := range v.Partitions {
			if p.QOS == q.Name {
				of = append(of, "which is that of partition "+p.Name)
			}
		}
		where = append(where, fmt.Sprintf("MinPrioThreshold=%d of %s", q.Threshold, strings.Join(of, ", ")))
	}
	for _, t := range v.Thresholds {
		if t.Priority > 1 {
			where = append(where, fmt.Sprintf("MinPrioThreshold=%d of %s", t.Priority, t.Association))
		}
	}
	return where
}

func (v *view) unbounded() []string {
	if v.Channel == Priority || !v.Controller.unbounded() {
		return nil
	}
	return []string{"PriorityFlags has NO_NORMAL_*"}
}

// few lists weights that leave fewer exact ranks than Slurm looks at jobs.
func (v *view) few() []string {
	sum := v.Controller.Weights.Sum()
	w, err := v.window(sum, 0)
	if v.Mode == Weight || err != nil {
		return nil // no ranks, or none at all, of which Check tells
	}
	depth := int64(v.Depth)
	if depth == 0 {
		depth = int64(v.Controller.Depth())
	}
	ranks := max(1, w.ranks()/2)
	if ranks >= depth {
		return nil
	}
	return []string{fmt.Sprintf("the PriorityWeight* add up to %d, which leaves %d exact ranks for the %d jobs that Slurm looks at", sum, ranks, depth)}
}

func (v *view) federated() []string {
	if v.Controller.Federation == "" {
		return nil
	}
	return []string{"federation " + v.Controller.Federation}
}

func (v *view) others() []string {
	if len(v.Clusters) < 2 {
		return nil
	}
	return []string{fmt.Sprintf("%d clusters in one database (%s)", len(v.Clusters), strings.Join(v.Clusters, ", "))}
}

// parameterOf returns the number of an element "name=number" of a list of
// parameters. What Slurm cannot read as one counts as not set.
func (c *Controller) parameterOf(list []string, name string) (int64, bool) {
	for _, p := range list {
		key, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(key, name) {
			var n int64
			if _, err := fmt.Sscan(value, &n); err == nil && n >= 0 {
				return min(n, math.MaxUint32), true
			}
		}
	}
	return 0, false
}

// Threshold is the MinPrioThreshold of an association.
type Threshold struct {
	Association string // "user ann of account lab"
	Priority    uint32
}
