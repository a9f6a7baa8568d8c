#!/usr/bin/env bash
# Version: slurmctld, slurmd and slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: a job must keep all limits that there are for it: where an account has GrpTRES=cpu=2 and the QOS of its jobs has
#   GrpTRES=cpu=4, the account has 2 processors in use at most.
# Seen: it has 4: where the QOS has a limit of a kind and resource, that of the account, and of the accounts above it, is not looked
#   at. So a QOS that is to limit all users lets each account have more than it may, and its jobs of another QOS wait for the
#   account's limit meanwhile.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and a slurmd on ports 29974 to
# 29977 of this host for some seconds, as root.
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
mkdir state data spool
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29975
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29974
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
	SlurmctldPort=29976
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29975
	AccountingStorageEnforce=associations,limits,qos
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-n1
	SlurmdLogFile=$PWD/log-n1
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29977 CPUs=8
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29974 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-n1 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
sacctmgr -i -Q add qos four set GrpTRES=cpu=4 >/dev/null
sacctmgr -i -Q add account one set GrpTRES=cpu=2 qos+=four >/dev/null
sacctmgr -i -Q add user root account=one DefaultAccount=one >/dev/null
submit() { sbatch --parsable --account=one --qos="$1" --output=/dev/null --chdir=/ --wrap='sleep 60'; }
wait_for submit four
for _ in 1 2 3 4; do submit four >/dev/null; done
normal=$(submit normal)
running() { [[ $(squeue -h -t R -o %i | wc -l) == 4 ]]; }
wait_for running
reason() { [[ $(squeue -h -t PD -j "$normal" -o %r) == AssocGrp* ]]; }
wait_for reason
seen="the account has $(squeue -h -t R -o %C | awk '{n += $1} END {print n}') processors of 2; waiting: $(squeue -h -t PD --sort=i -o '%q %r' | paste -sd,)"
wanted='the account has 4 processors of 2; waiting: four QOSGrpCpuLimit,normal AssocGrpCpuLimit'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
