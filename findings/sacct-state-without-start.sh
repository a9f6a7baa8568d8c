#!/usr/bin/env bash
# Version: sacct, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sacct --state=COMPLETED" shows those of the jobs that sacct shows without it, since midnight, that completed.
# Seen: it shows none: with --state the time begins and ends now unless both are given. So does "--starttime=midnight" beside
#   it, which without --state means until now. With --endtime=now as well they are there.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on ports
# 29725 to 29728 of this host for some seconds, as root.
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
	DbdPort=29726
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29727
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
	SlurmctldPort=29725
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29726
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29728 CPUs=16
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29727 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
id=$(sbatch --parsable --output=/dev/null --chdir=/ --wrap=true)
told() { [[ $(sacct -X -n -P -j "$id" -o State) == COMPLETED ]]; }
wait_for told
sleep 2
lines() { sacct -X -n -P -o JobID "$@" | grep -c . || true; }
seen="sacct: $(lines)
sacct --state=COMPLETED: $(lines --state=COMPLETED)
sacct --starttime=midnight: $(lines --starttime=midnight)
sacct --state=COMPLETED --starttime=midnight: $(lines --state=COMPLETED --starttime=midnight)
the same with --endtime=now: $(lines --state=COMPLETED --starttime=midnight --endtime=now)"
wanted='sacct: 1
sacct --state=COMPLETED: 0
sacct --starttime=midnight: 1
sacct --state=COMPLETED --starttime=midnight: 0
the same with --endtime=now: 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
