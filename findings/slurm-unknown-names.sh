#!/usr/bin/env bash
# Version: squeue, sinfo, sacct and sshare 22.05.8-4+deb12u3 (Debian 12), with slurmctld, slurmdbd and MariaDB
#   1:10.11.19-0+deb12u1.
# Guess: a name that Slurm does not know, of a user, partition, account, QOS or node, is an error: a message, and an
#   exit code of 1.
# Seen: that holds for squeue with a node, and for sacct with a user or a QOS. squeue says that a user is invalid, and
#   ends with 0. Of all others there is neither message nor code, and an empty list, as of a queue where nobody waits:
#   a mistyped or renamed partition looks idle for ever.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on ports 29865 to
# 29867 of this host for some seconds, as root.
# The host has Slurm of that version installed: its slurmctld runs.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurmdbd=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
export LD_LIBRARY_PATH=$lib:${lib%/*} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state data
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29866
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29865
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
	SlurmctldPort=29867
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29866
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29868 CPUs=16
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29865 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
up() { scontrol ping | grep -q UP; }
wait_for up
seen=$(
	for what in user partition account qos nodelist; do
		for command in squeue sinfo sacct sshare; do
			case $command-$what in
				sinfo-nodelist) option=--nodes ;;
				sinfo-partition | squeue-* | sacct-user | sacct-partition | sacct-qos | sacct-nodelist) option=--$what ;;
				sacct-account | sshare-account) option=--accounts ;;
				sshare-user) option=--users ;;
				*) continue ;;
			esac
			code=0
			"$command" "$option=nobodyhas" >out 2>err || code=$?
			echo "$command $option: exit $code, $(if [[ -s err ]]; then echo a message; else echo no message; fi)"
		done
	done
)
wanted='squeue --user: exit 0, a message
sacct --user: exit 1, a message
sshare --users: exit 0, no message
squeue --partition: exit 0, no message
sinfo --partition: exit 0, no message
sacct --partition: exit 0, no message
squeue --account: exit 0, no message
sacct --accounts: exit 0, no message
sshare --accounts: exit 0, no message
squeue --qos: exit 0, no message
sacct --qos: exit 1, a message
squeue --nodelist: exit 1, a message
sinfo --nodes: exit 0, no message
sacct --nodelist: exit 0, no message'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
