#!/usr/bin/env bash
# Version: sacct, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: of a job without --time in a partition without a limit sacct's Timelimit is UNLIMITED, or Partition_Limit, and the
#   same of all such jobs.
# Seen: it depends on who started the job. One that the main scheduler starts has UNLIMITED, one that backfill starts
#   365-00:00:00 (525600 in TimelimitRaw), and one that never starts Partition_Limit. With --time=UNLIMITED backfill too
#   leaves it UNLIMITED. So the longest limit of a log, and any mean, says how busy the machine was.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and two slurmd on ports 29763 to 29765,
# 29758 and 29759 of this host for a minute, as root.
# The host has Slurm of that version installed: its slurmctld runs.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmd=$v slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 libreadline8 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool-n1 spool-n2 data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29764
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29763
	StorageUser=slurm
	StoragePass=slurm
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
	SlurmctldPort=29765
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29764
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool-%n
	SlurmdPidFile=$PWD/pid-d-%n
	SlurmdLogFile=$PWD/log-d-%n
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerParameters=defer,default_queue_depth=1,bf_interval=30
	NodeName=n[1-2] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[29758-29759] CPUs=16
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29763 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
for node in n1 n2; do slurmd -D -c -N "$node" >"out-$node" 2>&1 & done
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }
submit --nodelist=n1 --ntasks=16 --time=1 --wrap='sleep 45' >/dev/null
next=$(submit --nodelist=n1 --ntasks=16 --wrap='sleep 3') # the main scheduler's when the first one ends: it looks at no other
backfilled=$(submit --wrap='sleep 3')
asked=$(submit --time=UNLIMITED --wrap='sleep 3')
never=$(submit --hold --wrap=true)
scancel "$never"
told() { [[ $(sacct -X -n -P -j "$next,$backfilled,$asked" -o State | grep -c COMPLETED) == 3 ]]; }
wait_for told
seen=$(
	for job in next backfilled asked never; do
		echo "$job: $(scontrol -o show job "${!job}" | grep -o 'Scheduler=[^ ]*') $(sacct -X -n -P -j "${!job}" -o Timelimit,TimelimitRaw)"
	done
)
wanted='next: Scheduler=Main UNLIMITED|UNLIMITED
backfilled: Scheduler=Backfill 365-00:00:00|525600
asked: Scheduler=Backfill UNLIMITED|UNLIMITED
never: Scheduler=Main Partition_Limit|Partition_Limit'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
