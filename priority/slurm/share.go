package slurm

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/plural"
)

// Share is what sshare shows of an association.
type Share struct {
	Account, User string // User is "" for an account
	RawUsage      float64
	NormShares    float64
	Effective     float64 // EffectvUsage
	FairShare     float64 // the factor, from 0 to 1; 0 for an account under Fair Tree
	LevelFS       float64 // +Inf without usage; 0 without Fair Tree
}

// shareColumns are sshare's columns for the fields of a Share.
const shareColumns = "Account%80,User%80,RawUsage%30,NormShares%30,EffectvUsage%30,FairShare%30,LevelFS%30"

// Shares returns what sshare shows of all associations.
func (s Commands) Shares(ctx context.Context) ([]Share, error) {
	return parsed(ctx, s, parseShares, "sshare", "-a", "-l", "-n", "-P", "-o", shareColumns)
}

// parseShares reads sshare -P, which indents accounts by their depth.
func parseShares(out string) ([]Share, error) {
	var list []Share
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != 7 {
			return nil, plural.Errorf("sshare: %q: %d field{|s}, want 7", clip(line), len(f))
		}
		x := Share{Account: strings.TrimSpace(f[0]), User: strings.TrimSpace(f[1])}
		for i, to := range []*float64{&x.RawUsage, &x.NormShares, &x.Effective, &x.FairShare, &x.LevelFS} {
			text := strings.TrimSpace(f[2+i])
			switch {
			case text == "":
				continue
			case strings.HasPrefix(strings.ToLower(text), "inf"):
				*to = math.Inf(1)
				continue
			}
			var err error
			if *to, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(*to) {
				return nil, fmt.Errorf("sshare: %q: %q is no number", clip(line), clip(text))
			}
		}
		list = append(list, x)
	}
	return list, nil
}
