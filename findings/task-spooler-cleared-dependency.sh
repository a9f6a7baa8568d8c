#!/usr/bin/env bash
# Version: task-spooler 1.0.1+dfsg1-1 (Debian 12).
# Guess: "tsp -D ID" of a job that was done, well or not, and has left the list (tsp -C, or TS_MAXFINISHED) runs at once, as Slurm's
#   dependencies on jobs that are gone do; with the id of a job that never was it is refused. "tsp -w" of a job that a signal
#   ended gives 128 and the signal.
# Seen: each is taken, with an id and exit code 0, and is skipped: it never runs, whatever became of the other job. So what
#   runs depends on whether somebody has cleared the list. A job that a signal ended has E-Level -1, and "tsp -w" gives 255,
#   as it does of one that was skipped.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap '! [[ -S socket ]] || TS_SOCKET=$PWD/socket root/usr/bin/tsp -K; rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download task-spooler=1.0.1+dfsg1-1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
export TMPDIR=$PWD TS_SOCKET=$PWD/socket
tsp() { root/usr/bin/tsp "$@"; }
state() { tsp | awk -v id="$1" '$1 == id { print $2 }'; }
ends() {
	local code=0
	tsp -w "$1" >/dev/null || code=$?
	echo "tsp -w: $code"
}
first=$(tsp true)
tsp -w "$first"
failed=$(tsp false)
seen="one that fails: $(ends "$failed")"
listed=$(tsp -D "$first" true)
ran=$(ends "$listed")
seen+="
on a job in the list: $(state "$listed"), $ran"
tsp -C
cleared=$(tsp -D "$first" true)
ran=$(ends "$cleared")
seen+="
on the same one, cleared: $(state "$cleared"), $ran"
cleared=$(tsp -D "$failed" true)
ran=$(ends "$cleared")
seen+="
on one that failed, cleared: $(state "$cleared"), $ran"
never=$(tsp -D 999 true)
ran=$(ends "$never")
seen+="
on one that never was: $(state "$never"), $ran"
# shellcheck disable=SC2016 # for the job
killed=$(tsp sh -c 'kill -KILL $$')
seen+="
killed: $(ends "$killed")"
wanted='one that fails: tsp -w: 1
on a job in the list: finished, tsp -w: 0
on the same one, cleared: skipped, tsp -w: 255
on one that failed, cleared: skipped, tsp -w: 255
on one that never was: skipped, tsp -w: 255
killed: tsp -w: 255'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
