package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/livecompare"
	"slurm-ostrich/cmd/internal/sidecar"
)

const (
	// livePatience is how long a daemon may take to answer.
	livePatience = 10 * time.Second
	// mostLive is more bytes than a comparison has.
	mostLive = 16 << 20
)

// compareLive writes the comparison that a running daemon keeps.
func compareLive(c *cli.Context) error {
	if err := onlyLive(c); err != nil {
		return err
	}
	address, err := liveAddress(c)
	if err != nil {
		return err
	}
	raw, err := fetchLive(c.Context, address)
	if err != nil {
		return err
	}
	var r livecompare.Report
	if err = json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("ostrichd at %s: its comparison cannot be read: %w", address, err)
	}
	if c.Bool("json") {
		var b bytes.Buffer
		if err = json.Indent(&b, raw, "", "  "); err == nil {
			_, err = b.WriteTo(c.App.Writer)
		}
		return err
	}
	return console.Tables(c, liveTables(&r)...)
}

// onlyLive refuses arguments, and options that mean nothing for a comparison
// that has been made already.
func onlyLive(c *cli.Context) error {
	if c.NArg() > 0 {
		return fmt.Errorf("compare: unexpected argument %q; see \"ostrich compare --help\"", c.Args().First())
	}
	known := slices.Concat(console.Formats(), sidecar.Flags(true))
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if !c.IsSet(name) || name == "live" || name == "address" ||
			slices.ContainsFunc(known, func(k cli.Flag) bool { return k.Names()[0] == name }) {
			continue
		}
		return fmt.Errorf("compare: --%s does not go with --live", name)
	}
	return nil
}

// liveAddress is where the daemon answers, from this host.
func liveAddress(c *cli.Context) (string, error) {
	address, from := c.String("address"), "--address"
	if !c.IsSet("address") {
		config, err := sidecar.Load(c)
		if err != nil {
			return "", err
		}
		if config.Listen == "" {
			return "", errors.New("compare: listen of the configuration is empty, so that ostrichd cannot be asked; set it, or name another with --address HOST:PORT")
		}
		address, from = config.Listen, "listen"
	}
	// A host that is empty or unspecified is this one, see net.Dial.
	if _, _, err := net.SplitHostPort(address); err != nil {
		return "", fmt.Errorf("compare: %s %q: must be HOST:PORT: %w", from, address, err)
	}
	return address, nil
}

// fetchLive asks a daemon for its comparison.
func fetchLive(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, livePatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/api/v1/compare.json", nil)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	client := http.Client{Transport: &http.Transport{}} // not through a proxy
	answer, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ostrichd does not answer at %s; is it running, with this listen? %w", address, errors.Unwrap(err))
	}
	defer func() { _ = answer.Body.Close() }() // It has been read.
	raw, err := io.ReadAll(io.LimitReader(answer.Body, mostLive))
	switch {
	case err != nil:
		return nil, fmt.Errorf("ostrichd at %s: %w", address, err)
	case answer.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("ostrichd at %s keeps no comparison: it is older than this ostrich, or something else listens there", address)
	case answer.StatusCode != http.StatusOK:
		words, _, _ := strings.Cut(strings.TrimSpace(string(raw)), "\n")
		var said struct{ Error string }
		if json.Unmarshal(raw, &said) == nil && said.Error != "" {
			words = said.Error
		}
		return nil, fmt.Errorf("ostrichd at %s: %s: %s", address, answer.Status, words)
	}
	return raw, nil
}

func liveTables(r *livecompare.Report) []format.Table {
	return slices.Concat([]format.Table{liveOrder(r), liveStarts(r), liveCampaigns(r)}, liveBroken(r), livePromise(&r.Campaigns.Promise), liveLast(r))
}

func liveOrder(r *livecompare.Report) format.Table {
	t := format.Table{
		Title: fmt.Sprintf("%s, mode %s, %s to %s: OStrich's order and Slurm's", r.Cluster, r.Mode,
			format.Moment(float64(r.Since)), format.Moment(float64(r.Time))),
		Header: []string{"FIGURE", "NOW", "HOUR", "DAY"},
	}
	add := func(name string, a livecompare.Average) {
		t.Add(name, fmt.Sprintf("%.2f", a.Now), fmt.Sprintf("%.2f", a.Hour), fmt.Sprintf("%.2f", a.Day))
	}
	add("rank correlation", r.Order.Tau)
	for _, o := range r.Order.Overlap {
		name := fmt.Sprintf("first %d in common", o.First)
		if o.Depth == "slurm" {
			name += " (as deep as Slurm looks)"
		}
		add(name, o.Average)
	}
	first, shift := []any{"starts among the first that fitted", ""}, []any{"ranks from the head at a start", ""}
	for _, w := range r.Starts.Ranks {
		first, shift = append(first, fmt.Sprintf("%.2f", w.First)), append(shift, fmt.Sprintf("%.1f", w.Shift))
	}
	t.Add(first...)
	t.Add(shift...)
	return t
}

