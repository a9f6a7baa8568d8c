package sidecar

import (
	"cmp"
	"fmt"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// leftAlone collects for how long the plan that is being made leaves jobs alone.
type leftAlone struct {
	now   ostrich.Time
	until ostrich.Time           // when the first of them comes back; 0: none does
	could func(value int64) bool // see priority.Options.Could
}

// wait notes when a job comes back.
func (p *leftAlone) wait(until ostrich.Time) {
	p.until = cmp.Or(min(p.until, until), until)
}

// alone returns why a job is left alone: Slurm refused a write, or another writer
// changed it. It is the zero value if it is not left alone.
func (s *Sidecar) alone(o *priority.Options, q *priority.Queued) priority.Why {
	if s.journal != nil {
		if words, again := s.journal.Refused(o.Channel, q.Job, s.leftAlone.now); words != "" {
			s.leftAlone.wait(again)
			return priority.Why{Code: priority.WasRefused, About: words + "; next try " + format.Moment(float64(again))}
		}
	}
	return s.foreign(o, q)
}

// foreign says why a job with somebody else's value is left alone. Without a
// journal, or with an empty one, the sidecar knows nobody's values and counts as
// somebody else's only what no plan gives. The same holds while it stands by,
// because the other daemon's values are not in its journal.
func (s *Sidecar) foreign(o *priority.Options, q *priority.Queued) priority.Why {
	foreign := o.Channel == priority.SiteFactor && !s.config.Takeover
	if standsBy := s.lead != nil && !s.leads; s.journal == nil || standsBy || (s.journal.Empty() && !s.leads) {
		foreign = foreign && q.SiteKnown && q.Site != 0 && s.leftAlone.could != nil && !s.leftAlone.could(q.Site)
	} else {
		switch s.journal.WroteBy(o.Channel, q) {
		case journal.Known:
			return priority.Why{}
		case journal.Foreign:
		case journal.Overwritten:
			value, until := s.journal.OtherWriter(o.Channel, q, s.leftAlone.now)
			if until == 0 {
				return priority.Why{}
			}
			s.leftAlone.wait(until)
			return priority.Why{Code: priority.OtherWriter, About: fmt.Sprintf("%d; left alone until %s", value, format.Moment(float64(until)))}
		}
	}
	if !foreign {
		return priority.Why{}
	}
	about := fmt.Sprintf("%d is somebody else's (takeover is off)", q.Site)
	if raw := rawSite(q.Site); raw != "" {
		about += "; " + raw
	}
	return priority.Why{Code: priority.Foreign, About: about}
}

// otherWriters records in the journal what others wrote. What the previous daemon
// wrote in its turn is ours from now on. The rest is from other writers, which the
// next cycle reports. It does nothing unless it is our turn.
func (s *Sidecar) otherWriters(queue []priority.Queued, now ostrich.Time) error {
	if s.journal == nil || !s.leads {
		s.orphans = orphans{}
		return nil
	}
	o := s.options()
	if all, due := s.lead.toTakeOver(); due {
		if err := s.journal.Note(now, s.journal.Adoptions(o, queue, all, now)); err != nil {
			return journaled(err)
		}
		s.lead.tookOver()
	}
	if err := s.adopt(&o, queue, now); err != nil {
		return err
	}
	if !s.made.wrote(queue, s.memory()) {
		return nil
	}
	others := s.journal.OtherWriters(o.Channel, queue, now)
	s.others = append(s.others, others...)
	return journaled(s.journal.Note(now, others))
}
