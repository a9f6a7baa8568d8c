// Package report measures runs: how long jobs and campaigns stayed, against
// how long they had to.
package report
