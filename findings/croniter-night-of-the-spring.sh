#!/usr/bin/env bash
# Version: python3-croniter 1.3.5-3 (Debian 12), with Python 3.11, pytz and zoneinfo.
# Guess: "30 2 * * *" comes once each night, at 2:30; where the clock goes from 2 to 3 at 3:00 or 3:30, or not at all. It never comes at a
#   time that there is not, and the next nights are as any.
# Seen: with pytz, which its manual has, it comes four times in that night and the next: at 2:30 of summer time, which is half
#   past one, at 3:30, at half past one on Monday, and at 2:30. Asked at 1:45 it has three of these. With zoneinfo the spring is
#   right, up to a 2:30 that there is not, and in autumn Monday's run is at 3:30.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-croniter=1.3.5-3 python3-dateutil python3-tz tzdata python3-six \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$(find "$PWD/root" -name '*.so.*' -exec dirname {} + | sort -u | paste -sd:)
export LD_LIBRARY_PATH PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages PYTHONTZPATH=$PWD/root/usr/share/zoneinfo
cat >nights.py <<-'END'
	import datetime
	import zoneinfo

	import pytz
	from croniter import croniter

	def nights(name, begin):
	    it = croniter("30 2 * * *", begin)
	    moments = [it.get_next(datetime.datetime) for _ in range(5)]
	    utc = [m.astimezone(datetime.timezone.utc).strftime("%H:%M") for m in moments]
	    print(name + ":", ", ".join(m.strftime("%a %H:%M%z") + f" ({u} UTC)" for m, u in zip(moments, utc)))

	berlin = pytz.timezone("Europe/Berlin")
	nights("pytz, spring", berlin.localize(datetime.datetime(2026, 3, 28, 1, 0)))
	nights("pytz, asked at 1:45", berlin.localize(datetime.datetime(2026, 3, 29, 1, 45)))
	nights("zoneinfo, spring", datetime.datetime(2026, 3, 28, 1, 0, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")))
	nights("pytz, autumn", berlin.localize(datetime.datetime(2026, 10, 24, 1, 0)))
	nights("zoneinfo, autumn", datetime.datetime(2026, 10, 24, 1, 0, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")))
END
seen=$(root/usr/bin/python3.11 nights.py)
wanted='pytz, spring: Sat 02:30+0100 (01:30 UTC), Sun 02:30+0200 (00:30 UTC), Sun 03:30+0200 (01:30 UTC), Mon 01:30+0200 (23:30 UTC), Mon 02:30+0200 (00:30 UTC)
pytz, asked at 1:45: Sun 03:30+0200 (01:30 UTC), Mon 01:30+0200 (23:30 UTC), Mon 02:30+0200 (00:30 UTC), Tue 02:30+0200 (00:30 UTC), Wed 02:30+0200 (00:30 UTC)
zoneinfo, spring: Sat 02:30+0100 (01:30 UTC), Sun 02:30+0100 (01:30 UTC), Mon 02:30+0200 (00:30 UTC), Tue 02:30+0200 (00:30 UTC), Wed 02:30+0200 (00:30 UTC)
pytz, autumn: Sat 02:30+0200 (00:30 UTC), Sun 02:30+0200 (00:30 UTC), Mon 02:30+0100 (01:30 UTC), Tue 02:30+0100 (01:30 UTC), Wed 02:30+0100 (01:30 UTC)
zoneinfo, autumn: Sat 02:30+0200 (00:30 UTC), Sun 02:30+0200 (00:30 UTC), Mon 03:30+0100 (02:30 UTC), Tue 02:30+0100 (01:30 UTC), Wed 02:30+0100 (01:30 UTC)'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
