#!/usr/bin/env bash
# Version: python3-apscheduler 3.9.1-2 (Debian 12), with Python 3.11.
# Guess: CronTrigger.from_crontab("0 2 * * 1") is what that line of a crontab is, each Monday at two; 0 and 7 are Sundays, 1-5 the working
#   days. Where day and day of the week are both given, either is enough, as crontab(5) has it.
# Seen: 0 is Monday, so 1 is Tuesday and 1-5 is Tuesday to Saturday; 7 is refused. Names are right: mon-fri. "0 2 1 * 1" is
#   each first of a month that is a Tuesday, two times in 2026.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-apscheduler=3.9.1-2 python3-tzlocal python3-pytz-deprecation-shim python3-tz python3-six python3-pkg-resources python3-dateutil \
	tzdata python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$(find "$PWD/root" -name '*.so.*' -exec dirname {} + | sort -u | paste -sd:)
export LD_LIBRARY_PATH PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
cat >days.py <<-'END'
	import datetime

	import pytz
	from apscheduler.triggers.cron import CronTrigger

	for line in "0 2 * * 0", "0 2 * * 1", "0 2 * * 7", "0 2 * * 1-5", "0 2 * * mon-fri", "0 2 1 * 1", "0 2 1 * mon":
	    try:
	        trigger = CronTrigger.from_crontab(line, timezone=pytz.utc)
	    except ValueError:
	        print(line, "is refused")
	        continue
	    now, days = datetime.datetime(2026, 1, 4, 12, 0, tzinfo=pytz.utc), []
	    for _ in range(5):
	        now = trigger.get_next_fire_time(None, now + datetime.timedelta(hours=1))
	        days.append(now.strftime("%a %-d %b"))
	    print(line, "is", ", ".join(days))
END
seen=$(root/usr/bin/python3.11 days.py)
wanted='0 2 * * 0 is Mon 5 Jan, Mon 12 Jan, Mon 19 Jan, Mon 26 Jan, Mon 2 Feb
0 2 * * 1 is Tue 6 Jan, Tue 13 Jan, Tue 20 Jan, Tue 27 Jan, Tue 3 Feb
0 2 * * 7 is refused
0 2 * * 1-5 is Tue 6 Jan, Wed 7 Jan, Thu 8 Jan, Fri 9 Jan, Sat 10 Jan
0 2 * * mon-fri is Mon 5 Jan, Tue 6 Jan, Wed 7 Jan, Thu 8 Jan, Fri 9 Jan
0 2 1 * 1 is Tue 1 Sep, Tue 1 Dec, Tue 1 Jun, Tue 1 Feb, Tue 1 Aug
0 2 1 * mon is Mon 1 Jun, Mon 1 Feb, Mon 1 Mar, Mon 1 Nov, Mon 1 May'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
