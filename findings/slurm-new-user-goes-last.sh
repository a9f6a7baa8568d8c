#!/usr/bin/env bash
# Version: sacctmgr, sshare, slurmdbd and slurmctld 22.05.8-4+deb12u3 with Fair Tree, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: a user who is added while slurmctld runs, and has used nothing, has the greatest fair-share factor at once, as one of
#   the same share has who was there before and has used nothing.
# Seen: the factor is 0, the least that there is, until priorities are calculated the next time, which is up to
#   PriorityCalcPeriod later, five minutes by default. So the first jobs of a newcomer stand behind those of whoever used
#   most, just while somebody looks at whether the new account works.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on ports 29966 to
# 29968 of this host for two minutes, as root.
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
	DbdPort=29967
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29968
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
	SlurmctldPort=29966
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29967
	PriorityType=priority/multifactor
	PriorityWeightFairshare=1000
	PriorityCalcPeriod=1
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29969 CPUs=16
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29968 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
sacctmgr -i -Q add account one >/dev/null
sacctmgr -i -Q add user daemon account=one >/dev/null
slurmctld -D -c >out 2>&1 &
ready() { scontrol ping | grep -q UP; }
wait_for ready
factor() { sshare -a -n -P -A one -o User,FairShare | awk -F'|' -v user="$1" '$1 ~ "^ *" user "$" {print $2}'; }
calculated() { [[ $(factor "$1") == 1.000000 ]]; }
wait_for calculated daemon
sleep 2 # so that the next calculation is most of a minute away
sacctmgr -i -Q add user games account=one >/dev/null
known() { [[ -n $(factor games) ]]; }
wait_for known
submit() { sbatch --parsable --uid="$1" --output=/dev/null --chdir=/ --wrap=true; }
old=$(submit daemon)
new=$(submit games)
listed() { sprio -h | grep -qw "$old" && sprio -h | grep -qw "$new"; }
wait_for listed
tell() { echo "$1: there before $(factor daemon), priority $(squeue -h -j "$old" -o %Q); new $(factor games), priority $(squeue -h -j "$new" -o %Q)"; }
seen=$(
	tell 'at first'
	wait_for calculated games
	sleep 2
	tell 'calculated'
)
wanted='at first: there before 1.000000, priority 1000; new 0.000000, priority 1
calculated: there before 1.000000, priority 1000; new 1.000000, priority 1000'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
