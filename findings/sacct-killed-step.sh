#!/usr/bin/env bash
# Version: sacct, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: a job whose script ends by a signal that nobody sent from outside (it killed itself, or the
#   kernel did for want of memory) is FAILED with 0:9, and so is its batch step.
# Seen: the job is FAILED, and its batch step is CANCELLED, both with 0:9, though nobody cancelled
#   anything. With an exit code of 9 both are FAILED.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on ports
# 29895 to 29898 of this host for some seconds, as root.
# The host has Slurm of that version installed: its slurmctld runs.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmd=$v slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
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
	DbdPort=29896
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29895
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
	SlurmctldPort=29897
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29896
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29898 CPUs=1
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29895 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t) == idle ]]; }
wait_for ready
killed=$(sbatch --parsable --output=/dev/null --chdir=/ --wrap='kill -9 $$')
failed=$(sbatch --parsable --output=/dev/null --chdir=/ --wrap='exit 9')
told() { [[ $(sacct -n -P -j "$killed,$failed" -o State | grep -cE 'FAILED|CANCELLED') == 4 ]]; }
wait_for told
seen="by a signal: $(sacct -n -P -j "$killed" -o JobID,State,ExitCode | tr '\n' ' ')
by a code: $(sacct -n -P -j "$failed" -o JobID,State,ExitCode | tr '\n' ' ')"
echo "$seen"
wanted='by a signal: 1|FAILED|0:9 1.batch|CANCELLED|0:9 
by a code: 2|FAILED|9:0 2.batch|FAILED|9:0 '
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
