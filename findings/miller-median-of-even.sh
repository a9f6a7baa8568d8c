#!/usr/bin/env bash
# Versions: miller 6.6.0-2+b3 and datamash 1.7-2 (Debian 12).
# Guess: the median of 1, 2, 3 and 4 is 2.5, and the tenth percentile the same number in two tools.
# Seen: "mlr stats1 -a median" gives 3, the upper one of the two in the middle, and p10 is the least value; so does "mlr
#   summary". With -i it interpolates, and has what datamash has: 2.5 and 1.3.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download miller=6.6.0-2+b3 datamash=1.7-2 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
four() { seq 4; }
mlr() { root/usr/bin/mlr --inidx --onidx "$@"; }
seen="mlr: $(four | mlr stats1 -a median,p10 -f 1)
mlr -i: $(four | mlr stats1 -i -a median,p10 -f 1)
mlr summary: $(four | mlr summary -a median | cut -d' ' -f 2)
datamash: $(four | root/usr/bin/datamash median 1 perc:10 1 | xargs)"
wanted='mlr: 3 1
mlr -i: 2.5 1.3
mlr summary: 3
datamash: 2.5 1.3'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
