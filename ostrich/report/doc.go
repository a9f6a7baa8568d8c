// Package report measures runs: how long jobs and campaigns took, compared with
// how long they had to.
package report
