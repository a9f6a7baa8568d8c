#!/usr/bin/env bash
# Versions: coinor-cbc 2.10.8+ds1-1, glpk-utils 5.0-1 and lp-solve 5.5.2.5-2 (Debian 12).
# Guess: OBJSENSE MAX in an MPS file makes a solver maximise. A right-hand side of the objective row is a constant that is
#   taken from it (CPLEX), so "cost = x, RHS 10" with x >= 3 has the optimum -7. "obj: x + 5" in an LP file counts the 5.
# Seen: of the sense cbc says "Coin ignores" in its output, minimises, and ends with 0 and an optimum of 0; glpsol refuses the
#   file, and lp_solve maximises. Of the constant cbc makes -7, glpsol and lp_solve 13. cbc drops the 5 of the LP file without
#   a word, and glpsol refuses it. What all read alike are coefficients of the other sign to minimise, and a column that is
#   fixed at 1 for the constant.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download \
	coinor-cbc=2.10.8+ds1-1 coinor-libcbc3=2.10.8+ds1-1 coinor-libcgl1=0.60.3+repack1-4 coinor-libclp1=1.17.6-3 \
	coinor-libcoinutils3v5=2.11.4+repack1-2 coinor-libosi1v5=0.108.6+repack1-2 libblas3=3.11.0-2 liblapack3=3.11.0-2 \
	libgfortran5 libquadmath0 glpk-utils=5.0-1 libglpk40=5.0-1 libamd2=1:5.12.0+dfsg-2 libcolamd2=1:5.12.0+dfsg-2 \
	libsuitesparseconfig5=1:5.12.0+dfsg-2 libltdl7 libgmp10 lp-solve=5.5.2.5-2 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$(dirname "$(find root -name 'libglpk.so.40' | head -n 1)")
export LD_LIBRARY_PATH=$PWD/$lib:$PWD/$lib/blas:$PWD/$lib/lapack:$PWD/root/usr/lib/lp_solve PATH=$PWD/root/usr/bin:$PATH
model() { # SENSE-lines COST of x, kind of its row, its right-hand side, RHS-lines
	printf 'NAME MODEL\n%bROWS\n N cost\n %s row\nCOLUMNS\n x cost %s row 1\n%bRHS\n rhs row 3\n%bENDATA\n' "$1" "$3" "$2" "$4" "$5"
}
model 'OBJSENSE\n MAX\n' 1 L '' '' >sense.mps
model '' 1 G '' ' rhs cost 10\n' >constant.mps
model '' -1 L ' one cost 10\n' 'BOUNDS\n FX bnd one 1\n' >alike.mps
printf 'Minimize\n obj: x + 5\nSubject To\n row: x >= 3\nEnd\n' >constant.lp
by() { # SOLVER FILE FORMAT: the optimum
	local said='' pattern
	case $1 in
	cbc) said=$(cbc "$2" solve solution stdout) pattern='s/^Optimal - objective value //p' ;;
	glpsol)
		glpsol "--$3" "$2" -o out >/dev/null || : >out
		said=$(cat out) pattern='s/^Objective:.* = \(.*\) (.*/\1/p'
		;;
	lp_solve) said=$(lp_solve -fmps "$2" -S3) pattern='s/^Value of objective function: //p' ;;
	esac
	said=$(sed -n "$pattern" <<<"$said" | tail -n 1)
	[[ $said ]] && awk -v v="$said" 'BEGIN { print v + 0 }' || echo refused
}
seen=$(
	for file in sense.mps constant.mps alike.mps; do echo "$file: cbc $(by cbc $file), glpsol $(by glpsol $file freemps), lp_solve $(by lp_solve $file)"; done
	echo "constant.lp: cbc $(by cbc constant.lp), glpsol $(by glpsol constant.lp lp)"
)
wanted='sense.mps: cbc 0, glpsol refused, lp_solve 3
constant.mps: cbc -7, glpsol 13, lp_solve 13
alike.mps: cbc 7, glpsol 7, lp_solve 7
constant.lp: cbc 3, glpsol refused'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
