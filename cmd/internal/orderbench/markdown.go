package orderbench

import (
	"fmt"
	"io"
	"strings"

	"slurm-ostrich/cmd/internal/format"
)

// WriteMarkdown writes the result as a page of documentation, with the command
// that made it.
func (r *Result) WriteMarkdown(w io.Writer, command string) error {
	var b strings.Builder
	replay := "as they were submitted (open loop)"
	if r.Loop == closed {
		replay = "closed loop"
	}
	first := r.Policies[0].Policy
	fmt.Fprintf(&b, "# Orders of the queue beside %s: %s\n\n", first, replay)
	fmt.Fprintf(&b, "Written by `ostrich bench`:\n\n<!-- not run: minutes, and logs that are not in the tree -->\n```sh\n%s\n```\n\n", command)
	fmt.Fprintf(&b, `Figures are ratios to %s, ± one standard error: below 1 is better, but for utilisation. %s, up to %s of each, %s each.
[Simulation](simulation.md#orders-of-the-queue-compared) explains the yardstick. The error says how well these logs are measured, not how another log would do.

`, first, format.Plural(len(r.Logs), "log"), format.Plural(r.Parts, "part"), format.Plural(r.Shakes, "replay"))
	b.WriteString("| order | ")
	for _, m := range measures {
		fmt.Fprintf(&b, "%s | ", m.Name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(measures)) + "\n")
	for i := range r.Policies {
		p := &r.Policies[i]
		fmt.Fprintf(&b, "| %s | ", p.Policy)
		for _, ratio := range p.All() {
			fmt.Fprintf(&b, "%s | ", ratio)
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n## By log\n\nThe mean campaign stretch, and the mean over users.\n\n| order | ")
	for i := range r.Logs {
		fmt.Fprintf(&b, "%s | ", r.Logs[i].Log)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(r.Logs)) + "\n")
	for i := range r.Policies {
		fmt.Fprintf(&b, "| %s | ", r.Policies[i].Policy)
		for k := range r.Logs {
			p := &r.Logs[k].Policies[i]
			fmt.Fprintf(&b, "%s; %s | ", &p.Mean, &p.UsersMean)
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n## The orders\n\n| order | settings |\n|---|---|\n")
	for i := range r.Policies {
		fmt.Fprintf(&b, "| %s | `%s` |\n", r.Policies[i].Policy, r.Policies[i].Settings)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
