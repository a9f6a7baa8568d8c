#!/usr/bin/env bash
# Version: sbatch, squeue, sacct, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: a job that asks for more memory than MaxMemPerCPU for each of its processors is refused; or it gets more
#   processors, and these are what accounting and squeue say of it from the start.
# Seen: it gets more processors. ReqTRES has those that it asked for, for ever. squeue and ReqCPUS have the greater number
#   with --mem-per-cpu, and with --mem not even they while it waits: with MaxMemPerCPU=1000 a job with --mem=2500 waits as
#   one processor and runs as three.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on ports
# 29705 to 29708 of this host for some seconds, as root.
# The host has Slurm of that version installed: its slurmctld runs.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurmdbd=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
export LD_LIBRARY_PATH=$lib:${lib%/*} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'scancel --quiet --user=root 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool data
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29706
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29707
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
	SlurmctldPort=29705
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29706
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU_Memory
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	MaxMemPerCPU=1000
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29708 CPUs=16 RealMemory=16000
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29707 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --hold --parsable --output=/dev/null --chdir=/ --wrap='sleep 60' "$@"; }
mem=$(submit --mem=2500 --ntasks=1)
per=$(submit --mem-per-cpu=2500 --ntasks=2)
told() { [[ $(sacct -X -n -P -j "$mem,$per" -o JobID | wc -l) == 2 ]]; }
wait_for told
requested() { sacct -X -n -P -j "$1" -o ReqCPUS,ReqTRES; }
seen="--mem=2500 waits: squeue $(squeue -h -j "$mem" -o %C), sacct $(requested "$mem")
--mem-per-cpu=2500 --ntasks=2 waits: squeue $(squeue -h -j "$per" -o %C), sacct $(requested "$per")"
scontrol release "$mem" "$per"
runs() { [[ $(sacct -X -n -P -j "$mem,$per" -o AllocCPUS | sort -n | xargs) == '3 6' ]]; }
wait_for runs
seen+="
they run: squeue $(squeue -h -j "$mem,$per" -o %C | sort -n | xargs), AllocCPUS $(sacct -X -n -P -j "$mem,$per" -o AllocCPUS | xargs), ReqCPUS $(sacct -X -n -P -j "$mem,$per" -o ReqCPUS | xargs)"
wanted='--mem=2500 waits: squeue 1, sacct 1|billing=1,cpu=1,mem=2500M,node=1
--mem-per-cpu=2500 --ntasks=2 waits: squeue 6, sacct 6|billing=2,cpu=2,mem=5000M,node=1
they run: squeue 3 6, AllocCPUS 3 6, ReqCPUS 1 6'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
