#!/usr/bin/env bash
# Version: sshare, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: fair share counts a job's whole time, at its end at the latest: half a minute of two processors is a
#   RawUsage of 60, whether or not AccountingStorageEnforce has limits.
# Seen: without limits (or safe, which includes them) in AccountingStorageEnforce it counts what a job ran
#   up to the last calculation, every PriorityCalcPeriod (5 minutes unless set), and never the rest: a job
#   that starts and ends between two of them is free. With limits all of it is counted when the job ends.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on ports
# 29823 to 29826 of this host for two minutes, as root.
# The host has Slurm of that version installed: its slurmctld runs.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurmdbd=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
export LD_LIBRARY_PATH=$lib:${lib%/*} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state spool data
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29824
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29823
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
	SlurmctldPort=29825
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29824
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	PriorityType=priority/multifactor
	PriorityWeightFairshare=1000
	PriorityCalcPeriod=1
	PriorityDecayHalfLife=30-0
	AccountingStorageEnforce=associations
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29826 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29823 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
controller=$!
slurmd -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
job() {
	sbatch --parsable --ntasks=2 --output=/dev/null --chdir=/ --wrap='sleep 15'
}
ended() { [[ $(sacct -X -n -P -j "$1" -o State) == COMPLETED ]]; }
# counted prints how much of a job is counted so far.
counted() {
	local usage seconds
	usage=$(sshare -h -P -a -u root -A root -o User,RawUsage | sed -n 's/.*root|//p')
	seconds=$(sacct -X -n -P -j "$1" -o ElapsedRaw)
	if ((usage == 0)); then echo nothing; elif ((usage >= 2 * seconds - 3)); then echo all; else echo part; fi
}
id=$(job)
wait_for ended "$id"
wait_for test -e state/priority_last_decay_ran.old # the second calculation, a minute after the first
seen="associations: $(counted "$id")"
sed -i 's/^AccountingStorageEnforce=.*/&,limits/' slurm.conf
kill "$controller"
wait "$controller" || true
slurmctld -D >out 2>&1 &
wait_for ready
id=$(job)
wait_for ended "$id"
sleep 1
seen+="
associations,limits: $(counted "$id")"
wanted='associations: nothing
associations,limits: all'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
