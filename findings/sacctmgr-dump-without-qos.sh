#!/usr/bin/env bash
# Version: sacctmgr, slurmdbd and slurmctld 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: what "sacctmgr dump" writes "sacctmgr load" reads back into an empty database: users, accounts, and the QOS that
#   they have, with priorities and limits.
# Seen: the dump names the QOS of a user and has none of their definitions. load stops at the first such line with an
#   error, and has made nothing. With QOS of these names made by hand it loads, whatever their priorities and limits are.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on ports 29715 to
# 29717 of this host for some seconds, as root.
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
	DbdPort=29716
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29717
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
	SlurmctldPort=29715
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29716
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29718 CPUs=16
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29717 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
ready() { scontrol ping | grep -q UP; }
wait_for ready
sacctmgr -i -Q add qos slow priority=5 >/dev/null
sacctmgr -i -Q add account chem >/dev/null
sacctmgr -i -Q add user bob account=chem qos=slow >/dev/null
sacctmgr dump c file="$PWD/dump" >/dev/null
sacctmgr -i -Q delete user bob >/dev/null
sacctmgr -i -Q delete account chem >/dev/null
sacctmgr -i -Q delete qos slow >/dev/null
load() {
	local code=0
	sacctmgr -i load file="$PWD/dump" >said 2>&1 || code=$?
	echo "load: exit $code, $(grep -oE 'bad qos .slow.' said | head -n 1), bob's QOS: $(sacctmgr -n -P show associations user=bob format=qos)"
}
seen="the dump has $(grep -c "QOS='slow'" dump) user with the QOS, and $(grep -ci 'priority' dump || true) lines with its priority
$(load)"
sacctmgr -i -Q add qos slow >/dev/null
seen+="
made by hand, $(load)"
wanted='the dump has 1 user with the QOS, and 0 lines with its priority
load: exit 1, bad qos '\''slow'\'', bob'\''s QOS: 
made by hand, load: exit 0, , bob'\''s QOS: slow'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
