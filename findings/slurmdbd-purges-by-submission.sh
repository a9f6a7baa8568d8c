#!/usr/bin/env bash
# Version: sacctmgr and slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: PurgeJobAfter=30days keeps each job for thirty days after its end, so that reports of the last month have all of them; and
#   "sacctmgr archive dump" writes to the archive what is older than that.
# Seen: the days count from the submission: a job that ended yesterday is gone if it was submitted 40 days ago, while one that was
#   submitted later and ended three weeks ago is there. What waits and runs longest is missing first, from the means of a month as
#   from a replay of it. Jobs that wait or run stay, however old. "archive load" brings the others back.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB and slurmdbd on a socket and port 29925 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmdbd=$v slurm-wlm-mysql-plugin=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
export MYSQL_UNIX_PORT=$PWD/sock # no port for MariaDB
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29925
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
	AccountingStoragePort=29925
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8
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
db() { mariadb --no-defaults -u root -N slurm_acct_db -e "$1"; }
sacctmgr -i -Q add account a >/dev/null
sacctmgr -i -Q add user root account=a >/dev/null
assoc=$(db "select id_assoc from c_assoc_table where user='root' and acct='a'")
now=$(date +%s)
row() { # ID NAME DAYS SINCE SUBMISSION, START AND END, STATE; 0 for not yet
	local at=() days
	for days in "${@:3:3}"; do at+=($((days ? now - days * 86400 : 0))); done
	db "set sql_mode=''; insert into c_job_table (id_job,job_name,account,id_assoc,id_qos,state,time_submit,time_eligible,time_start,time_end,timelimit,\`partition\`,nodelist,nodes_alloc,id_array_task,het_job_offset,tres_alloc) values ($1,'$2','a',$assoc,1,$6,${at[0]},${at[0]},${at[1]},${at[2]},60,'p','n1',1,4294967294,4294967294,'1=1,4=1')"
}
row 1 'submitted 40 days ago, ended yesterday' 40 5 1 3
row 2 'submitted 40 days ago, ended 38 days ago' 40 39 38 3
row 3 'submitted 25 days ago, ended 20 days ago' 25 24 20 3
row 4 'submitted 40 days ago, runs' 40 39 0 1
row 5 'submitted 40 days ago, waits' 40 0 0 0
mkdir archive
show() { db "select job_name from c_job_table order by id_job"; }
sacctmgr -i archive dump Directory="$PWD/archive" Jobs PurgeJobAfter=30days >said 2>&1
seen="$(show)
from the archive:"
sacctmgr -i archive load File="$(echo archive/c_job_table*)" >>said 2>&1
seen+="
$(db "select job_name from c_job_table where id_job < 3 order by id_job")"
wanted='submitted 25 days ago, ended 20 days ago
submitted 40 days ago, runs
submitted 40 days ago, waits
from the archive:
submitted 40 days ago, ended yesterday
submitted 40 days ago, ended 38 days ago'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
