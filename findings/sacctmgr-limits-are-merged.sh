#!/usr/bin/env bash
# Version: sacctmgr, slurmdbd and slurmctld 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sacctmgr modify qos x set GrpTRES=node=5" makes GrpTRES what it says; what was there before, cpu=10, is gone. An
#   "add" of what is there is no error, as nothing is left to do: a script under "set -e" can run twice.
# Seen: the new limit is added, cpu=10,node=5, so a limit that is taken out of a site's script stays in force. Each has to
#   be taken away by name, with -1. A second "add" says "Nothing new added" and ends with 1, a "modify" that changes nothing
#   with 0.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on ports 29710 to
# 29712 of this host for some seconds, as root.
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
	DbdPort=29711
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29712
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
	SlurmctldPort=29710
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29711
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29713 CPUs=16
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29712 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
ready() { scontrol ping | grep -q UP; }
wait_for ready
ends() {
	local code=0
	sacctmgr -i -Q "$@" >/dev/null || code=$?
	echo "$*: exit $code, $(sacctmgr -n -P show qos x format=GrpTRES)"
}
seen=$(
	ends add qos x
	ends modify qos x set GrpTRES=cpu=10
	ends modify qos x set GrpTRES=node=5
	ends modify qos x set GrpTRES=node=5
	ends modify qos x set GrpTRES=cpu=-1
	ends add qos x
)
wanted='add qos x: exit 0, 
modify qos x set GrpTRES=cpu=10: exit 0, cpu=10
modify qos x set GrpTRES=node=5: exit 0, cpu=10,node=5
modify qos x set GrpTRES=node=5: exit 0, cpu=10,node=5
modify qos x set GrpTRES=cpu=-1: exit 0, node=5
add qos x: exit 1, node=5'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
