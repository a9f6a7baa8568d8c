#!/usr/bin/env bash
# Version: python3-scipy 1.10.1-2 with python3-numpy 1:1.24.2-1+deb12u1 (Debian 12).
# Guess: scipy.stats.bootstrap of waits, most of which are 0, gives 0 to 0 as the confidence interval of their median, and of the mean
#   where nobody waited at all. A 90th percentile that differs from resample to resample has an interval of some width.
# Seen: the default method, BCa, gives nan to nan, with no more than a warning: its acceleration is 0 / 0 where leaving any one job
#   out does not change the statistic, which is common for medians and percentiles of waits. "lower end above 0" is false
#   of all of these. method="percentile" has 0 to 0, 0 to 0 and 0 to 100.
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
cat >waits.py <<-'PY'
	import warnings

	import numpy
	from scipy import stats


	def interval(name, waits, statistic, method):
	    with warnings.catch_warnings(record=True) as said:
	        warnings.simplefilter("always")
	        low, high = stats.bootstrap((waits,), statistic, method=method, random_state=1).confidence_interval
	    print(f"{name}, {method}: {low:.0f} to {high:.0f}, warnings: {sorted({w.category.__name__ for w in said})}")


	def percentile(waits, axis):
	    return numpy.percentile(waits, 90, axis=axis)


	for method in ("BCa", "percentile"):
	    interval("median of 40 times 0, 60, 120, 180", [0] * 40 + [60, 120, 180], numpy.median, method)
	    interval("mean of 43 times 0", [0] * 43, numpy.mean, method)
	    interval("90th percentile of 88 times 0, 12 times 100", [0] * 88 + [100] * 12, percentile, method)
PY
seen=$(root/usr/bin/python3.11 waits.py)
wanted='median of 40 times 0, 60, 120, 180, BCa: nan to nan, warnings: ['\''DegenerateDataWarning'\'', '\''RuntimeWarning'\'']
mean of 43 times 0, BCa: nan to nan, warnings: ['\''DegenerateDataWarning'\'', '\''RuntimeWarning'\'']
90th percentile of 88 times 0, 12 times 100, BCa: nan to nan, warnings: ['\''DegenerateDataWarning'\'', '\''RuntimeWarning'\'']
median of 40 times 0, 60, 120, 180, percentile: 0 to 0, warnings: []
mean of 43 times 0, percentile: 0 to 0, warnings: []
90th percentile of 88 times 0, 12 times 100, percentile: 0 to 100, warnings: []'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
