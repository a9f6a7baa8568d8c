#!/usr/bin/env bash
# Version: python3-numpy 1:1.24.2-1+deb12u1 (Debian 12).
# Guess: the percentile by the nearest rank, method="inverted_cdf", of the waits 1 to 100 is p for each whole p: the least value that
#   at least p of the hundred do not exceed. "averaged_inverted_cdf" is the mean of that and the next, p + 0.5.
# Seen: of 7, 14, 28, 55 and 56 it is the next one, 8, 15, 29, 56 and 57, as p / 100 * 100 is a trifle above p there, with 200 waits
#   too. "averaged_inverted_cdf" does not average for these, nor for 29, 57 and 58. "closest_observation" has all of them right.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-numpy=1:1.24.2-1+deb12u1 python3-pkg-resources \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 libblas3 liblapack3 libgfortran5 libquadmath0 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libquadmath.so.0 | head -n 1)")
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack:${lib%/usr/*}/lib/${lib##*/} PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
cat >ranks.py <<-'PY'
	import numpy

	waits = numpy.arange(1, 101)
	for method, by in (("inverted_cdf", 0), ("closest_observation", 0), ("averaged_inverted_cdf", 0.5)):
	    wrong = [p for p in range(1, 100) if numpy.percentile(waits, p, method=method) != p + by]
	    print(method, "of", wrong, "is", [float(numpy.percentile(waits, p, method=method)) for p in wrong])
	for size in (10, 200, 1000):
	    waits = numpy.arange(1, size + 1)
	    print("inverted_cdf of", size, "waits is wrong for", [p for p in range(1, 100) if p * size % 100 == 0 and numpy.percentile(waits, p, method="inverted_cdf") != p * size // 100])
PY
seen=$(root/usr/bin/python3.11 ranks.py)
wanted='inverted_cdf of [7, 14, 28, 55, 56] is [8.0, 15.0, 29.0, 56.0, 57.0]
closest_observation of [] is []
averaged_inverted_cdf of [7, 14, 28, 29, 55, 56, 57, 58] is [8.0, 15.0, 29.0, 29.0, 56.0, 57.0, 57.0, 58.0]
inverted_cdf of 10 waits is wrong for []
inverted_cdf of 200 waits is wrong for [7, 14, 28, 55, 56]
inverted_cdf of 1000 waits is wrong for []'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
