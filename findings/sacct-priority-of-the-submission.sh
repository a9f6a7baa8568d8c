#!/usr/bin/env bash
# Version: sacct, squeue, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, priority/multifactor, MariaDB
#   1:10.11.19-0+deb12u1 (Debian 12).
# Guess: Priority of sacct is that by which the job started, as squeue shows it while it runs; while the job waits it follows what
#   squeue shows, within some seconds.
# Seen: it is that of the job's first record, some seconds after the submission, for ever: what scontrol gave it later, by Priority or
#   Nice, is not in it. So by sacct a job that an administrator put first started out of order; a
#   queue cannot be replayed by these numbers, and "the higher ones started first" says nothing.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on a socket and ports 29937, 29951 and
# 29978 of this host for half a minute, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmd=$v slurmdbd=$v slurm-wlm-mysql-plugin=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
ln -s slurmd-wlm root/usr/sbin/slurmd
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
export MYSQL_UNIX_PORT=$PWD/sock # no port for MariaDB
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool-n1 data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29937
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
	SlurmctldPort=29951
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29937
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SlurmdSpoolDir=$PWD/spool-%n
	SlurmdPidFile=$PWD/pid-%n
	SlurmdLogFile=$PWD/log-%n
	SlurmdParameters=config_overrides
	PriorityType=priority/multifactor
	PriorityWeightJobSize=1000
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29978 CPUs=8
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ --ntasks=4 --wrap='sleep 100' "$@"; }
blocker=$(submit --ntasks=8)
running() { [[ $(squeue -h -j "$1" -o %T) == RUNNING ]]; }
wait_for running "$blocker"
raised=$(submit)
lowered=$(submit)
ids=$raised,$lowered
known() { [[ $(sacct -X -n -P -j "$ids" -o State | grep -c PENDING) == 2 ]]; }
wait_for known
sacct -X -n -P -j "$ids" -o JobID,Priority >before
scontrol update JobId="$raised" Priority=1000000
scontrol update JobId="$lowered" Nice=300
scancel "$blocker"
wait_for running "$raised"
told() { [[ $(sacct -X -n -P -j "$raised" -o State) == RUNNING ]]; }
wait_for told
sacct -X -n -P -j "$ids" -o JobID,Priority >after
recorded() { awk -F'|' -v id="$1" '$1 == id { print $2 }' after; }
now() { scontrol -o show job "$1" | grep -oE ' Priority=[0-9]+' | cut -d= -f 2; }
compare() { # NAME ID: how slurmctld's priority is to that of sacct
	local in_use told
	in_use=$(now "$2") told=$(recorded "$2")
	if ((in_use > told + 200)); then echo "$1: greater than sacct says"; elif ((in_use < told - 200)); then echo "$1: less than sacct says"; else echo "$1: as sacct says"; fi
}
seen="$(compare raised "$raised")
$(compare lowered "$lowered")
sacct before and after: $(cmp -s before after && echo the same)"
wanted='raised: greater than sacct says
lowered: less than sacct says
sacct before and after: the same'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
