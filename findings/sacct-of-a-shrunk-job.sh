#!/usr/bin/env bash
# Version: scontrol, sacct, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: a running job that gives nodes back (scontrol update NumNodes=1) is one record in sacct, with its submission and its
#   start, and CPUTime counts each processor for as long as the job had it; "sacct --duplicates" may have more.
# Seen: sacct shows two, with --duplicates and without: a part in the state RESIZING until the change, and one since then.
#   The second has Submit at the change and Start as before, so it started before it was submitted, and its CPUTime
#   counts the new size from the start on. The seconds until the change are counted by both, so the sum is more than the job
#   had.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and two slurmd on ports 29793 to
# 29797 of this host for some seconds, as root.
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
mkdir state data spool-n1 spool-n2
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29794
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29793
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
	SlurmctldPort=29795
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29794
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool-%n
	SlurmdPidFile=$PWD/pid-%n
	SlurmdLogFile=$PWD/log-%n
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29796 CPUs=1
	NodeName=n2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29797 CPUs=1
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29793 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-n1 2>&1 &
slurmd -D -c -N n2 >out-n2 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
id=$(sbatch --parsable --nodes=2 --output=/dev/null --chdir=/ --wrap='sleep 20')
runs() { [[ $(squeue -h -j "$id" -o %t) == R ]]; }
wait_for runs
sleep 9
scontrol update "JobId=$id" NumNodes=1
ended() { [[ $(sacct -X -n -P -j "$id" -o State | tail -n 1) == COMPLETED ]]; }
wait_for ended
seconds() { date +%s -d "$1"; }
part() { # STATE SUBMIT START END NODES CPUTIME
	local took=$(($(seconds "$4") - $(seconds "$3")))
	echo "$1, $5 nodes: started $(($(seconds "$2") - $(seconds "$3") > 5 ? 9 : 0)) s before it was submitted, ended $((took > 18 ? 20 : 9)) s after it started, CPUTime is all of these: $(($6 == $5 * took ? 1 : 0))"
}
seen=$(
	for option in --allocations --duplicates; do
		echo "$option"
		sacct -X -n -P "$option" -j "$id" -o State,Submit,Start,End,NNodes,CPUTimeRAW | while IFS='|' read -r state submit start end nodes cpu; do
			part "$state" "$submit" "$start" "$end" "$nodes" "$cpu"
		done
	done
)
wanted='--allocations
RESIZING, 2 nodes: started 0 s before it was submitted, ended 9 s after it started, CPUTime is all of these: 1
COMPLETED, 1 nodes: started 9 s before it was submitted, ended 20 s after it started, CPUTime is all of these: 1
--duplicates
RESIZING, 2 nodes: started 0 s before it was submitted, ended 9 s after it started, CPUTime is all of these: 1
COMPLETED, 1 nodes: started 9 s before it was submitted, ended 20 s after it started, CPUTime is all of these: 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
