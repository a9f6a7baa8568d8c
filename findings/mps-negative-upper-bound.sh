#!/usr/bin/env bash
# Versions: coinor-cbc 2.10.8+ds1-1 and glpk-utils 5.0-1 (Debian 12).
# Guess: two open solvers read one MPS file alike, and one that cannot solve it says so by
#   its exit code.
# Seen: a column whose only bound is UP with -2. cbc drops the lower bound 0 (as CPLEX does)
#   and finds the optimum -10; glpsol keeps it, finds no problem to solve, and ends with 0
#   and the status UNDEFINED and a value of 0 in the file of its answer.
#   "MI" before "UP" makes both find -10.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download \
	coinor-cbc=2.10.8+ds1-1 coinor-libcbc3=2.10.8+ds1-1 coinor-libcgl1=0.60.3+repack1-4 coinor-libclp1=1.17.6-3 \
	coinor-libcoinutils3v5=2.11.4+repack1-2 coinor-libosi1v5=0.108.6+repack1-2 libblas3=3.11.0-2 liblapack3=3.11.0-2 \
	libgfortran5 libquadmath0 glpk-utils=5.0-1 libglpk40=5.0-1 libamd2=1:5.12.0+dfsg-2 libcolamd2=1:5.12.0+dfsg-2 \
	libsuitesparseconfig5=1:5.12.0+dfsg-2 libltdl7 libgmp10 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$(dirname "$(find root -name 'libglpk.so.40' | head -n 1)")
export LD_LIBRARY_PATH=$PWD/$lib:$PWD/$lib/blas:$PWD/$lib/lapack PATH=$PWD/root/usr/bin:$PATH

model() { # BOUNDS-lines
	cat <<-END
		NAME          FREE
		ROWS
		 N  COST
		 G  C1
		COLUMNS
		    X         COST               1.0   C1                 1.0
		RHS
		    RHS       C1                 -10
		BOUNDS
		$1ENDATA
	END
}
model $' UP BND       X                   -2\n' >up.mps
model $' MI BND       X\n UP BND       X                   -2\n' >mi-up.mps

by_cbc() { cbc "$1" solve solution stdout | sed -n 's/^Optimal - objective value \(.*\)$/\1/p' | tail -n 1; }
by_glpk() {
	local code=0
	glpsol --freemps "$1" -o answer >/dev/null || code=$?
	echo "$(sed -n 's/^Status: *//p' answer) $(sed -n 's/^Objective: .* = \([^ ]*\) .*/\1/p' answer) exit $code"
}
seen=$(printf '%s\n' "cbc, UP -2: $(by_cbc up.mps)" "cbc, MI and UP -2: $(by_cbc mi-up.mps)" \
	"glpsol, UP -2: $(by_glpk up.mps)" "glpsol, MI and UP -2: $(by_glpk mi-up.mps)")
wanted='cbc, UP -2: -10.00000000
cbc, MI and UP -2: -10.00000000
glpsol, UP -2: UNDEFINED 0 exit 0
glpsol, MI and UP -2: OPTIMAL -10 exit 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
