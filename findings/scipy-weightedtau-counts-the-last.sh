#!/usr/bin/env bash
# Version: python3-scipy 1.10.1-2 with python3-numpy 1:1.24.2-1+deb12u1 (Debian 12).
# Guess: weightedtau of two orders of jobs, given as the places 1, 2, 3, … of each job, weighs most who is first, as where search
#   results are compared: orders that differ in the first two jobs agree less than orders that differ in the last two.
# Seen: the greatest values weigh most, so of places the last ones: with the first two swapped it is 0.90, with the last two 0.67.
#   So with rank=None. rank=False takes the index for the rank, which is right where the lists are in the one order, and the
#   negated places are right with any. kendalltau is 0.80 for both.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-scipy=1.10.1-2 python3-numpy=1:1.24.2-1+deb12u1 python3-decorator python3-pkg-resources liblbfgsb0 \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 libblas3 liblapack3 libgfortran5 libquadmath0 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libquadmath.so.0 | head -n 1)")
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack:${lib%/usr/*}/lib/${lib##*/} PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
cat >orders.py <<-'PY'
	from scipy import stats

	places = [1, 2, 3, 4, 5]
	for name, other in (("first two", [2, 1, 3, 4, 5]), ("last two", [1, 2, 3, 5, 4])):
	    print(f"{name} swapped: kendalltau {stats.kendalltau(places, other)[0]:.2f}")
	    for rank in (True, False, None):
	        by_place = stats.weightedtau(places, other, rank=rank)[0]
	        negated = stats.weightedtau([-p for p in places], [-p for p in other], rank=rank)[0]
	        print(f"  weightedtau, rank={rank}: {by_place:.2f}, of the negated places {negated:.2f}")
PY
seen=$(root/usr/bin/python3.11 orders.py)
wanted='first two swapped: kendalltau 0.80
  weightedtau, rank=True: 0.90, of the negated places 0.67
  weightedtau, rank=False: 0.67, of the negated places 0.67
  weightedtau, rank=None: 0.90, of the negated places 0.67
last two swapped: kendalltau 0.80
  weightedtau, rank=True: 0.67, of the negated places 0.90
  weightedtau, rank=False: 0.90, of the negated places 0.90
  weightedtau, rank=None: 0.67, of the negated places 0.90'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
