#!/usr/bin/env bash
# Version: graphviz and libcgraph6 2.42.2-7+deb12u1 (Debian 12).
# Guess: a graph of dependencies between the tasks of job arrays, "12_1 -> 13_1", has the nodes 12_1 and 13_1, or is refused,
#   as a name with a digit in front needs quotes.
# Seen: it has the nodes 12, _1 and 13: each name is cut behind its digits, so all tasks of an array are one node, tasks of one
#   number in different arrays another, and the arrow goes from _1 to 13; there is a warning, and exit code 0.
#   12.batch is cut too, 12.1 is a name, and 12+0 is refused. With quotes all are names.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download graphviz=2.42.2-7+deb12u1 libcgraph6=2.42.2-7+deb12u1 libcdt5=2.42.2-7+deb12u1 libgvc6=2.42.2-7+deb12u1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$PWD/$(dirname "$(find root -name 'libcgraph.so.6' | head -n 1)")
export LD_LIBRARY_PATH
look() { # EDGES
	local code=0
	echo "digraph { $1 }" | root/usr/bin/nop >out 2>said || code=$?
	echo "$1: $(tr -d '\n\t' <out) code $code, warnings: $(grep -c Warning said || true)"
}
seen=$(
	look '12_1 -> 13_1'
	look '12_1 -> 13_1; 12_2 -> 13_2'
	look '12.batch -> 13.1'
	look '"12_1" -> "13_1"'
	look '12+0 -> 13'
)
wanted='12_1 -> 13_1: digraph {12;_1 -> 13;} code 0, warnings: 2
12_1 -> 13_1; 12_2 -> 13_2: digraph {12;_1 -> 13;_2 -> 13;} code 0, warnings: 4
12.batch -> 13.1: digraph {12.;batch -> 13.1;} code 0, warnings: 1
"12_1" -> "13_1": digraph {"12_1" -> "13_1";} code 0, warnings: 0
12+0 -> 13:  code 1, warnings: 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
