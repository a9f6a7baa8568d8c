package priority

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/ostrich/plural"
)

// Surroundings is what decides, beside the controller's configuration, whether an order
// can do harm.
type Surroundings struct {
	Partitions []Partition
	Thresholds []Threshold // of associations
	Clusters   []string    // of the database
	Pending    int         // jobs that wait; 0 if that is not known
}

// Harm is a setting of Slurm under which an order can do harm.
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
	where   func(*view) []Hint // a hint for each place where it is set, with a fix of its own or none
	leads   string             // what that leads to
	fix     string             // for hints without their own
}{
	{
		"PreemptMode=WITHIN", true, (*view).within,
		"jobs end running jobs of their own QOS that have a lower priority, so every change of the order ends running jobs",
		"remove WITHIN from slurm.conf's PreemptMode",
	},
	{
		"PreemptMode=PRIORITY", true, (*view).byPriority,
		"a job preempts only what has a lower priority, and a running job keeps the value that it started with, so places in the order decide what QOS or partitions should",
		"remove PRIORITY from slurm.conf's PreemptMode",
	},
	{
		"min_exempt_priority", true, (*view).exempt,
		"running jobs above that priority are never preempted, and that is where the order puts jobs",
		"remove min_exempt_priority from slurm.conf's PreemptParameters, or set priority.mode: weight=N, with an N with which no priority reaches it",
	},
	{
		"priority.classes", true, (*view).preempted,
		"in mode strict its jobs wait behind others by the order alone, so that they never come to preempt",
		"set priority.classes: auto, or priority.mode: weight=N",
	},
	{
		"priority.classes", false, (*view).unclassed,
		"in mode strict that puts no job before another",
		"",
	},
	{
		"PreemptExemptTime", false, (*view).spared,
		"it does not make the settings above harmless: a job is spared for that time only",
		"do as said of the lines above, and it no longer matters",
	},
	{
		"bf_min_prio_reserve", false, (*view).reserve,
		"Slurm keeps nodes free only for jobs from that priority on: ordered jobs are above it whoever they belong to, and jobs that are left alone or new are not",
		"remove bf_min_prio_reserve from slurm.conf's SchedulerParameters, or set it to 1",
	},
	{
		"MinPrioThreshold", false, (*view).thresholds,
		"Slurm keeps nodes free only for jobs from that priority on: ordered jobs are above it whoever they belong to, and jobs that are left alone or new are not",
		"",
	},
	{
		"PriorityFlags", false, (*view).unbounded,
		"factors have no upper bound, so the step between ranks follows the largest one that was seen, and a weight says little",
		"remove NO_NORMAL_* from slurm.conf's PriorityFlags",
	},
	{
		"PriorityWeight", false, (*view).few,
		"jobs that share a rank go by Slurm's own factors",
		"",
	},
	{
		"federation", true, (*view).federated,
		"an update of a job is sent to its siblings on the other clusters, where another order holds, and each sibling's work counts on each cluster",
		"",
	},
	{
		"clusters", false, (*view).others,
		"they share QOS, accounts and users, of which a change for one is a change for all; this configuration orders the jobs of one",
		"nothing, if each has a daemon with a configuration, journal and listen of its own, or none. Slurm forgets one that is no more with sacctmgr delete cluster",
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
		for _, at := range h.where(&v) {
			all = append(all, Harm{Hint{at.Found + ": " + h.leads, cmp.Or(at.Fix, h.fix)}, h.setting, h.fatal})
		}
	}
	return all
}

// Harmless returns an error of kind ErrImpossible if an order would do harm,
// and nil if not.
func Harmless(o Options, partitions []Partition) error {
	for _, h := range Harms(o, Surroundings{Partitions: partitions}) {
		if h.Fatal {
			return fmt.Errorf("%s: %w", h.Setting, &ImpossibleError{h.Hint})
		}
	}
	return nil
}

// ErrUndecided says that it is not known yet whether an order would do harm.
var ErrUndecided = errors.New("the QOS are not known, so nothing is written")

// Undecided returns an error of kind ErrUndecided if QOS decide over an order, or over the
// harm that it would do, and are not known.
func Undecided(o Options) error {
	c := &o.Controller
	preempts := c.PreemptType == "preempt/qos" && (o.Mode == Strict || len(c.QOS) == 0)
	classes := o.Mode == Strict && o.ClassBy.byQOS() && c.Multifactor() && c.Weights.QOS > 0
	if !c.QOSUnknown || !preempts && !classes {
		return nil
	}
	return fmt.Errorf("%w: an order that does not heed them could keep jobs from preempting what they may (%s)", ErrUndecided, c.PoliciesUnknown)
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
	return slices.ContainsFunc(strings.Split(strings.ToUpper(mode), ","), func(m string) bool { return m == word || m == "UNKNOWN" })
}

