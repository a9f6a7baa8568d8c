#!/usr/bin/env bash
# Version: parallel 20221122+ds-2 (Debian 12).
# Guess: "parallel --resume --joblog log" leaves out the commands that the log has as done.
# Seen: it leaves out as many of the first ones as the log has: by number, whatever the commands are. With one more
#   argument in front, the last one runs again and the new one never does.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download parallel=20221122+ds-2 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
export PARALLEL_HOME=$PWD
run() { root/usr/bin/parallel --will-cite --keep-order --joblog log --resume echo ::: "$@" | xargs; }
seen="first: $(run b c)
with another in front: $(run a b c)
the log has: $(awk 'NR > 1 { print $10 }' log | xargs)"
wanted='first: b c
with another in front: c
the log has: b c c'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
