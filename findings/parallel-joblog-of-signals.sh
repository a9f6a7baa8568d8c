#!/usr/bin/env bash
# Version: parallel 20221122+ds-2 (Debian 12).
# Guess: a job that a signal ended has an Exitval of 128 and the signal in the --joblog, 137 of the kill that the kernel
#   sends where memory runs out; so awk '$7 != 0' finds all that failed.
# Seen: it has an Exitval of 0, as one that did its work; the column Signal alone tells. One that --timeout ended has
#   -1 and 15. The exit code of parallel counts both.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download parallel=20221122+ds-2 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
export PARALLEL_HOME=$PWD
run() { root/usr/bin/parallel --will-cite --joblog log "$@" 2>/dev/null; }
told() { awk 'NR > 1 { print $9, $10, $11, $12 ": Exitval", $7 ", Signal", $8 }' log | sort; }
code=0
# shellcheck disable=SC2016 # the jobs expand it
run sh -c ::: 'exit 3' 'kill -9 $$' true || code=$?
seen="exit code of parallel: $code
$(told)"
rm log
run --timeout 1 sleep ::: 9 || true
seen+="
$(told)"
wanted='exit code of parallel: 2
sh -c '\''exit 3'\'': Exitval 3, Signal 0
sh -c '\''kill -9: Exitval 0, Signal 9
sh -c true : Exitval 0, Signal 0
sleep 9  : Exitval -1, Signal 15'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
