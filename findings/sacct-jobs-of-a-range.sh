#!/usr/bin/env bash
# Version: sacct, squeue, slurmdbd and slurmctld 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sacct --jobs=2-4" shows the jobs 2 to 4, as --array and the other lists of numbers of Slurm have ranges, or is
#   refused; so is "--jobs='2 4'".
# Seen: it shows job 2, ends with 0 and says nothing of the rest; "4-2" is job 4, "2 4" job 2, and "2x" too. "[2-4]" is
#   refused. squeue does the same. Commas are what works.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on ports 29777 to 29779 of this host for
# some seconds, as root.
# The host has Slurm of that version installed: its slurmctld runs.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 libreadline8 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29778
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29777
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
	SlurmctldPort=29779
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29778
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29749 CPUs=16
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29777 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
up() { scontrol ping | grep -q UP; }
wait_for up
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }
for _ in 1 2 3 4 5; do submit --wrap=true >/dev/null; done # there is no node to run them
told() { [[ $(sacct -X -n -P -o JobID | wc -l) == 5 ]]; }
wait_for told
list() { # COMMAND...
	if "$@" >ids 2>said; then
		xargs <ids
	else
		echo "refused"
	fi
}
seen=$(
	for jobs in 2,4 2-4 4-2 '2 4' 2x '[2-4]'; do
		echo "$jobs: sacct $(list sacct -X -n -P --jobs="$jobs" -o JobID), squeue $(list squeue -h --sort=i --jobs="$jobs" -o %i)"
	done
)
wanted='2,4: sacct 2 4, squeue 2 4
2-4: sacct 2, squeue 2
4-2: sacct 4, squeue 4
2 4: sacct 2, squeue 2
2x: sacct 2, squeue 2
[2-4]: sacct refused, squeue refused'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
