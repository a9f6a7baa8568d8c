#!/usr/bin/env bash
# Version: coinor-cbc 2.10.8+ds1-1 (Debian 12).
# Guess: a row with two sides in an LP file, "c1: -5 <= x + y <= 10", is read as a range, as
#   the format of CPLEX has it, or refused.
# Seen: cbc reads it without a word, adds a column and renames all to x0, x1, x2; the row
#   holds nobody back, and it reports an optimum of 204 where 20 is right, with exit code 0.
#   As two rows of one side each it finds 20, with the names of the file.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download \
	coinor-cbc=2.10.8+ds1-1 coinor-libcbc3=2.10.8+ds1-1 coinor-libcgl1=0.60.3+repack1-4 coinor-libclp1=1.17.6-3 \
	coinor-libcoinutils3v5=2.11.4+repack1-2 coinor-libosi1v5=0.108.6+repack1-2 libblas3=3.11.0-2 liblapack3=3.11.0-2 \
	libgfortran5 libquadmath0 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$(dirname "$(find root -name 'libCbc.so.3' | head -n 1)")
export LD_LIBRARY_PATH=$PWD/$lib:$PWD/$lib/blas:$PWD/$lib/lapack PATH=$PWD/root/usr/bin:$PATH

model() { # ROWS
	printf 'Maximize\n obj: x + 2 y\nSubject To\n%sBounds\n x <= 4\n y <= 100\nEnd\n' "$1"
}
model $' c1: -5 <= x + y <= 10\n' >range.lp
model $' c1: x + y <= 10\n c2: x + y >= -5\n' >two.lp

solve() {
	local code=0
	cbc "$1" solve solution stdout >out || code=$?
	sed -n 's/^Optimal - objective value \(.*\)$/\1/p' out | tail -n 1
	awk '$1 ~ /^[0-9]+$/ && NF == 4 { printf "%s=%s ", $2, $3 } END { print "" }' out
	echo "exit $code"
}
seen=$(solve range.lp; solve two.lp)
wanted='204.00000000
x0=4 x1=100 x2=18.8 
exit 0
20.00000000
x=0 y=10 
exit 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
