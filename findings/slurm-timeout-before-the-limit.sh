#!/usr/bin/env bash
# Version: sacct, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: a job whose state is TIMEOUT ran for as long as its time limit; one that ran when its account used up GrpTRESMins goes
#   on to its end, and what is left in the queue waits.
# Seen: the running job is ended, two or three minutes later, and is TIMEOUT too: of ten minutes it had less than four. sacct
#   tells it from one at its limit by Elapsed below Timelimit alone; only slurmctld's log has the reason. So TIMEOUT is
#   no proof that a job needs more time, and a log has such jobs with a run time far below what they asked for. With
#   "safe" in AccountingStorageEnforce a job begins only if its whole limit fits in.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on ports 29781 to
# 29784 of this host for about three minutes, as root.
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
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool data
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29782
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29781
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
	SlurmctldPort=29783
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29782
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	PriorityType=priority/multifactor
	PriorityCalcPeriod=1
	AccountingStorageEnforce=associations,limits
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29784 CPUs=8
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29781 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
sacctmgr -i -Q add account few cluster=c GrpTRESMins=cpu=1 >/dev/null
sacctmgr -i -Q add user root account=few cluster=c >/dev/null
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --account=few --time=10 --output=/dev/null --chdir=/ --wrap='sleep 300'; }
id=$(submit)
ended() { [[ $(sacct -X -n -P -j "$id" -o State) == TIMEOUT ]]; }
for _ in $(seq 240); do
	! ended || break
	sleep 1
done
waits=$(submit)
held() { [[ $(squeue -h -j "$waits" -o %r) == Assoc* ]]; }
wait_for held
seen="$(sacct -X -n -P -j "$id" -o State,ExitCode,Timelimit,ElapsedRaw | awk -F '|' -v OFS='|' '{ $4 = $4 < 240 ? "ran for less than four minutes" : $4 }1')
the next one: $(squeue -h -j "$waits" -o '%T %r')
in slurmctld's log: $(grep -o 'is at or exceeds assoc .* minutes of 1\b' log | head -n 1)"
wanted='TIMEOUT|0:0|00:10:00|ran for less than four minutes
the next one: PENDING AssocGrpCPUMinutesLimit
in slurmctld'\''s log: is at or exceeds assoc 3(few/(null)/(null)) group max tres(cpu) minutes of 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
