// Package sidecar is what the two commands share: the configuration, and the
// cycle that reads slurmdbd's tables, steps the virtual schedule, orders the
// pending jobs, plans and applies. It is the only place that knows both the
// reader and the writer.
package sidecar
