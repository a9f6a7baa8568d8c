#!/usr/bin/env bash
# Version: promtool of prometheus 2.42.0+ds-5+deb12u1 (Debian 12).
# Guess: "promtool check metrics" refuses what no server can keep: one series twice with two values; or what no metric of
#   its type can be: a counter below zero, buckets of a histogram that fall.
# Seen: it passes all three with exit code 0 and without a word. It finds what its linter minds, with exit code 3 (no help
#   text, "_total" of a gauge), and breaches of the syntax, with 1: a label twice, a last line without its end.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download prometheus=2.42.0+ds-5+deb12u1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
check() { # NAME LINES
	local code=0
	printf '%b' "$2" | root/usr/bin/promtool check metrics >out 2>&1 || code=$?
	echo "$1: exit $code, lines of output: $(wc -l <out)"
}
counter='# HELP jobs_total Jobs.\n# TYPE jobs_total counter\n'
seen=$(
	check 'a series twice' "${counter}jobs_total{user=\"a\"} 1\njobs_total{user=\"a\"} 2\n"
	check 'below zero' "${counter}jobs_total -1\n"
	check 'falling buckets' '# HELP wait_seconds Waits.\n# TYPE wait_seconds histogram\nwait_seconds_bucket{le="1"} 5\nwait_seconds_bucket{le="+Inf"} 3\nwait_seconds_sum 9\nwait_seconds_count 7\n'
	check 'no help' 'jobs 1\n'
	check 'a label twice' "${counter}jobs_total{user=\"a\",user=\"b\"} 1\n"
	check 'no end of the line' "${counter}jobs_total 1"
)
wanted='a series twice: exit 0, lines of output: 0
below zero: exit 0, lines of output: 0
falling buckets: exit 0, lines of output: 0
no help: exit 3, lines of output: 1
a label twice: exit 1, lines of output: 1
no end of the line: exit 1, lines of output: 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