func liveStarts(r *livecompare.Report) format.Table {
	t := format.Table{
		Title:  "Starts, compared with those that OStrich would have made",
		Header: []string{"START", "JOBS", "OPEN", "KNOWN", "MEAN", "<=1MIN", "<=1H"},
	}
	s := &r.Starts
	t.Add("same", s.Same, "", "", "", "", "")
	for _, row := range []struct {
		name string
		jobs uint64
		open int
		by   *livecompare.Histogram
	}{{"earlier", s.Earlier, s.RunEarlier, &s.EarlierSeconds}, {"later", s.Later, s.WaitLater, &s.LaterSeconds}} {
		t.Add(row.name, row.jobs, row.open, row.by.Count, liveMean(row.by, "s"), liveUpTo(row.by, 60), liveUpTo(row.by, 3600))
	}
	t.Add("not compared", s.NotCompared+s.LeftOut, "", "", "", "", "")
	return t
}

func liveCampaigns(r *livecompare.Report) format.Table {
	t := format.Table{
		Title:  "Finished campaigns",
		Header: []string{"CAMPAIGNS", "KEPT", "BROKEN", "NONE", "STRETCH", "<=1.15", "<=2", "<=20"},
	}
	k := &r.Campaigns
	t.Add(k.Finished, k.Kept, k.Broken, k.Unbounded, liveMean(&k.Stretch, ""), liveUpTo(&k.Stretch, 1.15), liveUpTo(&k.Stretch, 2), liveUpTo(&k.Stretch, 20))
	return t
}

func liveBroken(r *livecompare.Report) []format.Table {
	t := format.Table{Title: "Broken bounds, by reason", Header: []string{"REASON", "FIRST", "ALL", "MEANING"}}
	for _, b := range r.Campaigns.BrokenBy {
		if b.Any > 0 {
			t.Add(b.Reason, b.First, b.Any, b.Meaning)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []format.Table{t}
}

// livePromise has no tables if no campaign has a known rho.
func livePromise(p *livecompare.Promise) []format.Table {
	if p.Campaigns == 0 {
		return nil
	}
	part := func(x float64) string { return format.PercentCell(x, 0) }
	all := format.Table{
		Title:  "Campaigns of the last 24 hours beside an equally shared machine",
		Header: []string{"CAMPAIGNS", "RHO<=1", "MEAN", "P50", "P95", "MAX"},
	}
	all.Add(p.Campaigns, part(p.Le1), fmt.Sprintf("%.2f", p.Mean), fmt.Sprintf("%.2f", p.P50), fmt.Sprintf("%.2f", p.P95), fmt.Sprintf("%.2f", p.Max))
	users := format.Table{
		Title:  "Users furthest from an equal share",
		Header: []string{"USER", "CAMPAIGNS", "RHO<=1", "MEAN", "MAX"},
	}
	for _, u := range p.Users {
		users.Add(u.User, u.Campaigns, part(u.Le1), fmt.Sprintf("%.2f", u.Mean), fmt.Sprintf("%.2f", u.Max))
	}
	if len(p.Users) == 0 {
		return []format.Table{all}
	}
	return []format.Table{all, users}
}

func liveLast(r *livecompare.Report) []format.Table {
	if len(r.Campaigns.Last) == 0 {
		return nil
	}
	t := format.Table{
		Title:  "The campaigns that finished last",
		Header: []string{"CAMPAIGN", "USER", "POOL", "SUBMITTED", "ENDED", "FLOW", "STRETCH", "BOUND", "KEPT", "REASONS"},
	}
	for _, f := range r.Campaigns.Last {
		bound, kept := "never", ""
		if f.Bound != nil {
			bound, kept = format.Moment(*f.Bound), "yes"
			if f.Broken {
				kept = "no"
			}
		}
		t.Add(f.Campaign, f.User, f.Pool, format.Moment(float64(f.Submitted)), format.Moment(float64(f.Ended)), format.Elapsed(f.Flow),
			fmt.Sprintf("%.2f", f.Stretch), bound, kept, strings.Join(f.Reasons, ","))
	}
	return []format.Table{t}
}

// liveMean is the mean of what a histogram counts, "" of nothing.
func liveMean(h *livecompare.Histogram, unit string) string {
	if h.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f%s", h.Sum/float64(h.Count), unit)
}

// liveUpTo is the part of what a histogram counts that is up to a limit of one
// of its buckets, "" where there is none.
func liveUpTo(h *livecompare.Histogram, limit float64) string {
	for _, b := range h.Buckets {
		if b.Limit == limit && h.Count > 0 {
			return format.PercentCell(float64(b.Count)/float64(h.Count), 0)
		}
	}
	return ""
}
