#!/usr/bin/env bash
# Version: sacct, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: the tasks of an array with --array=1-3%1 are eligible from their submission on, as nothing but the limit holds them
#   back; or each from the end of the task before it. So sacct's Reserved, or Start less Eligible, is how long each waited.
# Seen: each is eligible from its own start on: of a task that waited for half a minute on an idle machine Reserved is 0. While
#   it waits its Eligible is Unknown. Start less Submit is the wait.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on ports 29789 to
# 29792 of this host for half a minute, as root.
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
	DbdPort=29790
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29789
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
	SlurmctldPort=29791
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29790
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29792 CPUs=8
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29789 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
id=$(sbatch --parsable --array=1-3%1 --output=/dev/null --chdir=/ --wrap='sleep 8')
runs() { [[ $(sacct -X -n -P -j "$id" -o State | grep -c RUNNING) == 1 ]]; }
wait_for runs
seen="while it waits: $(sacct -X -n -P -j "$id" -o State,Eligible | grep PENDING | sort -u | xargs)"
done_() { [[ $(sacct -X -n -P -j "$id" -o State | grep -c COMPLETED) == 3 ]]; }
wait_for done_
seconds() { date +%s -d "$1"; }
while IFS='|' read -r job submit eligible start reserved; do
	wait=$(($(seconds "$start") - $(seconds "$submit"))) late=$(($(seconds "$start") - $(seconds "$eligible")))
	seen+="
task ${job#*_}: waited $((wait < 3 ? 0 : wait > 14 ? 15 : 7)) s or more, Start less Eligible $((late < 3 ? 0 : late)) s, Reserved $([[ $reserved == 00:00:0[0-2] ]] && echo 0 || echo "$reserved")"
done < <(sacct -X -n -P -j "$id" -o JobID,Submit,Eligible,Start,Reserved | sort)
wanted='while it waits: PENDING|Unknown
task 1: waited 0 s or more, Start less Eligible 0 s, Reserved 0
task 2: waited 7 s or more, Start less Eligible 0 s, Reserved 0
task 3: waited 15 s or more, Start less Eligible 0 s, Reserved 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
