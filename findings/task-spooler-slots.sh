#!/usr/bin/env bash
# Version: task-spooler 1.0.1+dfsg1-1 (Debian 12).
# Guess: tsp is a queue, first come first served: while a job of two slots (-N 2) waits at its head for
#   the second one of two (-S 2), jobs of one slot that came later wait behind it.
# Seen: they pass it, all of them, also those that came while it waited; it starts when there are no more
#   of them. There is no reservation: a stream of small jobs keeps a large one waiting for ever.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
export TS_SOCKET=$tmp/socket TMPDIR=$tmp
trap '"$tmp/root/usr/bin/tsp" -K || true; rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download task-spooler=1.0.1+dfsg1-1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
tsp() { root/usr/bin/tsp "$@" >/dev/null; }
tsp -S 2
job() { tsp -N "$2" sh -c "echo '$1, slots: $2' >>started; sleep $3"; }
job first 1 5
job large 2 1
job second 1 2
sleep 1
for n in third fourth; do
	job "$n" 1 2
done
sleep 1
tsp -w 4 # until the last one ends
tsp -w 1
seen=$(cat started)
wanted='first, slots: 1
second, slots: 1
third, slots: 1
fourth, slots: 1
large, slots: 2'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
