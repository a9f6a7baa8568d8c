package multifactor

import (
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// node is root, an account or an association: a slurmdb_assoc_rec_t. What Fair Tree reads of each at each calculation
// stands side by side, apart from the rest.
type node struct {
	*spent
	*rank

	parent   int // −1 of root
	fs       int // the first ancestor whose Shares are not UseParent; −1 of root
	children []child
	siblings float64 // shares of all siblings, level_shares
	part     float64 // shares/siblings
	running  int     // jobs in the rate

	// Of an association with classic fair share: usage_norm as read last, in a
	// calculation or after it, −1 for never, and the effective usage that DepthOblivious gave it then. While a calculation
	// is on its way to the association's first job that is read,
	// what the association's jobs in front of it have used.
	looked          float64
	lookedEffective float64
	lookedAt        int64
	looking         bool
	first           spot
	inFront         float64

	// Of an account with DepthOblivious: the sum of its children's usage_norm as read last, and how many were never read.
	read   float64
	unread int

	// Of an account that has been walked through by Fair Tree, its walk, and the last of its children that has users.
	walked int64
	last   int32

	// Results of the calculation Multifactor.shared, of classic fair share.
	usageNorm float64
	effective float64 // usage_efctv
	factor    float64 // fs_factor
}

// spent is what a node has used, and its share.
type spent struct {
	shared float64 // usage at the calculation Multifactor.shared, of Fair Tree
	norm   float64 // shares_norm
	shares int32
	user   bool

	// The usage: as of the calculation as, and what jobs that ended later add to
	// it. Jobs that have run since then use rate in each second of a period.
	as     int64
	usage  float64 // after it, in billed seconds
	ended  float64
	rate   float64
	before float64 // before that calculation
}

// rank is the place that Fair Tree gives a node.
type rank struct {
	users int // below it, itself for a user

	// If the account that it competes in has been walked through, the users in front of it, whether it is as good as what
	// is in front of it in the account, and the sibling in front that has users, −1 without one.
	front   int
	tied    bool
	sibling int32
}

// run is a running job.
type run struct {
	spot
	association int // a node; −1 for none
	start       ostrich.Time
	rate        float64 // billed per second
	since       int64   // calculation that added it to the rates of the nodes; 0 for none yet
	first       float64 // what it added then
	over        bool
}

// usageAt returns the usage of a node before and after a calculation, which must
// not be earlier than x.as. It is the result of _apply_decay and
// _apply_new_usage, calculation by calculation. With rate r, period p and decay d
// of a period,
//
//	u' = (u + r·p)·d,  after k of them  u·d^k + r·p·d·(1 − d^k)/(1 − d)
func (m *Multifactor) usageAt(x *spent, calculation int64) (before, usage float64) {
	if calculation == x.as {
		return x.before, x.usage
	}
	u, k := x.usage+x.ended, float64(calculation-x.as-1)
	if x.as < m.reset && m.reset <= calculation { // _reset_usage comes before the decay
		u, k = 0, float64(calculation-m.reset)
	}
	step := x.rate * float64(m.period)
	switch {
	case u == 0 && step == 0:
		return 0, 0
	case k > 0 && m.logDecay == 0:
		u += k * step
	case k > 0 && step == 0:
		u *= m.left(k)
	case k > 0:
		u = u*m.left(k) + step*m.decay*math.Expm1(k*m.logDecay*float64(m.period))/m.gone
	}
	return u, (u + step) * m.decay
}

// left returns d^k for a whole number of periods. Each calculation asks for those of many nodes,
// most of which have been left alone for as long as others.
func (m *Multifactor) left(k float64) float64 {
	const kept = 1 << 17 // periods; more than a year of 5 minutes
	if k >= kept {
		return math.Exp(k * m.logDecay * float64(m.period))
	}
	if int(k) >= cap(m.decayed) {
		m.decayed = slices.Grow(m.decayed, max(int(k)+1, 2*len(m.decayed))-len(m.decayed))
	}
	for int(k) >= len(m.decayed) {
		m.decayed = append(m.decayed, math.Exp(float64(len(m.decayed))*m.logDecay*float64(m.period)))
	}
	return m.decayed[int(k)]
}

// settle updates a node's usage to a calculation.
func (m *Multifactor) settle(x *node, calculation int64) {
	if x.as < calculation {
		x.before, x.usage = m.usageAt(x.spent, calculation)
		x.ended, x.as = 0, calculation
	}
}

// upwards calls f for a node and all its ancestors.
func (m *Multifactor) upwards(i int, f func(x *node)) {
	for ; i >= 0; i = m.nodes[i].parent {
		f(&m.nodes[i])
	}
}

// Latest returns the moment of the latest calculation.
func (m *Multifactor) Latest() ostrich.Time { return m.moment(m.calculation) }

// Due returns the moment of the next calculation.
func (m *Multifactor) Due() ostrich.Time { return m.moment(m.calculation + 1) }

func (m *Multifactor) moment(calculation int64) ostrich.Time {
	return m.anchor + ostrich.Time(calculation)*m.period
}

// AdvanceTo does the calculations due up to a moment. A moment before the latest
// event changes nothing.
func (m *Multifactor) AdvanceTo(t ostrich.Time) {
	if t < m.now {
		return
	}
	m.now = t
	last := int64((t - m.anchor) / m.period)
	if last == m.calculation {
		return
	}
	for m.nextReset != 0 && m.nextReset <= m.moment(last) {
		m.reset = int64((m.nextReset - m.anchor + m.period - 1) / m.period)
		m.nextReset = m.c.Reset.next(m.nextReset, m.moment(m.reset), m.c.Location)
	}
	next := m.calculation + 1
	for _, r := range m.fresh {
		if r.over {
			m.spare = append(m.spare, r)
			continue
		}
		r.first, r.since = m.used(r, m.moment(next)), next
		m.upwards(r.association, func(x *node) {
			m.settle(x, next)
			x.usage += r.first
			x.rate += r.rate
			x.running++
		})
	}
	clear(m.fresh)
	m.fresh = m.fresh[:0]
	m.calculation = last
	if !m.fairTree {
		m.look()
	}
}

// used returns what a job has used since the latest calculation or its start,
// decayed as by _apply_new_usage.
func (m *Multifactor) used(r *run, t ostrich.Time) float64 {
	length := float64(t - max(r.start, m.Latest()))
	return r.rate * length * math.Exp(m.logDecay*length)
}

// Start says that a job starts. It first does the calculations due before that
// moment; one due at that moment is done later, with the same result. Of the
// request, it uses the association, QOS and billing. It returns an error if the
// job runs already, or if a later event has happened.
func (m *Multifactor) Start(id ostrich.JobID, r *Request, at ostrich.Time) error {
	if m.running[id] != nil && at >= m.now {
		return fmt.Errorf("multifactor: job %d starts at %d and runs already: %w", id, at, ErrConfig)
	}
	if err := m.reach(id, "starts", r, at); err != nil {
		return err
	}
	m.unwait(id, r)
	var started *run
	if last := len(m.spare) - 1; last >= 0 {
		started, m.spare = m.spare[last], m.spare[:last]
	} else {
		started = new(run)
	}
	*started = run{spot: spot{r.Submit, id}, association: -1, start: at, rate: m.billing(r)}
	if r.Association >= 0 {
		started.association = m.association(r.Association)
		m.fresh = append(m.fresh, started)
		if !m.fairTree {
			m.ordered = slices.Insert(m.ordered, m.place(started.spot), started)
		}
	}
	m.running[id] = started
	return nil
}

// End says that a job has ended. It first does the calculations due before that
// moment, but not one due at it (priority_p_job_end). It returns an error if the
// job does not run, or if a later event has happened.
func (m *Multifactor) End(id ostrich.JobID, at ostrich.Time) error {
	r := m.running[id]
	switch {
	case at < m.now:
		return fmt.Errorf("multifactor: job %d ends at %d, and it is %d: %w", id, at, m.now, ErrConfig)
	case r == nil:
		return fmt.Errorf("multifactor: job %d ends at %d and does not run: %w", id, at, ErrConfig)
	}
	m.until(at)
	delete(m.running, id)
	r.over = true
	if r.association >= 0 && !m.fairTree {
		i := m.place(r.spot)
		m.ordered = slices.Delete(m.ordered, i, i+1)
	}
	used := 0.0
	if !m.c.LoseEnds {
		used = m.used(r, at)
	}
	m.upwards(r.association, func(x *node) {
		m.settle(x, m.calculation)
		x.ended += used
		if r.since == 0 {
			return
		}
		x.rate -= r.rate
		if x.running--; x.running == 0 {
			x.rate = 0 // removes what rounding left
		}
	})
	if r.since != 0 || r.association < 0 { // the others are in fresh still
		m.spare = append(m.spare, r)
	}
	return nil
}

// reach checks an event of a job, and does the calculations due before it.
func (m *Multifactor) reach(id ostrich.JobID, what string, r *Request, at ostrich.Time) error {
	if at < m.now {
		return fmt.Errorf("multifactor: job %d %s at %d, and it is %d: %w", id, what, at, m.now, ErrConfig)
	}
	if err := m.Check(r); err != nil {
		return fmt.Errorf("multifactor: job %d: %w", id, err)
	}
	m.until(at)
	return nil
}

// until does the calculations due before a moment.
func (m *Multifactor) until(at ostrich.Time) {
	m.AdvanceTo(at - 1)
	m.now = max(m.now, at)
}

// SetUsage sets the usage of an association as of the latest calculation, in
// billed seconds (RawUsage of sshare), and adds it up in the ancestors. An
// unknown association or a usage below 0 is an error.
func (m *Multifactor) SetUsage(association int, seconds float64) error {
	if association < 0 || association >= len(m.c.Associations) || !(seconds >= 0 && seconds < math.Inf(1)) {
		return fmt.Errorf("multifactor: a usage of %v s for association %d of %d: %w", seconds, association, len(m.c.Associations), ErrConfig)
	}
	i := m.association(association)
	m.settle(&m.nodes[i], m.calculation)
	before, usage := seconds-m.nodes[i].before, seconds-m.nodes[i].usage
	late := m.nodes[i].ended
	m.upwards(i, func(x *node) {
		m.settle(x, m.calculation)
		x.before = max(0, x.before+before)
		x.usage = max(0, x.usage+usage)
		x.ended = max(0, x.ended-late)
	})
	m.shared, m.accounted = -1, -1
	return nil
}

func (m *Multifactor) association(i int) int { return 1 + len(m.c.Accounts) + i }
