package slurmdb

import (
	"context"
	"regexp"
	"strings"
)

// harmless are the privileges that change nothing.
var harmless = map[string]bool{
	"USAGE": true, "SELECT": true, "SHOW VIEW": true, "SHOW DATABASES": true, "PROCESS": true,
	"REPLICATION CLIENT": true, "BINLOG MONITOR": true, "SLAVE MONITOR": true,
}

// secret is how SHOW GRANTS tells a password's hash.
var secret = regexp.MustCompile(`(?i)\s+IDENTIFIED\s+(BY|VIA|WITH)\s.*?('[^']*'\s*)+`)

// Grants lists what the account may do, without its password's hash, and tells
// whether that is reading only.
func (r *Reader) Grants(ctx context.Context) (grants []string, readOnly bool, err error) {
	readOnly = true
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var g string
		if failed := scan(&g); failed != nil {
			return failed
		}
		readOnly = readOnly && reads(g)
		grants = append(grants, strings.TrimSpace(secret.ReplaceAllString(g, " ")))
		return nil
	}, "SHOW GRANTS")
	if err != nil {
		return nil, false, r.failed("the account's grants", err)
	}
	return grants, readOnly, nil
}

// columnList is the part of a privilege that names columns.
var columnList = regexp.MustCompile(`\s*\([^)]*\)`)

// reads tells whether a grant allows nothing but reading.
func reads(grant string) bool {
	rest, ok := strings.CutPrefix(strings.ToUpper(grant), "GRANT ")
	if !ok || strings.Contains(rest, "WITH GRANT OPTION") {
		return false
	}
	privileges, _, ok := strings.Cut(rest, " ON ")
	if !ok {
		return true // A role: its own grants are listed too where it is in force.
	}
	for p := range strings.SplitSeq(columnList.ReplaceAllString(privileges, ""), ",") {
		if !harmless[strings.TrimSpace(p)] {
			return false
		}
	}
	return true
}
