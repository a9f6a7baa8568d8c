#!/usr/bin/env bash
# Version: sacct, scancel, slurmdbd and slurmctld 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "scancel 12_2" of an array that waits makes 12_2 a record of its own in accounting, CANCELLED, as a cancelled job is one; sacct
#   shows the other tasks as waiting. array_task_pending is how many tasks wait.
# Seen: 12_2 has no record and never gets one: its waiting array is told of as before, 12_[1-4] with four tasks, until somebody lists
#   the queue. squeue makes slurmctld write the tasks that are left anew, and slurmdbd hears of it seconds later: 12_[1,3-4]. So does a
#   task that leaves the array, also one that "scontrol update" changed. Once all are cancelled sacct has three of the four, so
#   cancelled tasks by sacct are fewer than there were. In the table array_task_pending of an array that was cancelled stays what it
#   was, so a sum over it counts what does not wait any more.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on a socket and ports 29979 and 29980 of this
# host for half a minute, as root.
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
	DbdPort=29979
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
	SlurmctldPort=29980
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29979
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
id=$(sbatch --parsable --output=/dev/null --chdir=/ --array=1-4 --wrap=true)
told() { sacct -X -n -P -j "$id" -o JobID,State | sed 's/ by 0//' | sort | xargs; }
show() { # sacct comes first: squeue changes what it says
	local told
	told=$(told)
	echo "$1: sacct $told, squeue $(squeue -h -r -j "$id" -o '%i %T' 2>/dev/null | sort | xargs)"
}
waits() { [[ $(sacct -X -n -P -j "$id" -o State | sort -u) == PENDING ]]; }
wait_for waits
seen=$(show submitted)
scancel "${id}_2"
sleep 15 # slurmctld tells slurmdbd every five seconds
seen+="
$(show 'scancel of task 2')"
fewer() { [[ $(told) == "${id}_[1,3-4]|PENDING" ]]; }
wait_for fewer
seen+="
$(show 'after squeue')"
scontrol update JobId="${id}_3" Nice=5
split() { [[ $(sacct -X -n -P -j "$id" -o JobID | wc -l) == 2 ]]; }
wait_for split
seen+="
$(show 'nice value of task 3')"
scancel "$id"
over() { [[ $(sacct -X -n -P -j "$id" -o State | sort -u) == CANCELLED* ]]; }
wait_for over
seen+="
$(show 'scancel of all')
array_task_pending: $(db "select array_task_pending from c_job_table where id_array_task > 1000")"
wanted='submitted: sacct 1_[1-4]|PENDING, squeue 1_1 PENDING 1_2 PENDING 1_3 PENDING 1_4 PENDING
scancel of task 2: sacct 1_[1-4]|PENDING, squeue 1_1 PENDING 1_3 PENDING 1_4 PENDING
after squeue: sacct 1_[1,3-4]|PENDING, squeue 1_1 PENDING 1_3 PENDING 1_4 PENDING
nice value of task 3: sacct 1_3|PENDING 1_[1,4]|PENDING, squeue 1_1 PENDING 1_3 PENDING 1_4 PENDING
scancel of all: sacct 1_3|CANCELLED 1_[1,4]|CANCELLED, squeue 
array_task_pending: 2'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
