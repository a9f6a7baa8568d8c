#!/usr/bin/env bash
# Versions: coinor-cbc 2.10.8+ds1-1 and glpk-utils 5.0-1 (Debian 12).
# Guess: an integer column of an MPS file without a BOUNDS entry lies in [0, infinity),
#   as a continuous column without one does, and as a "General" variable of an LP file does.
# Seen: between the markers INTORG and INTEND both solvers take such a column for binary.
#   The same model, maximise x with x <= 5.5 and x integer, has the optimum 1 in MPS
#   and 5 in LP, without a warning. With "PL" in BOUNDS the MPS file gives 5 too.
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
		 L  C1
		COLUMNS
		    M1        'MARKER'                 'INTORG'
		    X         COST              -1.0   C1                 1.0
		    M2        'MARKER'                 'INTEND'
		RHS
		    RHS       C1                 5.5
		$1ENDATA
	END
}
model '' >bare.mps
model $'BOUNDS\n PL BND       X\n' >plus.mps
cat >general.lp <<-END
	Minimize
	 cost: - x
	Subject To
	 c1: x <= 5.5
	General
	 x
	End
END

by_cbc() { cbc "$1" solve solution stdout | sed -n 's/^Optimal - objective value \(.*\)$/\1/p' | head -n 1; }
by_glpk() { # FORMAT FILE
	glpsol "$1" "$2" -o answer >/dev/null
	sed -n 's/^Objective: .* = \([^ ]*\) .*/\1/p' answer
}
seen=$(printf '%s\n' \
	"cbc, MPS without bounds: $(by_cbc bare.mps)" "cbc, MPS with PL: $(by_cbc plus.mps)" "cbc, LP: $(by_cbc general.lp)" \
	"glpsol, MPS without bounds: $(by_glpk --freemps bare.mps)" "glpsol, MPS with PL: $(by_glpk --freemps plus.mps)" \
	"glpsol, LP: $(by_glpk --lp general.lp)")
wanted='cbc, MPS without bounds: -1.00000000
cbc, MPS with PL: -5.00000000
cbc, LP: -5.00000000
glpsol, MPS without bounds: -1
glpsol, MPS with PL: -5
glpsol, LP: -5'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
