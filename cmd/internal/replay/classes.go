package replay

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
)

// findClasses finds the classes of jobs that ostrichd would have at the site, and notes
// them.
func (s *Study) findClasses() {
	controller := priority.Controller{}
	if s.Controller != nil {
		controller = *s.Controller
	}
	missing := s.addQOS(&controller)
	s.Classes = s.classesBy(s.ClassBy, controller)
	if names := s.Classes.Names; len(names) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("OStrich has %d classes (priority.classes: %v), the first goes first: %s.", len(names), s.ClassBy, strings.Join(names, "; ")))
	}
	if missing && !s.Weight && s.ClassBy != priority.ClassesOff && s.ClassBy != priority.ClassesPartition {
		s.Notes = append(s.Notes, "PreemptType is preempt/qos, and nothing says which QOS may preempt which: the classes go by priorities alone. Give --slurm-config a file of QOS with a column Preempt.")
	}
}

func (s *Study) classesBy(by priority.ClassBy, controller priority.Controller) ostrich.Classes {
	if s.Weight {
		return ostrich.Classes{}
	}
	return by.Classes(controller, s.Partitions)
}

// addQOS gives a controller the QOS of the site, and which of them may preempt which as
// far as that is known. It reports whether that decides and nothing tells it.
func (s *Study) addQOS(c *priority.Controller) (missing bool) {
	if s.Site != nil && len(s.Site.QOS) > 0 {
		live := c.QOS
		c.QOS = nil
		for i := range s.Site.QOS {
			q := &s.Site.QOS[i]
			one := priority.QOS{Name: q.Name, Priority: uint32(min(max(0, q.Priority), math.MaxUint32)), Preempts: q.Preempts}
			if k := slices.IndexFunc(live, func(l priority.QOS) bool { return l.Name == q.Name }); k >= 0 && !q.PreemptKnown {
				one.Preempts = live[k].Preempts
			}
			missing = missing || len(live) == 0 && !q.PreemptKnown
			c.QOS = append(c.QOS, one)
		}
	} else {
		missing = len(c.QOS) == 0
	}
	return missing && c.PreemptType == "preempt/qos"
}

// reclass changes the setting of classes.
func (s *Study) reclass(by priority.ClassBy) error {
	if s.Weight && by != priority.ClassesOff {
		return errors.New("in mode weight there are no classes")
	}
	controller := priority.Controller{}
	if s.Controller != nil {
		controller = *s.Controller
	}
	s.addQOS(&controller)
	s.ClassBy, s.Classes = by, s.classesBy(by, controller)
	return nil
}

// classOf returns the classes of jobs by their running numbers.
func (s *Study) classOf(numbered func(ostrich.JobID) *Job) sim.Classes {
	if len(s.Classes.Names) == 0 {
		return sim.Classes{}
	}
	return sim.Classes{Number: len(s.Classes.Names), Of: func(n ostrich.JobID) int {
		r, partition, qos := &numbered(n).wants.request, "", ""
		if r.Partition >= 0 {
			partition = s.Priority.Partitions[r.Partition].Name
		}
		if r.QOS >= 0 {
			qos = s.Priority.QOS[r.QOS].Name
		}
		return s.Classes.Of(partition, qos)
	}}
}
