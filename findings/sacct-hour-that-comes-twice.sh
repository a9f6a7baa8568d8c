#!/usr/bin/env bash
# Version: sacct and slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12), with TZ=Europe/Berlin.
# Guess: in the night in which the clock goes back from 3 to 2, "sacct -S 02:10 -E 02:20" has the jobs of both times at which it was
#   that late, or those of the first; "-E 02:00" means the same moment whatever the start is. No job ends before it starts. In
#   spring a time that was not there, 02:30, is refused.
# Seen: it has those of the second time alone; those of the first are in no window that begins and ends within the hour. "-E 02:00"
#   is the first time behind "-S 01:30" of that night, and the second behind a start in January. A job of 55 minutes is
#   printed as from 02:30 to 02:25. In spring 02:30 is 03:30, so "-S 02:30 -E 03:10" is refused, with a time that nobody gave.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB and slurmdbd on a socket and port 29982 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
export MYSQL_UNIX_PORT=$PWD/sock # no port for MariaDB
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29982
	StorageType=accounting_storage/mysql
	StorageHost=localhost
	StorageUser=root
	PidFile=$PWD/pid-db
	LogFile=$PWD/log-db
END
chmod 600 slurmdbd.conf
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29982
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --skip-networking >out-maria 2>&1 &
wait_for mariadb --no-defaults -u root -e 'select 1'
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
db() { mariadb --no-defaults -u root -N slurm_acct_db -e "set sql_mode=''; $1"; }
sacctmgr -i -Q add account a >/dev/null
sacctmgr -i -Q add user root account=a >/dev/null
assoc=$(db "select id_assoc from c_assoc_table where user='root' and acct='a'")
row() { # ID START MINUTES
	db "insert into c_job_table (id_job,job_name,account,id_assoc,id_qos,state,time_submit,time_eligible,time_start,time_end,timelimit,\`partition\`,nodelist,nodes_alloc,id_array_task,het_job_offset,tres_alloc) values ($1,'j','a',$assoc,1,3,$2,$2,$2,$2 + 60*$3,60,'p','n1',1,4294967294,4294967294,'1=1,4=1')"
}
row 1 1792886400 15 # 02:00 of the first time, 2026-10-25
row 2 1792888200 15 # 02:30
row 3 1792890000 15 # 02:00 of the second time
row 4 1792891800 15 # 02:30
row 5 1792888200 55 # 02:30 to 02:25
row 6 1774744200 30 # 2026-03-29, 01:30 to 03:00
export TZ=Europe/Berlin
window() { # DAY START END
	echo "$1 $2 to $3: $(sacct -X -n -P -S "$1T$2" -E "$1T$3" -o jobid 2>&1 | sort | xargs)" | sed 's/ $//'
}
seen=$(
	sacct -X -n -P -S 2026-10-25T01:00 -E 2026-10-25T04:00 -o jobid,start,end,elapsed | sort
	window 2026-10-25 01:30 02:00
	window 2026-10-25 02:00 02:59
	window 2026-10-25 02:10 02:20
	window 2026-10-25 01:00 03:00
	echo "from January to 02:00: $(sacct -X -n -P -S 2026-01-25T00:00 -E 2026-10-25T02:00 -o jobid | sort | xargs)"
	window 2026-03-29 02:10 02:50
	window 2026-03-29 02:30 03:10
)
wanted='1|2026-10-25T02:00:00|2026-10-25T02:15:00|00:15:00
2|2026-10-25T02:30:00|2026-10-25T02:45:00|00:15:00
3|2026-10-25T02:00:00|2026-10-25T02:15:00|00:15:00
4|2026-10-25T02:30:00|2026-10-25T02:45:00|00:15:00
5|2026-10-25T02:30:00|2026-10-25T02:25:00|00:55:00
2026-10-25 01:30 to 02:00:
2026-10-25 02:00 to 02:59: 3 4 5
2026-10-25 02:10 to 02:20: 3 5
2026-10-25 01:00 to 03:00: 1 2 3 4 5
from January to 02:00: 1 2 5 6
2026-03-29 02:10 to 02:50:
2026-03-29 02:30 to 03:10: sacct: error: Start time (2026-03-29T03:30:00) requested is after end time (2026-03-29T03:10:00).'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
