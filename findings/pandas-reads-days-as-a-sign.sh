#!/usr/bin/env bash
# Version: python3-pandas 1.5.3+dfsg-2 (Debian 12).
# Guess: pandas.to_timedelta of an Elapsed or Timelimit as sacct prints it, 1-02:00:00, is a day and two hours, or an error;
#   with errors="coerce" it is NaT.
# Seen: neither: the hyphen in the middle becomes the sign of the whole, and what stands around it one number, -102 hours. 2-03
#   is -203 ns. Below a day all is right, so the longest jobs alone are wrong, and pull the mean below 0. "1 days
#   02:00:00", with a space, is read; so is "1 02:00:00", as 102 hours.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-pandas=1.5.3+dfsg-2 python3-pandas-lib python3-numpy python3-dateutil python3-tz python3-six python3-pkg-resources \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 libblas3 liblapack3 libgfortran5 libquadmath0 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name 'libgfortran.so.5' | head -n 1)")
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack:${lib%/usr/*}/lib/${lib##*/} PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
cat >read.py <<-'END'
	import pandas

	for text in "00:10:00", "25:00:00", "1-02:00:00", "2-03", "1 02:00:00", "1 days 02:00:00", "UNLIMITED":
	    try:
	        print(text, "is", pandas.to_timedelta(text))
	    except ValueError:
	        print(text, "is refused")
	elapsed = pandas.to_timedelta(pandas.Series(["00:10:00", "1-02:00:00", "UNLIMITED"]), errors="coerce")
	print("hours:", (elapsed / pandas.Timedelta("1h")).round(2).tolist())
END
seen=$(root/usr/bin/python3.11 read.py)
wanted='00:10:00 is 0 days 00:10:00
25:00:00 is 1 days 01:00:00
1-02:00:00 is -5 days +18:00:00
2-03 is -1 days +23:59:59.999999797
1 02:00:00 is 4 days 06:00:00
1 days 02:00:00 is 1 days 02:00:00
UNLIMITED is refused
hours: [0.17, -102.0, nan]'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