// modes lists where a PreemptMode has a word: slurm.conf and QOS.
func (v *view) modes(word string) (where []Hint) {
	if hasMode(v.Controller.PreemptMode, word) {
		where = append(where, Hint{Found: "PreemptMode=" + v.Controller.PreemptMode})
	}
	if v.preempts("qos") {
		for _, q := range v.Controller.QOS {
			if hasMode(q.PreemptMode, word) {
				where = append(where, Hint{
					fmt.Sprintf("PreemptMode=%s of QOS %s", q.PreemptMode, q.Name),
					fmt.Sprintf("sacctmgr -i modify qos %s set preemptmode=%s", q.Name, without(q.PreemptMode, word)),
				})
			}
		}
	}
	return where
}

// without is a QOS's PreemptMode without a word: that of slurm.conf if nothing is left.
func without(mode, word string) string {
	rest := slices.DeleteFunc(strings.Split(strings.ToLower(mode), ","), func(m string) bool { return strings.EqualFold(m, word) || m == "unknown" })
	if len(rest) == 0 {
		return "cluster"
	}
	return strings.Join(rest, ",")
}

func (v *view) within() []Hint {
	if !v.preempts("qos") {
		return nil // only this plugin knows it
	}
	return v.modes("WITHIN")
}

func (v *view) byPriority() []Hint {
	if !v.preempts("") {
		return nil
	}
	where := v.modes("PRIORITY")
	if v.preempts("partition_prio") {
		for _, p := range v.Partitions {
			if hasMode(p.PreemptMode, "PRIORITY") {
				where = append(where, Hint{
					fmt.Sprintf("PreemptMode=%s of partition %s", p.PreemptMode, p.Name),
					"remove PRIORITY from the partition's PreemptMode in slurm.conf",
				})
			}
		}
	}
	return where
}

// preempted lists what may preempt without being a class of its own.
func (v *view) preempted() (where []Hint) {
	if v.Mode != Strict {
		return nil
	}
	if v.preempts("qos") && !v.ClassBy.byQOS() {
		for _, q := range v.Controller.QOS {
			if len(q.Preempts) > 0 {
				where = append(where, at("QOS %s may preempt %s, and priority.classes is %s", q.Name, strings.Join(q.Preempts, ", "), v.ClassBy)...)
			}
		}
	}
	if v.preempts("partition_prio") && !v.ClassBy.byPartition() {
		for _, p := range v.Partitions {
			if slices.ContainsFunc(v.Partitions, func(o Partition) bool { return o.PriorityTier < p.PriorityTier }) {
				where = append(where, at("partition %s may preempt those of a lower PriorityTier, and priority.classes is %s", p.Name, v.ClassBy)...)
			}
		}
	}
	return where
}

// unclassed lists the priorities that the site gives and that no class stands for.
func (v *view) unclassed() (where []Hint) {
	if v.Mode != Strict || !v.Controller.Multifactor() {
		return nil
	}
	w := v.Controller.Weights
	differ := func(by ClassBy) bool { return len(by.Classes(v.Controller, v.Partitions).Names) > 1 }
	note := func(what, fix string) {
		where = append(where, Hint{what, fix})
	}
	const fix = "set priority.classes: auto, or nothing if that is wanted"
	if !v.ClassBy.byQOS() && w.QOS > 0 && differ(ClassesQOS) {
		note(fmt.Sprintf("QOS have different priorities (PriorityWeightQOS=%d), and priority.classes is %s", w.QOS, v.ClassBy), fix)
	}
	if !v.ClassBy.byPartition() && differ(ClassesPartition) {
		note(fmt.Sprintf("partitions have different PriorityTier or PriorityJobFactor (PriorityWeightPartition=%d), and priority.classes is %s", w.Partition, v.ClassBy), fix)
	}
	if w.Assoc > 0 {
		note(fmt.Sprintf("PriorityWeightAssoc=%d counts priorities of associations, which are never a class", w.Assoc), "nothing, if that is wanted; else give whom it is for a QOS of a higher priority")
	}
	return where
}

// at returns one hint without a fix of its own.
func at(format string, args ...any) []Hint { return []Hint{{Found: fmt.Sprintf(format, args...)}} }

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

