package multifactor

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// Share is a line of sshare -l.
type Share struct {
	NormShares, RawUsage, NormUsage, EffectvUsage float64
	FairShare                                     float64 // of accounts only with NoFairTree
	LevelFS                                       float64 // 0 with NoFairTree
}

// Fairshare returns the fair-share factor of an association, from the latest
// calculation.
func (m *Multifactor) Fairshare(association int) float64 {
	m.share()
	if m.fairTree {
		return m.ranked(m.association(association))
	}
	return m.fairshare[association]
}

// Share returns the line of an association, as of the latest calculation. Only
// RawUsage includes what jobs that ended since then have used.
func (m *Multifactor) Share(association int) Share { return m.line(m.association(association)) }

// AccountShare returns the line of an account, by its index in the Config; −1 is
// root.
func (m *Multifactor) AccountShare(account int) Share { return m.line(1 + account) }

func (m *Multifactor) line(i int) Share {
	m.share()
	x := &m.nodes[i]
	_, usage := m.usageAt(x.spent, m.calculation)
	if x.as == m.calculation {
		usage += x.ended
	}
	l := Share{NormShares: x.norm, RawUsage: usage, NormUsage: x.usageNorm, EffectvUsage: x.effective, FairShare: x.factor}
	if m.fairTree && i > 0 { // a walk keeps no more than it needs
		m.walk(x.fs)
		of := m.nodes[x.fs].shared
		l.NormUsage, l.EffectvUsage, l.LevelFS = normalised(x.shared, m.nodes[0].shared), x.effectiveIn(of), x.levelIn(of)
	}
	if first := m.association(0); m.fairTree && i >= first {
		l.FairShare = m.Fairshare(i - first)
	}
	return l
}

// share computes fair share from the usage at the latest calculation, if that has
// not been done. With Fair Tree, what is not asked for is left out.
func (m *Multifactor) share() {
	if m.shared == m.calculation {
		return
	}
	m.shared = m.calculation
	if !m.fairTree {
		m.shareClassic()
		return
	}
	m.walks++
	clear(m.fairshare)
	_, m.nodes[0].shared = m.usageAt(m.nodes[0].spent, m.calculation)
}

// ranked returns the factor of a user by Fair Tree (fair_tree.c,
// _apply_priority_fs, _calc_tree_fs): the part of the users who are not in front in a
// walk through the tree, at each level by falling LevelFS. Users of the same LevelFS
// have the same rank. The first user of an entity that is as good as the account in
// front of it gets the rank of that account's last user. Slurm walks through the whole
// tree; as it is known how many users are below each account, the way to a user who is
// asked for is enough.
//
// Slurm's documentation says that sibling accounts of the same LevelFS are merged
// before they are ranked. No version of the source from 14.11 to 26.05 does so:
// _count_tied_accounts stops at the first sibling that is an account. Neither
// does this. If the account in front has no users, the rank is that of the user
// ranked last.
func (m *Multifactor) ranked(user int) float64 {
	f := &m.fairshare[user-m.association(0)]
	if *f > 0 {
		return *f
	}
	x := &m.nodes[user]
	m.walk(x.fs)
	if x.tied {
		*f = m.ahead(user)
	} else {
		*f = float64(len(m.c.Associations)-x.front) / float64(len(m.c.Associations))
	}
	return *f
}

// ahead returns the factor of the user in front of a node, 1 without one.
func (m *Multifactor) ahead(i int) float64 {
	x := &m.nodes[i]
	switch {
	case x.front == 0:
		return 1
	case x.sibling < 0:
		return m.ahead(x.fs)
	}
	last := x.sibling
	for !m.nodes[last].user {
		m.walk(int(last))
		last = m.nodes[last].last
	}
	return m.ranked(int(last))
}

