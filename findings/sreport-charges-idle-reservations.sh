#!/usr/bin/env bash
# Version: sreport, sacct and slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: what sreport says that a user used is what the user's jobs used, as "sacct" and a sum over the job table have it; a user without
#   a job used nothing. What of a reservation is not used is idle, or counts as reserved.
# Seen: hours of a reservation in which no job runs in it are charged to those who may use it, in equal parts, also where it has the
#   flag MAINT and is PLND Down: of 8 processors for 4 hours, and for another one of maintenance, a user whose job took 4
#   processor hours used 16, and one without a job 12. In "cluster utilization" the 32 of the first one are Allocate. An hour
#   in which a job has a part of the one node is not charged beyond the job. So usage by sreport is not that of the jobs.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB and slurmdbd, twice, on a socket and port 29948 of this host for some
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
	DbdPort=29948
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
	AccountingStoragePort=29948
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
db() { mariadb --no-defaults -u root -N slurm_acct_db -e "$1"; }
sacctmgr -i -Q add account chem >/dev/null
sacctmgr -i -Q add user bin,daemon account=chem >/dev/null
bin=$(db "select id_assoc from c_assoc_table where user='bin'")
daemon=$(db "select id_assoc from c_assoc_table where user='daemon'")
kill "$(<pid-db)"
stopped() { [[ ! -e pid-db ]] || ! kill -0 "$(<pid-db)"; }
wait_for stopped
hour() { echo $((start + 3600 * $1)); }
start=$(($(date +%s) / 3600 * 3600 - 20 * 3600))
reserved() { # ID NAME FLAGS FROM TO
	db "insert into c_resv_table (id_resv,assoclist,flags,nodelist,node_inx,resv_name,time_start,time_end,tres) values ($1,',$bin,$daemon,',$3,'n1','0','$2',$(hour "$4"),$(hour "$5"),'1=8,4=1')"
}
db "insert into c_event_table (time_start,time_end,node_name,cluster_nodes,reason,reason_uid,state,tres) values ($start,0,'','n[1-2]','Cluster Registered TRES',0,0,'1=16,4=2')"
reserved 1 course 0 1 5
reserved 2 repair 1 6 7 # MAINT
db "set sql_mode=''; insert into c_job_table (id_job,job_name,account,id_assoc,id_qos,state,time_submit,time_eligible,time_start,time_end,timelimit,\`partition\`,nodelist,nodes_alloc,id_array_task,het_job_offset,cpus_req,tres_alloc,tres_req,id_resv) values (7,'j','chem',$bin,1,3,$(hour 1),$(hour 1),$(hour 1),$(hour 3),120,'p','n1',1,4294967294,4294967294,2,'1=2,4=1','1=2,4=1',1)"
db "update c_last_ran_table set hourly_rollup=$start, daily_rollup=$start, monthly_rollup=$start"
slurmdbd -D >out-db 2>&1 &
summed() { [[ $(db "select hourly_rollup from c_last_ran_table") -gt $(hour 10) ]] && [[ $(db "select count(*) from c_usage_hour_table where time_start=$(hour 8)") -gt 0 ]]; }
wait_for summed
times=("start=$(date -d "@$start" +%FT%T)" "end=$(date -d "@$(hour 10)" +%FT%T)")
seen="$(sreport -n -P -t hours cluster AccountUtilizationByUser format=Login,Used "${times[@]}" | sort)
jobs: $(sacct -a -X -n -P -S "$(date -d "@$start" +%FT%T)" -o JobID,CPUTime)
$(sreport -P -t hours cluster utilization format=Allocated,PlannedDown,Idle "${times[@]}" | tail -n 2)"
wanted='bin|16
daemon|12
|28
|28
jobs: 7|04:00:00
Allocated|PLND Down|Idle
32|8|120'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
