#!/usr/bin/env bash
# Version: scontrol, sacct, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "scontrol requeue" of a job that has completed is refused, or starts another run beside the record of the first, which
#   stays as it is: COMPLETED, with its end and its exit code.
# Seen: as long as slurmctld remembers the job (MinJobAge) it goes back into the queue, and its record in accounting is no longer
#   that of a job that completed: its state is REQUEUED, its end the moment of the requeue, and Elapsed and CPUTime count the
#   time in which nothing ran. Without --duplicates sacct has the new, pending one alone. What still has the true end is
#   the step, ID.batch. A job that failed loses its FAILED so, and keeps its exit code.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on a socket and ports 29983 to 29985 of
# this host for half a minute, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmd=$v slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
ln -s slurmd-wlm root/usr/sbin/slurmd
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
export MYSQL_UNIX_PORT=$PWD/sock # no port for MariaDB
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29983
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
	SlurmctldPort=29984
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29983
	SlurmdSpoolDir=$PWD/spool/%n
	SlurmdPidFile=$PWD/pid-%n
	SlurmdLogFile=$PWD/log-%n
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29985 CPUs=16
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
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-n1 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }
db() { mariadb --no-defaults -u root -N slurm_acct_db -e "$1"; }
ended() { [[ $(db "select count(*) from c_job_table where time_end > 0 and state = $1") == "$2" ]]; }
requeued() { ended 1024 2; }
again() { [[ $(db 'select count(*) from c_job_table where time_end = 0') == 2 ]]; }
show() { sacct -X -n -P -D -o "$1" | sort; }
seen=$(
	good=$(submit --wrap=true)
	bad=$(submit --wrap='exit 2')
	wait_for ended 3 1
	wait_for ended 5 1
	show jobid,state,exitcode
	(($(show elapsedraw | sort -n | tail -n 1) <= 2)) && echo 'each ran for two seconds at most'
	sleep 8
	scontrol requeue "$good"
	scontrol requeue "$bad"
	wait_for requeued
	wait_for again
	echo "requeued:"
	show jobid,state,exitcode | grep REQUEUED
	(($(show elapsedraw | sort -n | tail -n 1) >= 8)) && echo 'one ran for eight seconds at least'
	steps=$(sacct -n -P -D -j "$good.batch" -o elapsedraw,state)
	((${steps%|*} <= 2)) && echo "its step: two seconds at most, ${steps#*|}"
	echo 'without --duplicates:'
	sacct -X -n -P -j "$good,$bad" -o jobid,state | sort
)
wanted='1|COMPLETED|0:0
2|FAILED|2:0
each ran for two seconds at most
requeued:
1|REQUEUED|0:0
2|REQUEUED|2:0
one ran for eight seconds at least
its step: two seconds at most, COMPLETED
without --duplicates:
1|PENDING
2|PENDING'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
