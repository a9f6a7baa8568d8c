#!/usr/bin/env bash
# Versions: github.com/opencontainers/cgroups v0.0.2 and v0.0.3, which runc is built on.
# Guess: the weight that cgroup v2 has for cpu.shares of cgroup v1 is in proportion: 1024, what a group had without setting, is
#   100, what it has now, and 512 is 50; and one function of one project has one answer.
# Seen: v0.0.2 makes 39 of 1024, so a container with what was usual has less than half of what a group without setting has,
#   such as a systemd unit beside it. v0.0.3 makes 100, and 59 of 512 and 174 of 2048: twice the shares are no longer twice
#   the time. So the same two containers share a node by 4 to 1 with one version and by 3 to 1 with the other.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"fmt"

		"github.com/opencontainers/cgroups"
	)

	func main() {
		for _, shares := range []uint64{512, 1024, 2048} {
			fmt.Printf(" %d of %d", cgroups.ConvertCPUSharesToCgroupV2Value(shares), shares)
		}
	}
END
go mod init weights 2>/dev/null
seen=''
for version in v0.0.2 v0.0.3; do
	go get "github.com/opencontainers/cgroups@$version" 2>said || { echo "github.com/opencontainers/cgroups@$version could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
	seen+="$version:$(go run .)
"
done
wanted='v0.0.2: 20 of 512 39 of 1024 79 of 2048
v0.0.3: 59 of 512 100 of 1024 174 of 2048
'
echo -n "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s' "$wanted"
	exit 1
fi
