package sidecar

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"time"

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
	if raw := RawSite(q.Site); raw != "" {
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

// orphans are values in the queue that a daemon of ours has left and that the journal does not
// know, because it is gone. They look like somebody else's, and nobody orders their jobs.
// They are taken over once the database's lock has been ours for a whole term in which
// nobody changed any of them.
type orphans struct {
	seen    map[ostrich.JobID]orphan // of jobs in the queue
	changed time.Time                // when another writer last changed one; zero: not within longestDoubt
	looked  bool                     // bare is set
	bare    bool                     // the journal knew nothing when it became our turn
	left    int                      // in the latest queue
	taken   int                      // taken over since the latest cycle was reported
}

// orphan is a value, and since when it has been there.
type orphan struct {
	value int64
	since time.Time
}

// longestDoubt is for how long no orphan is taken over after another writer changed one.
const longestDoubt = time.Hour

// adopt takes over what is orphaned, and may be.
func (s *Sidecar) adopt(o *priority.Options, queue []priority.Queued, now ostrich.Time) error {
	is, at := &s.orphans, time.Now()
	if at.Sub(is.changed) >= longestDoubt {
		is.changed = time.Time{}
	}
	if is.left == 0 && len(is.seen) == 0 && !s.made.wrote(queue, s.memory()) {
		return nil // there were none, and nothing has changed since
	}
	found, sure := s.journal.Orphans(*o, queue, now)
	if !is.looked {
		is.looked, is.bare = true, s.journal.Empty()
	}
	if is.left = len(found); !sure || !is.bare && !s.config.Takeover {
		if !is.bare || o.Channel != priority.SiteFactor || s.config.Takeover {
			is.left = 0 // A plugin's, as far as anybody knows; or nobody leaves them alone.
		}
		found = nil
	}
	since, term := s.lead.since()
	if len(found) == 0 && len(is.seen) == 0 || since.IsZero() {
		return nil
	}
	if is.seen == nil {
		is.seen = make(map[ostrich.JobID]orphan)
	}
	waiting := len(is.seen) > 0
	of := make(map[ostrich.JobID]*priority.Queued, len(queue))
	for i := range queue {
		q := &queue[i]
		of[q.Job] = q
		value := o.Channel.Value(q)
		was, known := is.seen[q.Job]
		switch {
		case !known || o.Channel == priority.SiteFactor && !q.SiteKnown:
		case value == 0:
			delete(is.seen, q.Job) // It is nobody's any more.
		case value != was.value:
			is.changed = at
			is.seen[q.Job] = orphan{value, at}
		}
	}
	var ours []journal.Record
	for _, r := range found {
		was, known := is.seen[r.Job]
		if !known {
			q := of[r.Job]
			if was, known = is.seen[q.Array]; !known || was.value != r.To {
				was = orphan{r.To, at}
				if waiting && time.Unix(int64(q.Submit), 0).After(since.Add(term)) {
					is.changed = at // Somebody gives such values while the lock is ours.
				}
			}
			is.seen[r.Job] = was
		}
		// A nice value of ours would be taken for the owner's with the next write.
		if at.Sub(was.since) >= term || o.Channel == priority.Nice || s.config.Takeover {
			ours = append(ours, r)
		}
	}
	maps.DeleteFunc(is.seen, func(id ostrich.JobID, _ orphan) bool { return of[id] == nil })
	if !is.changed.IsZero() || len(ours) == 0 {
		return nil
	}
	if err := s.journal.Note(now, ours); err != nil {
		return journaled(err)
	}
	for _, r := range ours {
		delete(is.seen, r.Job)
	}
	is.left -= len(ours)
	is.taken += len(ours)
	return nil
}

// waits reports whether orphans may be taken over soon.
func (o *orphans) waits() bool { return o.left > 0 && o.changed.IsZero() && len(o.seen) > 0 }

// Mend says what to do about jobs that are left alone because of orphans.
func Mend(contested bool) string {
	first := ""
	if contested {
		first = "another writer changes them: stop it first; "
	}
	return first + "put the journal back from a backup; or stop ostrichd, run ostrich reset --all, which makes all of them 0, and start it"
}

// farBelow is how close to the least SiteFactor one is that was most likely meant as a
// small number.
const farBelow = 1 << 20

// RawSite returns what is to be known of a SiteFactor near the least one, "" of others:
// slurmrestd takes site_factor as slurmctld keeps it, with an offset of 2^31.
func RawSite(site int64) string {
	meant := site - math.MinInt32
	if meant < 0 || meant > farBelow {
		return ""
	}
	return fmt.Sprintf("slurmrestd takes site_factor with 2147483648 added, so that %d there means %d, and the priority is 1; for %d send %d",
		meant, site, meant, meant-math.MinInt32)
}
