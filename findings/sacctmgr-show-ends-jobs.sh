#!/usr/bin/env bash
# Version: sacctmgr, sacct, slurmdbd and slurmctld 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sacctmgr show" changes nothing, "-i" is for those subcommands that ask. A job whose end accounting lost gets, once it
#   is mended, the end of its last step, or that of its time limit, and a state of failure.
# Seen: "sacctmgr -i show runawayjobs" mends all of them without a question and shows them as they were. Such a job is
#   then COMPLETED with 0:0, its end is its start, and Elapsed and CPUTime are 0, though its step is there with the true end and
#   FAILED: a job that ran for nine hours is free, and a success.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on a socket and ports 29770 and 29805 of this
# host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmdbd=$v slurm-wlm-mysql-plugin=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
export MYSQL_UNIX_PORT=$PWD/sock # no port for MariaDB
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29770
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
	SlurmctldPort=29805
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29770
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8 State=DOWN
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
slurmctld -D -c >out 2>&1 &
up() { scontrol ping | grep -q UP; }
wait_for up
sacctmgr -i -Q add account a >/dev/null
sacctmgr -i -Q add user root account=a >/dev/null
assoc=$(db "select id_assoc from c_assoc_table where user='root' and acct='a'")
start=$(($(date +%s) - 36000))
db "set sql_mode=''; insert into c_job_table (id_job,job_name,account,id_assoc,id_qos,state,time_submit,time_eligible,time_start,time_end,timelimit,\`partition\`,nodelist,nodes_alloc,id_array_task,het_job_offset,tres_alloc) values (7,'lost','a',$assoc,1,1,$start - 60,$start - 60,$start,0,600,'p','n1',1,4294967294,4294967294,'1=4,4=1'); insert into c_step_table (job_db_inx,id_step,step_het_comp,step_name,state,exit_code,time_start,time_end,nodelist,nodes_alloc,tres_alloc,task_cnt) select job_db_inx,-5,4294967294,'batch',5,768,$start,$start + 32400,'n1',1,'1=4,4=1',1 from c_job_table where id_job=7"
show() { sacct -a -n -P -j 7 -S now-1day -o JobID,State,ExitCode,Elapsed,CPUTime | sed 's/10:00:[0-9]*/10:00:??/; s/1-16:0[0-9]:[0-9]*/1-16:0?:??/'; }
seen="$(show)
$(timeout 20 sacctmgr -n -P -i show runawayjobs | cut -d'|' -f 1-5)
$(show)"
wanted='7|RUNNING|0:0|10:00:??|1-16:0?:??
7.batch|FAILED|3:0|09:00:00|1-12:00:00
NOTE: Runaway jobs are jobs that don'\''t exist in the controller but have a start time and no end time in the database
7|lost|p|c|RUNNING
7|COMPLETED|0:0|00:00:00|00:00:00
7.batch|FAILED|3:0|09:00:00|1-12:00:00'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