// walk puts the children of an account in their order.
func (m *Multifactor) walk(account int) {
	above := &m.nodes[account]
	if above.walked == m.walks {
		return
	}
	if account > 0 {
		m.walk(above.fs)
	}
	above.walked = m.walks
	children, sorted := above.children, true
	for i := range children {
		x := &m.spents[children[i].node]
		if k := m.calculation - x.as - 1; x.rate == 0 && x.as >= m.reset && 0 <= k && k < int64(len(m.decayed)) {
			x.shared = (x.usage + x.ended) * m.decayed[k] * m.decay // usageAt of most nodes, without a call
		} else {
			_, x.shared = m.usageAt(x, m.calculation)
		}
		children[i].level = x.levelIn(above.shared)
		sorted = sorted && (i == 0 || children[i-1].level > children[i].level || children[i-1].compare(children[i]) < 0)
	}
	if !sorted {
		slices.SortFunc(children, child.compare)
	}
	front := above.front
	above.last = -1
	for i := range children {
		c := &children[i]
		x := &m.ranks[c.node]
		as := i > 0 && c.level == children[i-1].level
		if as && c.user { // so is the one in front, whose rank it has
			before := &m.ranks[children[i-1].node]
			x.front, x.tied, x.sibling = before.front, before.tied, before.sibling
		} else {
			x.front, x.tied, x.sibling = front, as || i == 0 && above.tied, above.last
		}
		if front += x.users; x.users > 0 {
			above.last = c.node
		}
	}
}

// levelIn is LevelFS in an account of some usage (_calc_assoc_fs).
func (x *spent) levelIn(of float64) float64 {
	switch {
	case x.shares == UseParent && x.user:
		return math.Inf(1)
	case x.shares == UseParent:
		return math.MaxUint32 - 1 // NO_VAL; nothing is below it
	case x.norm == 0:
		return 0
	}
	return x.norm / x.effectiveIn(of)
}

// effectiveIn is the part that a node has of the usage of its account.
func (x *spent) effectiveIn(of float64) float64 {
	if of > 0 {
		return x.shared / of
	}
	return 0
}

// child is a node below an account, as far as its place there depends on it.
type child struct {
	level float64
	node  int32
	user  bool
}

// compare puts the child in front that is better off (_cmp_level_fs). Slurm keeps
// equal ones in the order of the association table.
func (x child) compare(y child) int {
	switch {
	case x.level != y.level:
		return cmp.Compare(y.level, x.level)
	case x.user != y.user && x.user:
		return -1
	case x.user != y.user:
		return 1
	}
	return cmp.Compare(x.node, y.node)
}

// shareClassic computes fair share without a tree walk. The effective usage of
// users follows from the usage as read during the calculation, or after it
// (_get_fairshare_priority).
func (m *Multifactor) shareClassic() {
	m.shareAccounts()
	_, rootUsage := m.usageAt(m.nodes[0].spent, m.calculation)
	for i := m.association(0); i < len(m.nodes); i++ {
		x := &m.nodes[i]
		switch _, usage := m.usageAt(x.spent, m.calculation); {
		case x.lookedAt != m.calculation:
			x.usageNorm = normalised(usage, rootUsage)
			x.effective = m.effective(i)
		case m.c.Flags&DepthOblivious != 0:
			x.usageNorm, x.effective = x.looked, x.lookedEffective
		default:
			x.usageNorm = x.looked
			x.effective = m.effective(i)
		}
	}
	for i := range m.nodes {
		x := &m.nodes[i]
		if x.norm == 0 {
			x.factor = 0
			continue
		}
		of := x
		if x.shares == UseParent { // _set_assoc_fs_factor
			of = &m.nodes[x.fs]
		}
		x.factor = math.Exp2(-of.effective / of.norm / float64(m.c.Dampening))
	}
	for i := range m.fairshare {
		m.fairshare[i] = m.nodes[m.association(i)].factor
	}
}

