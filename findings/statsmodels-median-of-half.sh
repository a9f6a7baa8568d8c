#!/usr/bin/env bash
# Version: python3-statsmodels 0.13.5+dfsg-7 with python3-numpy 1:1.24.2-1+deb12u1 (Debian 12).
# Guess: SurvfuncRight(waits, started).quantile(0.5), the Kaplan-Meier median where some jobs still wait, is the first time by which
#   at least half of the jobs started. Where none waits any more it is the median, or the lower of the middle two.
# Seen: it is the first time by which more than half started. Of the waits 1 to 4 it is 3, of 1 to 10 it is 6, and their 90th
#   percentile 10. Where just half of the jobs started at once and the others after an hour it is an hour, and nan if these
#   still wait.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-statsmodels=0.13.5+dfsg-7 python3-statsmodels-lib python3-scipy python3-pandas python3-pandas-lib python3-numpy=1:1.24.2-1+deb12u1 python3-patsy python3-packaging \
	python3-dateutil python3-tz python3-six python3-decorator python3-pkg-resources liblbfgsb0 \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 libblas3 liblapack3 libgfortran5 libquadmath0 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libquadmath.so.0 | head -n 1)")
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack:${lib%/usr/*}/lib/${lib##*/} PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
cat >waits.py <<-'PY'
	from statsmodels.duration.survfunc import SurvfuncRight


	def show(name, waits, started):
	    function = SurvfuncRight(waits, started)
	    print(name, [(p, float(function.quantile(p))) for p in (0.25, 0.5, 0.75, 0.9)])


	show("1 to 4", range(1, 5), [1] * 4)
	show("1 to 5", range(1, 6), [1] * 5)
	show("1 to 10", range(1, 11), [1] * 10)
	show("1 to 20", range(1, 21), [1] * 20)
	show("two at once, two after an hour", [0, 0, 3600, 3600], [1] * 4)
	show("two at once, two still wait", [0, 0, 3600, 3600], [1, 1, 0, 0])
PY
seen=$(root/usr/bin/python3.11 waits.py)
wanted='1 to 4 [(0.25, 2.0), (0.5, 3.0), (0.75, 4.0), (0.9, 4.0)]
1 to 5 [(0.25, 2.0), (0.5, 3.0), (0.75, 4.0), (0.9, 5.0)]
1 to 10 [(0.25, 3.0), (0.5, 6.0), (0.75, 8.0), (0.9, 10.0)]
1 to 20 [(0.25, 6.0), (0.5, 11.0), (0.75, 16.0), (0.9, 19.0)]
two at once, two after an hour [(0.25, 0.0), (0.5, 3600.0), (0.75, 3600.0), (0.9, 3600.0)]
two at once, two still wait [(0.25, 0.0), (0.5, nan), (0.75, nan), (0.9, nan)]'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
