#!/usr/bin/env bash
# Version: systemd 252.39-1~deb12u2 (Debian 12), systemd-analyze calendar, with the time of Central Europe.
# Guess: a timer with OnCalendar=*-*-* 02:30:00 runs each night: in that in which the clock goes from 2 to 3 at 3:00 or 3:30; in that in
#   which it goes from 3 back to 2 once. One with OnCalendar=hourly, or *:0/15, runs each hour, or quarter of an hour, in both.
# Seen: from Saturday to Monday in spring there is no run at 02:30. In autumn an hourly timer has a gap of two hours, and one
#   of each quarter of an hour a gap of an hour and a quarter: what the clock says a second time does not count. So a
#   report of each hour's jobs lacks one a year, and an alert "no run for 90 minutes" comes. With UTC behind it a timer has no gap.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
v=252.39-1~deb12u2
apt-get -qq download systemd=$v libsystemd-shared=$v libseccomp2 libpam0g libaudit1 libkmod2 libapparmor1 libselinux1 libmount1 libacl1 libblkid1 \
	libcap2 libcap-ng0 libcrypt1 libgcrypt20 libgpg-error0 libip4tc2 liblz4-1 libssl3 libzstd1 liblzma5 libpcre2-8-0 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$(find "$PWD/root" \( -name '*.so.*' -o -name 'libsystemd-*.so' \) -exec dirname {} + | sort -u | paste -sd:)
export LD_LIBRARY_PATH TZ='CET-1CEST,M3.5.0,M10.5.0/3'
next() { # BEGIN COUNT CALENDAR: the moments, and the longest time between two of them
	local last='' longest=0 text='' at seconds
	while read -r at; do
		seconds=$(date -d "$at" +%s)
		[[ -z $last || $((seconds - last)) -le longest ]] || longest=$((seconds - last))
		last=$seconds text+=" $(date -d "$at" '+%a-%H:%M-%Z')"
	done < <(root/usr/bin/systemd-analyze calendar --base-time="$1" --iterations="$2" "$3" | sed -n 's/^.*\(elapse\|Iter. #[0-9]*\): //p')
	echo "$3:$text, at most $((longest / 60)) minutes between two"
}
export LC_ALL=C
seen=$(
	next '2026-03-28 01:00:00' 3 '*-*-* 02:30:00'
	next '2026-03-28 23:30:00' 5 hourly
	next '2026-10-24 01:00:00' 3 '*-*-* 02:30:00'
	next '2026-10-24 23:30:00' 5 hourly
	next '2026-10-25 01:20:00' 8 '*:0/15'
	next '2026-10-24 23:30:00' 6 '*:00:00 UTC'
)
wanted='*-*-* 02:30:00: Sat-02:30-CET Mon-02:30-CEST Tue-02:30-CEST, at most 2820 minutes between two
hourly: Sun-00:00-CET Sun-01:00-CET Sun-03:00-CEST Sun-04:00-CEST Sun-05:00-CEST, at most 60 minutes between two
*-*-* 02:30:00: Sat-02:30-CEST Sun-02:30-CEST Mon-02:30-CET, at most 1500 minutes between two
hourly: Sun-00:00-CEST Sun-01:00-CEST Sun-02:00-CEST Sun-03:00-CET Sun-04:00-CET, at most 120 minutes between two
*:0/15: Sun-01:30-CEST Sun-01:45-CEST Sun-02:00-CEST Sun-02:15-CEST Sun-02:30-CEST Sun-02:45-CEST Sun-03:00-CET Sun-03:15-CET, at most 75 minutes between two
*:00:00 UTC: Sun-00:00-CEST Sun-01:00-CEST Sun-02:00-CEST Sun-02:00-CET Sun-03:00-CET Sun-04:00-CET, at most 60 minutes between two'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
