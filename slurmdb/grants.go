package slurmdb

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// harmless are the privileges that cannot change anything.
var harmless = map[string]bool{
	"USAGE": true, "SELECT": true, "SHOW VIEW": true, "SHOW DATABASES": true, "PROCESS": true,
	"REPLICATION CLIENT": true, "BINLOG MONITOR": true, "SLAVE MONITOR": true,
}

// secret matches the part of SHOW GRANTS that holds a password's hash.
var secret = regexp.MustCompile(`(?i)\s+IDENTIFIED\s+(BY|VIA|WITH)\s.*?('[^']*'\s*)+`)

// Grants lists the privileges of the account, without its password's hash.
// readOnly reports whether all of them only read.
func (r *Reader) Grants(ctx context.Context) (grants []string, readOnly bool, err error) {
	grants, err = r.db.list(ctx, "SHOW GRANTS")
	if err != nil {
		return nil, false, r.failed("the account's grants", err)
	}
	readOnly = true
	for i, g := range grants {
		readOnly = readOnly && reads(g)
		grants[i] = strings.TrimSpace(secret.ReplaceAllString(g, " "))
	}
	return grants, readOnly, nil
}

// columnList matches the part of a privilege that names columns.
var columnList = regexp.MustCompile(`\s*\([^)]*\)`)

// reads reports whether a grant allows only reading.
func reads(grant string) bool {
	rest, ok := strings.CutPrefix(strings.ToUpper(grant), "GRANT ")
	if !ok || strings.Contains(rest, "WITH GRANT OPTION") {
		return false
	}
	privileges, _, ok := strings.Cut(rest, " ON ")
	if !ok {
		return true // A role: the server lists its grants too where it is in force.
	}
	each := strings.Split(columnList.ReplaceAllString(privileges, ""), ",")
	return !slices.ContainsFunc(each, func(p string) bool { return !harmless[strings.TrimSpace(p)] })
}
