package multifactor

import (
	"cmp"
	"time"

	"slurm-ostrich/ostrich"
)

// Config holds what the model needs of slurm.conf and the association tree.
type Config struct {
	Weights Weights
	Flags   Flags

	MaxAge     ostrich.Duration // PriorityMaxAge, at which the age factor is 1; 0 for Slurm's 7 days
	HalfLife   ostrich.Duration // PriorityDecayHalfLife; 0 for no decay (Slurm's own default is 7 days)
	Period     ostrich.Duration // PriorityCalcPeriod; 0 for Slurm's 5 minutes
	Phase      ostrich.Time     // any moment of a calculation, for Before; 0 if not known
	Dampening  int              // FairShareDampeningFactor; 0 for Slurm's 1
	FavorSmall bool             // PriorityFavorSmall
	LoseEnds   bool             // what a job used since the latest calculation is not counted when it ends: AccountingStorageEnforce without limits

	Reset    Reset          // PriorityUsageResetPeriod
	Location *time.Location // slurmctld's time zone, for Reset; nil means UTC

	Accounts     []Account // below root
	Associations []Association
	Partitions   []Partition
	QOS          []QOS

	Procs, Nodes int      // of the cluster, at least 1
	TRES         []string // trackable resources that all TRES fields count, such as cpu, mem or gres/gpu
}

// Weights are the parameters PriorityWeight*, all at least 0.
type Weights struct {
	Age, Assoc, Fairshare, JobSize, Partition, QOS float64

	TRES []float64 // by Config.TRES, in the unit of Request.TRES; may be shorter
}

// Flags are the PriorityFlags that change priorities.
type Flags uint16

// The flags by their names in slurm.conf. SmallRelativeToTime is
// SMALL_RELATIVE_TO_TIME.
const (
	NoFairTree          Flags = 1 << iota // classic fair share instead of Fair Tree
	DepthOblivious                        // a kind of classic fair share; implies NoFairTree
	AccrueAlways                          // age grows from the submission on
	IncrOnly                              // calculations do not lower a priority; callers must see to that
	SmallRelativeToTime                   // job size is divided by the time limit
	NoNormalAssoc
	NoNormalPart
	NoNormalQOS
	NoNormalTRES
	CalculateRunning // a calculation reads the usage of users who have running jobs only, too (CALCULATE_RUNNING)
)

// UseParent stands for fairshare=parent in Shares: the children of such an account
// compete as children of its parent, and such a user has the parent's share and
// usage.
const UseParent = -1

// Root is the name of the root account; so is "".
const Root = "root"

// Account is an account of the association tree.
type Account struct {
	Name     string
	Parent   string
	Shares   int // at least 0, or UseParent
	Priority int // for the largest priority among associations
}

// Association is a user in an account.
type Association struct {
	User     string // for errors only
	Account  string
	Shares   int // at least 0, or UseParent
	Priority int // for PriorityWeightAssoc

	// Usage is what it has used when the model begins, decayed to that moment, in
	// billed seconds (RawUsage of sshare).
	Usage float64
}

// Partition is the part of a partition that the model needs.
type Partition struct {
	Name      string
	JobFactor int              // PriorityJobFactor
	Tier      int              // PriorityTier; not part of the priority, but comes before it
	MaxTime   ostrich.Duration // for jobs without a limit; 0 for UNLIMITED

	TRES []float64 // what the partition has, by Config.TRES; may be shorter
}

// QOS is a quality of service.
type QOS struct {
	Name        string
	Priority    int
	UsageFactor float64 // 1 by default in Slurm; below 0 counts as 1
}

// Reset says when Slurm forgets all usage (_next_reset).
type Reset uint8

// The values of PriorityUsageResetPeriod. Weeks begin on Sunday. NOW is what a
// new Multifactor does anyway.
const (
	ResetNever Reset = iota
	ResetDaily
	ResetWeekly
	ResetMonthly
	ResetQuarterly
	ResetYearly
)

// next returns the first reset after the latest one, for a calculation at now. It
// uses the days of the calendar; Slurm's have 24 hours.
func (r Reset) next(latest, now ostrich.Time, in *time.Location) ostrich.Time {
	n := 1
	for (r == ResetDaily || r == ResetWeekly) && r.after(latest, n+1, in) < now {
		n++
	}
	return r.after(latest, n, in)
}

// Last returns the latest reset up to a moment, by the calendar; 0 for ResetNever.
func (r Reset) Last(at ostrich.Time, in *time.Location) ostrich.Time {
	if r == ResetNever {
		return 0
	}
	return r.after(at, 0, in)
}

// after returns the nth reset after a moment by the calendar; the 0th is the latest up to it.
func (r Reset) after(moment ostrich.Time, n int, in *time.Location) ostrich.Time {
	at := time.Unix(int64(moment), 0).In(in)
	year, month, day := at.Date()
	switch r {
	case ResetDaily:
		day += n
	case ResetWeekly:
		day += 7*n - int(at.Weekday())
	case ResetMonthly:
		month, day = month+time.Month(n), 1
	case ResetQuarterly:
		month, day = (month-1)/3*3+1+time.Month(3*n), 1
	default:
		year, month, day = year+n, time.January, 1
	}
	begin := time.Date(year, month, day, 0, 0, 0, 0, in)
	if begin.Hour() == 23 { // clocks are put forward at midnight, and this is before it
		begin = begin.Add(time.Hour)
	}
	return ostrich.Time(begin.Unix())
}

// Before returns the last moment of a calculation up to t, by the Phase; t itself
// if the Phase is not known.
func (c *Config) Before(t ostrich.Time) ostrich.Time {
	if c.Phase == 0 {
		return t
	}
	period := ostrich.Time(cmp.Or(c.Period, DefaultPeriod))
	since := (t - c.Phase) % period
	if since < 0 {
		since += period
	}
	return t - since
}

// DefaultPeriod is Slurm's PriorityCalcPeriod.
const DefaultPeriod = ostrich.Duration(5 * 60)
