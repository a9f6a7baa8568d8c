#!/usr/bin/env bash
# Versions: mawk 1.3.4.20200120-3.1, which is awk on Debian 12 unless another one is installed, and gawk 1:5.2.1-2.
# Guess: awk computes with doubles, so whole numbers are right, and printed whole, up to 2^53: a sum of cpu-seconds, a time in
#   milliseconds, slurmdbd's 4294967295 for "no limit". /^[0-9]+-[0-9]{2}:/ finds the times that have days.
# Seen: mawk prints what is above 2^31 with six digits, as 1.2345e+10, and with %d as 2147483647, whatever it is; gawk
#   prints them whole. mawk finds no time with days, as {2} is three letters to it. And it takes 0x10 for 16 and nan for a
#   number, where gawk takes 0, so that a job called nan makes the sum nan.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download mawk=1.3.4.20200120-3.1 gawk=1:5.2.1-2 libreadline8 libmpfr6 libgmp10 libsigsegv2 libtinfo6 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$(find "$PWD/root" -name '*.so.*' -exec dirname {} + | sort -u | paste -sd:)
export LD_LIBRARY_PATH PATH=$PWD/bin:$PATH
mkdir bin
printf '%s\n' 1-02:03:04 2-00:00:00 00:10:00 >elapsed
printf '%s\n' 6172839450 6172839451 >cpu-seconds
printf '%s\n' 5 nan 0x10 >fields
seen=$(
	for awk in mawk gawk; do
		ln -sf "../root/usr/bin/$awk" bin/awk
		echo "$awk, sum: $(awk '{ sum += $1 } END { print sum }' cpu-seconds)"
		echo "$awk, sum with %d: $(awk '{ sum += $1 } END { printf "%d", sum }' cpu-seconds)"
		echo "$awk, no limit: $(echo 4294967295 | awk '{ print $1, $1 + 0, int($1) - 1 }')"
		echo "$awk, times with days: $(awk '/^[0-9]+-[0-9]{2}:/ { n++ } END { print n + 0 }' elapsed)"
		echo "$awk, sum of names: $(awk '{ sum += $1 } END { print sum }' fields), of 0x10: $(awk '/x/ { print $1 + 0 }' fields)"
	done
)
wanted='mawk, sum: 1.23457e+10
mawk, sum with %d: 2147483647
mawk, no limit: 4294967295 4.29497e+09 4.29497e+09
mawk, times with days: 0
mawk, sum of names: nan, of 0x10: 16
gawk, sum: 12345678901
gawk, sum with %d: 12345678901
gawk, no limit: 4294967295 4294967295 4294967294
gawk, times with days: 2
gawk, sum of names: 5, of 0x10: 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
