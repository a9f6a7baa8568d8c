#!/usr/bin/env bash
# Version: MariaDB 1:10.11.19-0+deb12u1 (Debian 12), with which slurmdbd keeps its tables.
# Guess: sec_to_time() of a sum of cpu-seconds shows it as hours, however many; time_to_sec() reads Elapsed as sacct prints it, or is an
#   error; timediff() of two moments is the time between them. A sum of cpu-hours is the same by a view, a table or at once.
# Seen: the type TIME ends at 838:59:59, some 35 days: the sum of a thousand hours is that, of a million too, as is the time between
#   two moments two months apart; and 1-02:03:04 is one second, with a warning that clients in batches do not show. Cpu-hours
#   of jobs of a second, a quotient, have four digits once they are in a table: ten hours are 10.8 there. "1 02:03:04" is read.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB on a socket of its own for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
m=1:10.11.19-0+deb12u1
apt-get -qq download mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$(find "$PWD/root" -name '*.so.*' -exec dirname {} + | sort -u | paste -sd:)
export LD_LIBRARY_PATH PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mariadb-install-db --no-defaults --auth-root-authentication-method=normal --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root >out-install 2>&1
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --skip-networking >out 2>&1 &
ask() { mariadb --no-defaults --socket="$PWD/sock" -u root --skip-column-names -e "$1" 2>&1 | paste -sd' ' | tr '\t' ' '; }
for _ in $(seq 60); do
	[[ $(ask 'select 1') != 1 ]] || break
	sleep 1
done
ask 'create database d; use d; create table job (id_job int unsigned, cpus int unsigned, time_start bigint unsigned, time_end bigint unsigned);
	insert into job select seq, 1, 1764547200, 1764547201 from seq_1_to_36000'
hours='cpus * (time_end - time_start) / 3600'
seen=$(
	echo "sum of 838, 1000 and 1000000 hours: $(ask 'select sec_to_time(838 * 3600), sec_to_time(1000 * 3600), sec_to_time(1000000 * 3600)')"
	echo "00:10:00, 1 02:03:04, 1-02:03:04 and 1000:00:00: $(ask "select time_to_sec('00:10:00'), time_to_sec('1 02:03:04'), time_to_sec('1-02:03:04'), time_to_sec('1000:00:00')")"
	echo "from January to March: $(ask "select timediff('2026-03-01 00:00:00', '2026-01-01 00:00:00'), timestampdiff(hour, '2026-01-01', '2026-03-01')")"
	echo "hours of 36000 jobs of a second, at once: $(ask "select sum($hours) from d.job")"
	ask "create view d.v as select $hours as hours from d.job; create table d.t as select $hours as hours from d.job" >>out
	echo "by a view: $(ask 'select sum(hours) from d.v'), by a table: $(ask 'select sum(hours) from d.t')"
)
wanted='sum of 838, 1000 and 1000000 hours: 838:00:00 838:59:59 838:59:59
00:10:00, 1 02:03:04, 1-02:03:04 and 1000:00:00: 600 93784 1 3020399
from January to March: 838:59:59 1416
hours of 36000 jobs of a second, at once: 10.0000
by a view: 10.0000, by a table: 10.8000'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
