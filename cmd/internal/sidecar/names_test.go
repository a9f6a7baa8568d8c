package sidecar

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
)

// namer is an accounting that knows names, or does not answer.
type namer struct {
	names slurmdb.Known
	err   error
}

func (n namer) Known(context.Context) (slurmdb.Known, error) { return n.names, n.err }

var someNames = namer{names: slurmdb.Known{
	Users: []string{"alice", "alicia", "bob"}, Accounts: []string{"bio", "chem", "physics"}, QOS: []string{"high", "normal"},
}}

func TestCheckNames(t *testing.T) {
	partitions := []priority.Partition{{Name: "main"}, {Name: "GPU"}}
	for _, tt := range []struct {
		name string
		edit func(*configuration.Config)
		want []string
	}{
		{"nothing set", func(*configuration.Config) {}, nil},
		{"all known", func(c *configuration.Config) {
			c.Include = priority.Selection{Users: []string{"bob"}, Accounts: []string{"bio", "chem"}, QOS: []string{"high"}, Partitions: []string{"GPU"}}
			c.Exclude = priority.Selection{Users: []string{"alice"}, Accounts: []string{"physics"}, QOS: []string{"normal"}, Partitions: []string{"main"}}
		}, nil},
		{"a letter", func(c *configuration.Config) { c.Exclude.Accounts = []string{"chme", "bio"} }, []string{
			`exclude.accounts: Slurm knows no account "chme"; did you mean "chem"?`,
		}},
		{"several are near", func(c *configuration.Config) { c.Include.Users = []string{"alica"} }, []string{
			`include.users: Slurm knows no user "alica"; did you mean "alice" or "alicia"?`,
		}},
		{"capitals", func(c *configuration.Config) { c.Exclude.Partitions = []string{"gpu"} }, []string{
			`exclude.partitions: Slurm knows no partition "gpu"; did you mean "GPU"?`,
		}},
		{"an account for a user", func(c *configuration.Config) { c.Exclude.Users = []string{"bio"} }, []string{
			`exclude.users: Slurm knows no user "bio"`,
		}},
		{"far from all", func(c *configuration.Config) {
			c.Include.QOS, c.Include.Partitions = []string{"urgent"}, []string{"long"}
		}, []string{
			`include.qos: Slurm knows no QOS "urgent"`, `include.partitions: Slurm knows no partition "long"`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := configuration.Default()
			tt.edit(&c)
			unknown, err := UnknownNames(t.Context(), &c, someNames, partitions)
			var got []string
			if unknown != nil {
				got = strings.Split(unknown.Error(), "\n")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestNamesByMode: who would write does not begin with a name that Slurm does
// not know, nor does a trial of that; whoever looks is told of it once.
func TestNamesByMode(t *testing.T) {
	for _, tt := range []struct {
		name    string
		mode    string
		trial   bool
		write   bool
		refused bool
	}{
		{"observe", configuration.Observe, false, false, false},
		{"enforce", configuration.Enforce, false, true, true},
		{"a command that reads", configuration.Enforce, false, false, false},
		{"a reload to trial", configuration.Trial, true, false, true},
		{"a reload to trial", configuration.Trial, true, false, true},
		{"a reload to enforce", configuration.Enforce, true, false, true},
		{"a reload to observe", configuration.Observe, true, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newSite()
			s := w.start(t, func(c *configuration.Config) {
				c.Mode, c.Exclude.Accounts = tt.mode, []string{"chme"}
				if tt.trial {
					*c = c.Probe()
				}
			})
			if tt.trial && s.config.Mode != configuration.Observe {
				t.Error("a trial writes")
			}
			var err error
			s.names, err = refuseNames(t.Context(), &s.config, someNames, w.Parts, tt.write)
			if (err != nil) != tt.refused || err != nil && !Permanent(err) {
				t.Fatalf("error %v", err)
			}
			if tt.refused {
				return
			}
			if c := run(t, s, false); c.Names == nil || !strings.Contains(c.Names.Error(), "chem") {
				t.Errorf("told: %v", c.Names)
			}
			if c := run(t, s, false); c.Names != nil {
				t.Errorf("told again: %v", c.Names)
			}
		})
	}
	// What is not known is no reason to say that a name is wrong, nor to begin.
	away := errors.New("the database is away")
	w := newSite()
	s := w.start(t, func(c *configuration.Config) { c.Exclude.Accounts = []string{"bio"} })
	if _, err := refuseNames(t.Context(), &s.config, namer{err: away}, w.Parts, true); !errors.Is(err, away) || Permanent(err) {
		t.Errorf("error %v", err)
	}
}
