#!/usr/bin/env bash
# Version: sacctmgr, squeue, scontrol, slurmdbd and slurmctld 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sacctmgr delete qos" is refused as long as jobs wait in it, as "sacctmgr delete account" is; once it is there again
#   all is as before.
# Seen: it is done without a word. The jobs wait with InvalidQOS, and squeue has (null) for their QOS; a job that its owner held is
#   held by an administrator from then on, and its owner may no longer release it, also when the QOS was made anew under its name
#   and is that of the jobs again in squeue. The account with waiting jobs cannot be deleted.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on a socket and ports 29992 and 29993 of this
# host for a minute, as root, and submits a job as nobody.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
export MYSQL_UNIX_PORT=$PWD/sock # no port for MariaDB
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29992
	StorageType=accounting_storage/mysql
	StorageHost=localhost
	StorageUser=root
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
	SlurmctldPort=29993
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29992
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	AccountingStorageEnforce=associations,limits,qos
	PriorityType=priority/multifactor
	SchedulerParameters=bf_interval=2
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8 State=DOWN
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --skip-networking >out-maria 2>&1 &
wait_for mariadb --no-defaults -u root -e 'select 1'
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
sacctmgr -i -Q add account chem >/dev/null
sacctmgr -i -Q add user root,nobody account=chem >/dev/null
sacctmgr -i -Q add qos night >/dev/null
sacctmgr -i -Q modify user root,nobody set qos+=night >/dev/null
slurmctld -D -c >out 2>&1 &
up() { scontrol ping | grep -q UP; }
wait_for up
submit() { sbatch --parsable --output=/dev/null --chdir=/ --qos=night --account=chem --wrap=true "$@"; }
show() { squeue -h --sort=i -n plain,later,held -o '%j %q %r' | sed 's/Nodes required.*/waits/'; }
reason() { [[ $(squeue -h -n "$1" -o %r) == "$2" ]]; }
# The node is down: jobs wait, and are looked at.
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
submit --job-name=plain >/dev/null
submit --job-name=later --begin=now+2hours >/dev/null
export -f submit
held=$(nobody bash -c 'submit --job-name=held --hold')
known() { [[ $(mariadb --no-defaults -u root -N slurm_acct_db -e 'select count(*) from c_job_table') == 3 ]]; }
named() { [[ $(squeue -h -n plain -o %q) == night ]]; }
release() { nobody scontrol release "$held" 2>/dev/null && echo 'released by its owner' || echo 'its owner may not release it'; }
wait_for known
seen=$(
	show
	release
	nobody scontrol uhold "$held"
	code=0
	sacctmgr -i -Q delete account chem >/dev/null 2>&1 || code=$?
	echo "delete account: $code"
	code=0
	sacctmgr -i -Q delete qos night >/dev/null 2>&1 || code=$?
	echo "delete qos: $code"
	wait_for reason plain InvalidQOS
	wait_for reason held JobHeldAdmin
	show
	sacctmgr -i -Q add qos night >/dev/null
	sacctmgr -i -Q modify user root,nobody set qos+=night >/dev/null
	wait_for named
	echo "made anew: $(squeue -h -j "$held" -o '%j %q %r'), $(release)"
)
wanted='plain night waits
later night BeginTime
held night JobHeldUser
released by its owner
delete account: 1
delete qos: 0
plain (null) InvalidQOS
later (null) InvalidQOS
held (null) JobHeldAdmin
made anew: held night JobHeldAdmin, its owner may not release it'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
