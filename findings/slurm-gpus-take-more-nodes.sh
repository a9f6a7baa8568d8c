#!/usr/bin/env bash
# Version: sacct, squeue, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sbatch --gpus=3 --mem=100" where a node has two GPUs is refused, or asks for two nodes from the start; and
#   accounting says of it what it asked for: two nodes, or none.
# Seen: while it waits it is a job of one node and one processor in squeue and in ReqTRES, beside three GPUs, which no node
#   has. It runs on two nodes, with two processors and twice the memory. ReqTRES keeps the one node for ever, so a log
#   has jobs that by what they asked for fit nowhere.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and two slurmd on ports 29767 to 29769,
# 29756 and 29757 of this host for half a minute, as root.
# The host has Slurm of that version installed: its slurmctld runs.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmd=$v slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 libreadline8 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool-n1 spool-n2 data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29768
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29767
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
	SlurmctldPort=29769
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29768
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool-%n
	SlurmdPidFile=$PWD/pid-d-%n
	SlurmdLogFile=$PWD/log-d-%n
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU_Memory
	GresTypes=gpu
	AccountingStorageTRES=gres/gpu
	NodeName=n[1-2] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[29756-29757] CPUs=4 RealMemory=1000 Gres=gpu:2
	PartitionName=p Nodes=ALL Default=YES State=UP
END
printf 'Name=gpu File=%s\n' /dev/null /dev/zero >gres.conf
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29767 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
for node in n1 n2; do slurmd -D -c -N "$node" >"out-$node" 2>&1 & done
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }
id=$(submit --hold --gpus=3 --mem=100 --wrap='sleep 3')
waiting=$(squeue -h -j "$id" -o 'nodes %D processors %C')
scontrol release "$id"
runs() { [[ $(squeue -h -j "$id" -o %T) == RUNNING ]]; }
wait_for runs
running=$(squeue -h -j "$id" -o 'nodes %D processors %C')
told() { [[ $(sacct -X -n -P -j "$id" -o State) == COMPLETED ]]; }
wait_for told
seen="waiting: $waiting
running: $running
sacct: $(sacct -X -n -P -j "$id" -o ReqCPUS,ReqTRES)
sacct: $(sacct -X -n -P -j "$id" -o AllocCPUS,AllocTRES)"
wanted='waiting: nodes 1 processors 1
running: nodes 2 processors 2
sacct: 1|billing=1,cpu=1,gres/gpu=3,mem=100M,node=1
sacct: 2|billing=2,cpu=2,gres/gpu=3,mem=200M,node=2'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
