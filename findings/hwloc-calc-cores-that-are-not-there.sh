#!/usr/bin/env bash
# Version: hwloc 2.9.0-1 (Debian 12).
# Guess: hwloc-calc fails for a core that the machine does not have, and "core:6:4" is the cores 6 to 4, or a range that
#   is cut at the last one.
# Seen: it ends with 0, and prints the empty set 0x0 beside a message; of "core:6-9" of 8 cores it gives those that are
#   there. The second number after a colon is how many, and they go on at the start: core:6:4 is 6, 7, 0 and 1. hwloc-bind
#   does refuse the empty set.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download hwloc=2.9.0-1 libhwloc15=2.9.0-1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
libs=$PWD/$(dirname "$(find root -name libhwloc.so.15 | head -n 1)")
export LD_LIBRARY_PATH=$libs HWLOC_SYNTHETIC='pack:2 core:4 pu:1'
calc() {
	local code=0
	root/usr/bin/hwloc-calc "$@" >out 2>warnings || code=$?
	echo "$*: exit $code, $(cat out)"
}
seen=$(
	calc core:8
	calc -I core core:6-9
	calc -I core core:6:4
	calc -I core core:2:3
	unset HWLOC_SYNTHETIC
	code=0
	root/usr/bin/hwloc-bind core:99999 -- echo ran 2>warnings || code=$?
	echo "hwloc-bind core:99999: exit $code"
)
wanted='core:8: exit 0, 0x0
-I core core:6-9: exit 0, 6,7
-I core core:6:4: exit 0, 0,1,6,7
-I core core:2:3: exit 0, 2,3,4
hwloc-bind core:99999: exit 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
