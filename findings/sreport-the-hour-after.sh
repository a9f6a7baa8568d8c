#!/usr/bin/env bash
# Version: sreport and slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: sreport of 10:40 to 10:50 has these ten minutes, or the hour from 10 on, which contains them; of a day from 2026-01-15
#   to 2026-01-15 that day; an end before the start is refused, and so are a unit and a time that it does not know.
# Seen: it rounds both times to the nearest hour and then takes an hour at least: 11:00 to 11:59, which has none of the ten
#   minutes. One day to itself is its first hour, and an end before the start the hour after the start. "-t fortnights" and
#   "start=lastweek" print a message, and then a report in minutes, or of the day before, with exit code 0.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB and slurmdbd on ports 29923 and 29924 of this
# host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
export LD_LIBRARY_PATH=$lib:${lib%/*} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir data
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29923
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29924
	StorageUser=slurm
	StoragePass=slurm
	PidFile=$PWD/pid-db
	LogFile=$PWD/log-db
END
chmod 600 slurmdbd.conf
cat >slurm.conf <<-END
	$common
	ClusterName=c
	SlurmctldHost=localhost
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29923
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=16
	PartitionName=p Nodes=ALL Default=YES State=UP
END
# wait_for tries a command for a minute.
wait_for() {
	local left
	for left in $(seq 60); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 1
	done
	echo "not within a minute: $*" >&2
	return "$left"
}
mariadb-install-db --no-defaults --auth-root-authentication-method=normal --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root >out-install 2>&1
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29924 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
report() { # ARGUMENTS: the times of the report, or its unit, and the exit code
	local code=0
	sreport -P cluster utilization "$@" >out-report 2>said || code=$?
	cat out-report said | grep -oE '20[0-9-]+T[0-9:]+ - .*|Usage.*|[Uu]nknown.*fortnights|Invalid time specification' | xargs
	((code == 0)) || echo "exit $code"
}
times() { echo "$1 to $2: $(report "start=2026-01-15$1" "end=2026-01-15$2" | sed -E 's/ Usage.*//; s/2026-01-//g')"; }
seen=$(
	times T10:10 T10:20
	times T10:40 T10:50
	times T10:45 T12:15
	times T12:00 T11:00
	times T00:00 T00:00
	echo "fortnights: $(report -t fortnights | sed 's/.* Usage/Usage/')"
	echo "last week: $(report start=lastweek | sed "s/$(date -d yesterday +%F)/DAY-BEFORE/g")"
)
wanted='T10:10 to T10:20: 15T10:00:00 - 15T10:59:59
T10:40 to T10:50: 15T11:00:00 - 15T11:59:59
T10:45 to T12:15: 15T11:00:00 - 15T11:59:59
T12:00 to T11:00: 15T12:00:00 - 15T12:59:59
T00:00 to T00:00: 15T00:00:00 - 15T00:59:59
fortnights: Usage reported in CPU Minutes unknown time format fortnights
last week: DAY-BEFORET00:00:00 - DAY-BEFORET23:59:59 Usage reported in CPU Minutes Invalid time specification'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
