#!/usr/bin/env bash
# Versions: minizinc 2.6.4+dfsg1-1, flatzinc and libgecode49 6.2.0-5 (Debian 12).
# Guess: in cumulative() a job that takes no time takes no processors, so it may start at any moment, also while others have all
#   of them, or ask for more than there are; so disjunctive() has it, and the same model has the same answer with the
#   constraint as MiniZinc's own library and as Gecode has it.
# Seen: Gecode's cumulative() lets no job of no time start within one that has all processors: the model has no solution. With
#   MiniZinc's own (-G std), and with disjunctive(), there is one. A log with jobs of 0 s, as most have, is scheduled later, or not
#   at all, by the solver that MiniZinc takes unless told otherwise. A job of no processors is in nobody's way in either.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
g=6.2.0-5
apt-get -qq download minizinc=2.6.4+dfsg1-1 flatzinc=$g libgecode49=$g libgecodeflatzinc49=$g libgecodegist49=$g libmpfr6 libgmp10 \
	libqt5core5a libqt5gui5 libqt5widgets5 libqt5printsupport5 libdouble-conversion3 libpcre2-16-0 libicu72 libglib2.0-0 libgl1 libglvnd0 libglx0 \
	libharfbuzz0b libmd4c0 libpng16-16 libx11-6 libxcb1 libxau6 libxdmcp6 libbsd0 libmd0 libfreetype6 libgraphite2-3 libbrotli1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name 'libgecodeflatzinc.so.49' | head -n 1)")
export LD_LIBRARY_PATH=$lib:${lib%/usr/*}/lib/${lib##*/} MZN_STDLIB_DIR=$PWD/root/usr/share/minizinc MZN_SOLVER_PATH=$PWD/root/usr/share/minizinc/solvers
solve() { # LIBRARY CONSTRAINT, of a job from 0 to 4 and another one at 2
	printf '%s\n' 'include "cumulative.mzn"; include "disjunctive.mzn";' 'array[1..2] of var 0..10: s;' "constraint $2;" \
		'constraint s[1] = 0 /\ s[2] = 2;' 'solve satisfy;' >model.mzn
	root/usr/bin/minizinc -c --solver gecode -G "$1" --fzn model.fzn --ozn model.ozn model.mzn 2>said
	root/usr/bin/fzn-gecode model.fzn >answer 2>&1
	if grep -q UNSATISFIABLE answer; then echo none; else grep -o '\[.*\]' answer; fi
}
seen=$(
	for constraint in 'cumulative(s, [4, 0], [2, 1], 2)' 'cumulative(s, [4, 0], [2, 3], 2)' 'cumulative(s, [4, 0], [1, 1], 2)' 'cumulative(s, [4, 3], [2, 0], 2)' 'disjunctive(s, [4, 0])'; do
		echo "$constraint: Gecode $(solve gecode "$constraint"), MiniZinc $(solve std "$constraint")"
	done
)
wanted='cumulative(s, [4, 0], [2, 1], 2): Gecode none, MiniZinc [0, 2]
cumulative(s, [4, 0], [2, 3], 2): Gecode none, MiniZinc [0, 2]
cumulative(s, [4, 0], [1, 1], 2): Gecode [0, 2], MiniZinc [0, 2]
cumulative(s, [4, 3], [2, 0], 2): Gecode [0, 2], MiniZinc [0, 2]
disjunctive(s, [4, 0]): Gecode [0, 2], MiniZinc [0, 2]'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
