#!/usr/bin/env bash
# Version: sacct, scancel, slurmdbd and slurmctld 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: a job that is cancelled before it starts has no start in accounting, and no processors.
# Seen: AllocCPUS and NNodes are what it asked for. One that is cancelled within the seconds in which slurmdbd has not heard
#   of it yet has its end for its start too, so it looks like one that ran for no time. What tells is AllocTRES: it is empty.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on ports 29720 to
# 29722 of this host for some seconds, as root.
# The host has Slurm of that version installed: its slurmctld runs.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurmdbd=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
export LD_LIBRARY_PATH=$lib:${lib%/*} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state data
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29721
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29722
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
	SlurmctldPort=29720
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29721
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29723 CPUs=16
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29722 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
ready() { scontrol ping | grep -q UP; }
wait_for ready
submit() { sbatch --hold --parsable --output=/dev/null --chdir=/ --ntasks=4 --wrap=true; }
known() { [[ -n $(sacct -X -n -P -j "$1" -o JobID) ]]; }
cancelled() { [[ $(sacct -X -n -P -j "$1" -o State,ReqTRES) == CANCELLED*cpu=4* ]]; }
late=$(submit)
wait_for known "$late"
scancel "$late"
wait_for cancelled "$late"
early=$(submit) # just after slurmctld has sent what it had: the next time is in five seconds
scancel "$early"
wait_for cancelled "$early"
show() {
	SLURM_TIME_FORMAT=%s sacct -X -n -P -j "$1" -o Start,End,AllocCPUS,NNodes,AllocTRES |
		awk -F'|' '{ printf "Start %s, AllocCPUS %s, NNodes %s, AllocTRES \"%s\"\n", $1 == $2 ? "is End" : $1, $3, $4, $5 }'
}
seen="late: $(show "$late")
early: $(show "$early")"
wanted='late: Start None, AllocCPUS 4, NNodes 1, AllocTRES ""
early: Start is End, AllocCPUS 4, NNodes 1, AllocTRES ""'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
