#!/usr/bin/env bash
# Version: lp-solve 5.5.2.5-2 (Debian 12), its LP format.
# Guess: a label in front of a row is a name and no more: "x >= -5" and "c1: x >= -5" are the same model, in which x stays
#   at 0 and above, as variables do unless they are declared free.
# Seen: without a label a row of one variable is a bound, and takes the bound 0 away: "min: x; x >= -5;" has the optimum -5
#   and with the label 0. With a coefficient it is a bound too; a second variable, be it with 0, makes a row of it.
#   "max: 2 3 x" is neither 6 x nor an error: it is 5 x.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download lp-solve=5.5.2.5-2 libcolamd2=1:5.12.0+dfsg-2 libsuitesparseconfig5=1:5.12.0+dfsg-2 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
libs=$PWD/$(dirname "$(find root -name 'libcolamd.so.2' | head -n 1)")
export LD_LIBRARY_PATH=$libs:$PWD/root/usr/lib/lp_solve
solve() { echo "$1 $(root/usr/bin/lp_solve -S3 <<<"$1" | awk '/objective/ { value = $NF } $1 == "x" { x = $2 } END { print "value", value + 0 ", x", x }')"; }
seen=$(
	solve 'min: x; x >= -5;'
	solve 'min: x; c1: x >= -5;'
	solve 'min: x; 2 x >= -10;'
	solve 'min: x; x + 0 y >= -5;'
	solve 'max: 2 3 x; x <= 1;'
)
wanted='min: x; x >= -5; value -5, x -5
min: x; c1: x >= -5; value 0, x 0
min: x; 2 x >= -10; value -5, x -5
min: x; x + 0 y >= -5; value 0, x 0
max: 2 3 x; x <= 1; value 5, x 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