func (v *view) exempt() []Hint {
	n, set := parameterOf(v.Controller.PreemptParameters, "min_exempt_priority")
	if !set || !v.preempts("") || n >= v.top() {
		return nil
	}
	return at("PreemptParameters=min_exempt_priority=%d", n)
}

func (v *view) spared() []Hint {
	t := v.Controller.PreemptExemptTime
	if t <= 0 || len(v.within()) == 0 && len(v.byPriority()) == 0 {
		return nil
	}
	return at("PreemptExemptTime of %d s", t)
}

func (v *view) reserve() []Hint {
	n, set := parameterOf(v.Controller.SchedulerParameters, "bf_min_prio_reserve")
	if !set || n <= 1 {
		return nil // no priority is below 1
	}
	return at("SchedulerParameters=bf_min_prio_reserve=%d", n)
}

// thresholds lists those of QOS, of partitions by their QOS, and of associations.
// Slurm checks them only where limits are enforced.
func (v *view) thresholds() (where []Hint) {
	if !v.Controller.Limits() {
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
		where = append(where, threshold(q.Threshold, strings.Join(of, ", "), "qos "+q.Name))
	}
	for _, t := range v.Thresholds {
		if t.Priority > 1 {
			where = append(where, threshold(t.Priority, t.Association, t.Entity))
		}
	}
	return where
}

// threshold is that of an entity, as sacctmgr modifies it.
func threshold(n uint32, of, entity string) Hint {
	return Hint{fmt.Sprintf("MinPrioThreshold=%d of %s", n, of), fmt.Sprintf("sacctmgr -i modify %s set minpriothresh=-1", entity)}
}

func (v *view) unbounded() []Hint {
	if v.Channel == Priority || !v.Controller.unbounded() {
		return nil
	}
	return at("PriorityFlags has NO_NORMAL_*")
}

// few reports that there are fewer exact ranks than needed.
func (v *view) few() []Hint {
	needed := v.needed()
	waiting := "no job waits now"
	if v.Pending > 0 {
		waiting = plural.Sprintf("%d job{|s} wait{s|} now", v.Pending)
	}
	if v.Mode == Weight {
		if v.Weight < 1 || v.Weight >= needed {
			return nil
		}
		return []Hint{{
			fmt.Sprintf("priority.mode weight=%d gives %d ranks, and %d are needed (%s)", v.Weight, v.Weight, needed, waiting),
			fmt.Sprintf("set priority.mode: weight=%d or more", needed),
		}}
	}
	sum := v.Controller.Weights.Sum()
	w, err := v.window(sum, 0)
	if err != nil {
		return nil // there are none at all, as Check says
	}
	ranks := max(1, w.ranks()/2)
	if ranks >= needed {
		return nil
	}
	what, fix := fmt.Sprintf("the PriorityWeight* add up to %d", sum), v.divide(needed)
	if v.Channel == Priority {
		what, fix = "channel priority has few values above those of stock Slurm", fmt.Sprintf("set priority.depth: %d", ranks)
	}
	return []Hint{{fmt.Sprintf("%s, which leaves %d exact ranks, and as deep as Slurm looks %d are needed (%s)", what, ranks, needed, waiting), fix}}
}

// needed is the most jobs to which a plan gives a rank each: Options.Depth, or else those
// that Slurm looks at and those that could start at once, one on each processor; in mode
// Weight at least all that wait.
func (v *view) needed() int64 {
	deep := v.Depth
	if deep == 0 {
		deep = v.Controller.Depth()
		procs := 0
		for _, p := range v.Partitions {
			procs = max(procs, p.TotalCPUs)
		}
		deep = max(deep, min(v.Pending, deep+procs))
	}
	if v.Mode == Weight {
		deep = max(deep, v.Pending)
	}
	return int64(max(deep, len(v.Classes.Names)))
}

func (v *view) federated() []Hint {
	if v.Controller.Federation == "" {
		return nil
	}
	return []Hint{{
		"federation " + v.Controller.Federation,
		fmt.Sprintf("sacctmgr -i modify federation %s set clusters-=%s, or stay in mode observe", v.Controller.Federation, v.Controller.ClusterName),
	}}
}

func (v *view) others() []Hint {
	if len(v.Clusters) < 2 {
		return nil
	}
	return at("%d clusters in one database (%s)", len(v.Clusters), strings.Join(v.Clusters, ", "))
}

// parameterOf returns the number of an element "name=number" of a list of
// parameters. What Slurm cannot read as one counts as not set.
func parameterOf(list []string, name string) (int64, bool) {
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
	Entity      string // the same for sacctmgr: "user ann where account=lab"
	Priority    uint32
}
