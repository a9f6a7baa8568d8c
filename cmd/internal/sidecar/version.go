package sidecar

import "runtime/debug"

// Version is what the Go toolchain noted in the binary.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
