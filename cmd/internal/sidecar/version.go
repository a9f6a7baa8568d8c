package sidecar

import (
	_ "embed"
	"runtime/debug"
	"strings"
)

// version and commit are set by contrib/packaging/build, through
// -ldflags "-X slurm-ostrich/cmd/internal/sidecar.version=...".
var version, commit string

// archived is the commit in an archive of git, which fills it in, see .gitattributes; in
// a clone it begins with "$".
//
//go:embed commit.txt
var archived string

// Version returns the version of a package, or what the Go toolchain noted in the
// binary: "v1.2.0", "(devel)".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// Build returns the version and, where it is known, the commit: "v1.2.0 (commit 71d3df6)".
func Build() string {
	is := commit
	if is == "" && !strings.HasPrefix(archived, "$") {
		is = archived
	}
	if info, ok := debug.ReadBuildInfo(); ok && is == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				is = s.Value
			}
		}
	}
	if is == "" {
		return Version()
	}
	return Version() + " (commit " + is[:min(12, len(is))] + ")"
}
