package configuration

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/format"
)

// gone says of each key that there was what holds in its place, and what to do. The
// reasons are in docs/adr/0040-options.md.
var gone = map[string]string{
	"campaign.late":          always("reopen") + another("late=grow"),
	"campaign.threshold":     "is a part of campaign.rule now, as in campaign.rule: window=30m; with rule max or last remove it",
	"database.overlap":       always("2m"),
	"database.tls_ca":        "is a value of database.tls now, as in database.tls: /etc/ssl/db.pem; remove it where it is empty",
	"database.timeout":       "is 30s, or slurm.timeout where that is longer; remove it, or, if the first reading needs longer, set slurm.timeout, by which a command of Slurm may hang as long",
	"doorbell":               always("1s") + "; in place of off, set interval.min to as long as interval",
	"due":                    "what users accept is shown where satisfaction is set, as in satisfaction: median; in place of false leave satisfaction empty",
	"log.format":             `is console on a terminal and json elsewhere, always; remove it`,
	"priority.margin":        always("20"),
	"priority.weight":        "is a part of priority.mode now, as in priority.mode: weight=5000; with mode strict remove it",
	"schedule.ahead":         noHorizon,
	"schedule.default_limit": always("7d") + "; for another one give the partition a MaxTime",
	"schedule.delay":         always("5m"),
	"schedule.gate":          always("off") + another("gate=demote"),
	"schedule.horizon":       always("5m"),
	"schedule.inside":        always("spt") + another("inside=ljf"),
	"schedule.late_grace":    always("1d") + another("grace=6h"),
	"schedule.machine":       always("parallel") + another("machine=sequential"),
	"schedule.memory":        always("7d") + another("memory=30d"),
	"schedule.nodes":         noHorizon,
	"schedule.order":         always("remaining") + another("gate=demote:inside=ljf:grace=off:memory=off:settle=off") + " (paper; there is no horizon any more)",
}

const noHorizon = "there is no schedule.order horizon any more; remove it"

func always(value string) string { return "is always " + value + " now; remove it" }

// another says how to see what another value would change.
func another(value string) string {
	return `; see what another value would change by "ostrich compare --policy ostrich,ostrich:` + value + `"`
}

// notSettings are the variables of the commands that are no settings.
var notSettings = []string{"OSTRICH_CONFIG", "OSTRICH_URL", "OSTRICH_CLIENT_FILE", "OSTRICH_TRACES"}

// wrongVariables is an error for each variable that sets what is gone, or of which the name is
// nearly that of a setting. Others may have variables of their own that begin with OSTRICH_.
func wrongVariables(settings []Setting) error {
	is := slices.Clone(notSettings)
	for _, s := range settings {
		is = append(is, s.Env())
	}
	was := make(map[string]string)
	for key := range gone {
		was[Setting{Key: key}.Env()] = key
	}
	var errs []error
	for _, pair := range slices.Sorted(slices.Values(os.Environ())) {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || slices.Contains(is, name) {
			continue
		}
		if key, did := was[name]; did {
			errs = append(errs, fmt.Errorf("configuration: %s: %s", name, gone[key]))
			continue
		}
		if near := format.Within(name, is, max(1, (len(name)-len(prefix))/4)); len(near) > 0 {
			errs = append(errs, fmt.Errorf("configuration: %s: unknown variable%s", name, format.DidYouMean(near)))
		}
	}
	return errors.Join(errs...)
}

// UsageError is arguments.UsageError for a command with the flags of all settings: a flag
// that is gone is told what to do.
func UsageError(command string) cli.OnUsageErrorFunc {
	report := arguments.UsageError(command, "")
	return func(c *cli.Context, err error, sub bool) error {
		if name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); unknown {
			for key := range gone {
				if (Setting{Key: key}).Flag() == name {
					return fmt.Errorf("--%s: %s", name, gone[key])
				}
			}
		}
		return report(c, err, sub)
	}
}
