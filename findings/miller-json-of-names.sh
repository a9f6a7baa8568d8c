#!/usr/bin/env bash
# Versions: miller 6.6.0-2+b3 and jq 1.6-2.1+deb12u3 (Debian 12).
# Guess: what "mlr --ojson" writes is JSON, whatever the fields hold; a job name that looks like a number is one in JSON, and jq
#   gives it back as it was.
# Seen: a field that Miller can read as a number is written as it is, without quotes: one job called 0x10 or 0b101 among
#   thousands makes a file that jq refuses. 1. is not JSON either, and jq makes 1 of it; 1234e56, the beginning of a
#   commit's hash, is a number of 60 digits. 007 has quotes. With -S nothing is a number, and all have quotes, the
#   job's id too.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download miller=6.6.0-2+b3 jq=1.6-2.1+deb12u3 libjq1=1.6-2.1+deb12u3 libonig5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
libs=$PWD/$(dirname "$(find root -name libjq.so.1 | head -n 1)")
export LD_LIBRARY_PATH=$libs
show() { # NAME OPTIONS
	local name=$1
	shift
	printf 'JobID|JobName\n5|%s\n' "$name" | root/usr/bin/mlr "$@" --icsv --ifs '|' --ojsonl cat >out # as of sacct --parsable2
	root/usr/bin/jq --raw-output .JobName out >name 2>warnings || echo refused >name
	echo "$(cat out)${*:+ with $*}: jq $(cat name)"
}
seen=$(
	for name in 0x10 0b101 1. 1234e56 007; do show "$name"; done
	show 0x10 -S
)
wanted='{"JobID": 5, "JobName": 0x10}: jq refused
{"JobID": 5, "JobName": 0b101}: jq refused
{"JobID": 5, "JobName": 1.}: jq 1
{"JobID": 5, "JobName": 1234e56}: jq 1.234e+59
{"JobID": 5, "JobName": "007"}: jq 007
{"JobID": "5", "JobName": "0x10"} with -S: jq 0x10'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
