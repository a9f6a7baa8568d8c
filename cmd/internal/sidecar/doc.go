// Package sidecar is what both commands share: the configuration, and the cycle
// that reads slurmdbd's tables, steps the virtual schedule, orders the pending
// jobs, plans and applies. It alone knows both the reader and the writer.
package sidecar
