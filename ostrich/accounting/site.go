package accounting

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// Site is the association tree and the QOS of a cluster, as the plugin
// priority/multifactor uses them.
type Site struct {
	Accounts     []Account          // by name
	Associations []AssociationShare // by account, user, partition, then id
	QOS          []QOS              // by name

	Flat        bool // the parents of accounts are not known: all are below the root
	Prioritized bool // the priorities of associations are known
}

// ParentShares stands for "fairshare=parent": the association competes in place
// of its account, one level up (SLURMDB_FS_USE_PARENT in slurm/slurmdb.h).
const ParentShares = -1

// RootAccount is the root of the account tree.
const RootAccount = "root"

// Account is an account of the association tree.
type Account struct {
	ID     uint32 // id_assoc of the account itself; 0 if not known
	Name   string
	Parent string // the parent account; "" for the root
	Shares int64  // Fairshare, or ParentShares
	Limits Limits // of all below it together (ByGroup)
}

// AssociationShare is a user in an account, or in an account on one partition
// only.
type AssociationShare struct {
	ID        uint32 // id_assoc; 0 if not known
	User      string
	Account   string
	Partition string // "" for all
	Shares    int64  // Fairshare, or ParentShares
	Limits    Limits
}

// QOS is a quality of service.
type QOS struct {
	Name        string
	Priority    int64
	UsageFactor float64 // weight of its usage in fair share; 1 is the default

	Preempts     []string // the QOS that it may preempt
	PreemptKnown bool     // Preempts says all; else nothing is known

	PreemptMode string           // of its jobs, such as "REQUEUE"; "" for that of slurm.conf
	Exempt      ostrich.Duration // PreemptExemptTime; 0 for that of slurm.conf
	Grace       ostrich.Duration // GraceTime

	Limits Limits
	Flags  QOSFlags
}

// QOSFlags are the flags of a QOS that change which jobs start and when (QOS_FLAG_ in slurm/slurmdb.h).
type QOSFlags uint32

// The flags.
const (
	PartitionMinNodes  QOSFlags = 1 << 0  // its jobs may have fewer nodes than their partition allows
	PartitionMaxNodes  QOSFlags = 1 << 1  // its jobs may ask for more nodes
	PartitionTimeLimit QOSFlags = 1 << 2  // its jobs may ask for more time
	NoReserve          QOSFlags = 1 << 4  // the backfill scheduler keeps no nodes for its jobs
	OverPartQOS        QOSFlags = 1 << 7  // its limits go before those of the partition's QOS
	Relative           QOSFlags = 1 << 10 // its limits of TRES are percentages, of the cluster or of the partition whose QOS it is
)

// Has reports whether a flag is set.
func (f QOSFlags) Has(flag QOSFlags) bool { return f&flag != 0 }

// Sort sorts everything in the order that the fields of Site name.
func (s *Site) Sort() {
	slices.SortFunc(s.Accounts, func(a, b Account) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(s.Associations, func(a, b AssociationShare) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.User, b.User),
			cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(s.QOS, func(a, b QOS) int { return cmp.Compare(a.Name, b.Name) })
}

// Assign gives jobs the associations that slurmctld gives them: that of the user in the
// account on the job's partition, if there is one (assoc_mgr_fill_in_assoc in Slurm's
// src/common/assoc_mgr.c). A job that names an association of the site keeps it.
func (h *History) Assign(s *Site) {
	type at struct{ user, account, partition string }
	known, alone := make(map[uint32]string), make(map[at]bool)
	for i := range s.Associations {
		a := &s.Associations[i]
		if a.ID != 0 {
			known[a.ID] = a.Partition
		}
		if a.Partition != "" {
			alone[at{a.User, a.Account, a.Partition}] = true
		}
	}
	if len(alone) == 0 {
		return
	}
	var list []Association
	var places map[Association]int32
	for i := range h.Jobs {
		j := &h.Jobs[i]
		a := h.Associations[j.Association]
		if partition, is := known[a.ID]; is && a.ID != 0 {
			a.Partition = partition
		} else if name := h.Partitions[j.Partition]; alone[at{a.User, a.Account, name}] {
			a.Partition = name
		}
		j.Association = place(&places, &list, a)
	}
	h.Associations = list
}
