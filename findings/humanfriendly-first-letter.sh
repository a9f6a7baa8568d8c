#!/usr/bin/env bash
# Version: python3-humanfriendly 10.0-3 (Debian 12), with Python 3.11.
# Guess: parse_size takes Ki for 1024, as Kubernetes and KiB have it, and refuses what is no unit, such as the "400Mc" and "16Gn" of
#   ReqMem in older dumps of sacct (for each processor, for each node); parse_timespan tells 5m from 5M.
# Seen: KiB is 1024 and Ki 1000. What is no unit counts by its first letter: 400Mc is 400 MB, 16Gn 16 GB, and "5 months" 5 MB. So
#   sums of memory in such a log are of a processor and of a node alike, without an error. 5M is five minutes. 1e3, "1,5G" and
#   1:30 are refused.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-humanfriendly=10.0-3 python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
export PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages LC_ALL=C.UTF-8
cat >look.py <<-'END'
	import humanfriendly

	def look(parse, text):
	    try:
	        return "%g" % parse(text)
	    except (humanfriendly.InvalidSize, humanfriendly.InvalidTimespan):
	        return "refused"

	for text in "1KiB", "1Ki", "1K", "400Mc", "16Gn", "5 months", "1e3", "1,5G":
	    print("size %s: %s" % (text, look(humanfriendly.parse_size, text)))
	for text in "5m", "5M", "1:30":
	    print("time %s: %s" % (text, look(humanfriendly.parse_timespan, text)))
END
seen=$(root/usr/bin/python3.11 look.py)
wanted='size 1KiB: 1024
size 1Ki: 1000
size 1K: 1000
size 400Mc: 4e+08
size 16Gn: 1.6e+10
size 5 months: 5e+06
size 1e3: refused
size 1,5G: refused
time 5m: 300
time 5M: 300
time 1:30: refused'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
