package slurm

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/priority"
)

// policies adds what "scontrol show config" does not show. A policy that cannot
// be read is no error; c.PoliciesUnknown says why.
func (s Commands) policies(ctx context.Context, c *priority.Controller) {
	qos, err := s.output(ctx, "scontrol", "-o", "show", "assoc_mgr", "flags=qos")
	if err == nil {
		c.QOS, err = parseQOS(string(qos))
	}
	if err != nil {
		c.PoliciesUnknown = err.Error()
	}
	federation, err := s.output(ctx, "scontrol", "show", "federation")
	if err != nil {
		c.PoliciesUnknown = err.Error()
	}
	c.Federation = parseFederation(string(federation))
}

// parseQOS reads "scontrol -o show assoc_mgr flags=qos".
func parseQOS(out string) ([]priority.QOS, error) {
	var all []priority.QOS
	for line := range strings.Lines(out) {
		name, found := strings.CutPrefix(line, "QOS=")
		if !found {
			continue
		}
		name, _, _ = strings.Cut(name, "(")
		q := priority.QOS{Name: name, PreemptMode: unless(field(line, "PreemptMode"), "OFF")}
		if text := field(line, "MinPrioThresh"); text != "" {
			n, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				return nil, fmt.Errorf("scontrol show assoc_mgr: QOS %s: MinPrioThresh=%q: not a number", name, clip(text))
			}
			q.Threshold = uint32(n)
		}
		all = append(all, q)
	}
	return all, nil
}

// field returns the value of a word "key=value" of a line, or "".
func field(line, key string) string {
	_, rest, _ := strings.Cut(line, " "+key+"=")
	if rest == "" || rest[0] == ' ' {
		return ""
	}
	return strings.Fields(rest)[0]
}

// parseFederation reads the name from "scontrol show federation", "" for none.
func parseFederation(out string) string {
	for line := range strings.Lines(out) {
		if name, found := strings.CutPrefix(line, "Federation:"); found {
			return none(strings.TrimSpace(name))
		}
	}
	return ""
}

// Thresholds asks slurmdbd for the associations of a cluster that have a
// MinPrioThreshold.
func (s Commands) Thresholds(ctx context.Context, cluster string) ([]priority.Threshold, error) {
	if cluster == "" || strings.ContainsAny(cluster, " ,=\n") {
		return nil, fmt.Errorf("cluster %q: not a cluster's name", cluster)
	}
	out, err := s.output(ctx, "sacctmgr", "-nP", "show", "associations", "cluster="+cluster, "format=account,user,partition,minpriothreshold")
	if err != nil {
		return nil, err
	}
	return parseThresholds(string(out), cluster)
}

func parseThresholds(out, cluster string) ([]priority.Threshold, error) {
	var all []priority.Threshold
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\n"), "|")
		if len(f) != 4 || f[3] == "" || f[3] == "0" {
			continue
		}
		n, err := strconv.ParseUint(f[3], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("sacctmgr: line %q: MinPrioThreshold: not a number", clip(line))
		}
		name, entity := "account "+f[0], fmt.Sprintf("account %s where cluster=%s", f[0], cluster)
		if f[1] != "" {
			name, entity = "user "+f[1]+" of "+name, fmt.Sprintf("user %s where account=%s cluster=%s", f[1], f[0], cluster)
		}
		if f[2] != "" {
			name, entity = name+", partition "+f[2], entity+" partition="+f[2]
		}
		all = append(all, priority.Threshold{Association: name, Entity: entity, Priority: uint32(n)})
	}
	return all, nil
}