// shareAccounts computes the effective usage of accounts. It follows from the usage before the calculation, because
// Slurm reads it before it decays and adds (_decay_thread, _set_children_usage_efctv).
func (m *Multifactor) shareAccounts() {
	if m.accounted == m.calculation {
		return
	}
	m.accounted = m.calculation
	rootBefore, _ := m.usageAt(m.nodes[0].spent, m.calculation)
	for _, i := range m.order {
		before, _ := m.usageAt(m.nodes[i].spent, m.calculation)
		m.nodes[i].usageNorm = normalised(before, rootBefore)
	}
	m.nodes[0].effective = 1
	for _, account := range m.order {
		above := &m.nodes[account]
		above.read, above.unread = 0, 0
		for _, c := range above.children {
			switch x := &m.nodes[c.node]; {
			case x.shares == UseParent:
			case !x.user:
				above.read += x.usageNorm
			case x.looked < 0:
				above.unread++
			default:
				above.read += x.looked
			}
		}
		for _, c := range above.children {
			if x := &m.nodes[c.node]; !x.user {
				x.effective = m.effective(int(c.node))
			}
		}
	}
}

// noVal is NO_VAL, the usage_norm of an association that nothing has read yet (slurmdb_create_assoc_usage).
const noVal = 1<<32 - 2

// lookAt takes the usage of an association as read in the latest calculation, or after it.
func (m *Multifactor) lookAt(i int, norm float64) {
	x := &m.nodes[i]
	if m.c.Flags&DepthOblivious != 0 {
		m.shareAccounts()
		x.usageNorm = norm
		x.lookedEffective = m.effective(i)
		if above := &m.nodes[x.fs]; x.shares != UseParent {
			if above.read += norm; x.looked < 0 {
				above.unread--
			} else {
				above.read -= x.looked
			}
		}
	}
	x.looked, x.lookedAt = norm, m.calculation
}

// normalised returns a usage as part of root's (set_assoc_usage_norm).
func normalised(usage, root float64) float64 {
	if root == 0 {
		return 0
	}
	return min(1, usage/root)
}

// effective returns the effective usage of a node whose usageNorm is known, and
// its account's effective usage (_set_assoc_usage_efctv, _set_usage_efctv).
func (m *Multifactor) effective(i int) float64 {
	x := &m.nodes[i]
	above := &m.nodes[x.fs]
	switch {
	case x.fs == 0:
		return x.usageNorm
	case x.shares == UseParent:
		return above.effective
	case m.c.Flags&DepthOblivious != 0:
		return oblivious(x, above)
	case x.siblings == 0:
		return above.effective
	}
	return x.usageNorm + (above.effective-x.usageNorm)*x.part
}

// oblivious is _depth_oblivious_set_usage_efctv. Slurm sets the node beside its siblings as each was read last, however
// long ago. One that was never read has the usage noVal: as long as there is one, users of an account that has used less than
// its part have a factor near 1, whatever they have used.
func oblivious(x, above *node) float64 {
	if x.norm == 0 || above.norm == 0 || above.effective == 0 || x.usageNorm == 0 {
		return x.usageNorm
	}
	siblings, unread := above.read, above.unread // with the node as it is now
	switch {
	case !x.user:
	case x.looked < 0:
		siblings, unread = siblings+x.usageNorm, unread-1
	default:
		siblings += x.usageNorm - x.looked
	}
	siblings += noVal * float64(unread)
	ofParent := above.effective / above.norm
	local := x.usageNorm / x.norm / (siblings / above.norm)
	k := 1.0
	if lp, ll := math.Log(ofParent), math.Log(local); lp*ll < 0 {
		k = 1 / (1 + (5*lp)*(5*lp))
	}
	return ofParent * math.Pow(local, k) * x.norm
}

// Simplified returns Slurm's factor as thesis 2.4 simplifies it:
//
//	F = 2^(−U/S)
//
// U is the user's part of all usage in a period, and S the normalised share,
// above 0. F is 1 without usage, 0.5 if the user has used exactly the share, and
// less beyond that. If nobody has used anything, U is not defined; the example of
// figure 2.14 begins with 0.5 for everybody, as if U were S, and so does this
// function.
func Simplified(usage, total ostrich.Work, share float64) float64 {
	if total <= 0 {
		return 0.5
	}
	return math.Exp2(-float64(usage/total) / share)
}
