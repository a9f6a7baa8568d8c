#!/usr/bin/env bash
# Version: sacct, sshare, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: with TRESBillingWeights=CPU=0.5 a job of one processor has billing 0.5, or 1, and one of three 1.5,
#   or 2; and what sacct bills is what fair share counts.
# Seen: billing is cut to a whole number: 1 for three processors, and for one processor sacct shows no billing
#   at all. Fair share counts the fractions: RawUsage grows by half a unit a second for a job that by
#   accounting costs nothing.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on ports
# 29819 to 29822 of this host for half a minute, as root.
# The host has Slurm of that version installed: its slurmctld runs.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurmdbd=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
export LD_LIBRARY_PATH=$lib:${lib%/*} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state spool data
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29820
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29819
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
	SlurmctldPort=29821
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29820
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	PriorityType=priority/multifactor
	PriorityWeightFairshare=1000
	PriorityCalcPeriod=1
	PriorityDecayHalfLife=30-0
	AccountingStorageEnforce=associations,limits
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29822 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP TRESBillingWeights=CPU=0.5
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29819 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
sacctmgr -i -Q add account one,three cluster=c >/dev/null
sacctmgr -i -Q add user root account=one,three cluster=c >/dev/null
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --account="$1" --ntasks="$2" --output=/dev/null --chdir=/ --wrap='sleep 20'; }
ids=$(submit one 1),$(submit three 3)
told() { [[ $(sacct -X -n -P -j "$ids" -o State | grep -c COMPLETED) == 2 ]]; }
wait_for told
used() { sshare -h -P -a -A one,three -u root -o Account,User,RawUsage | awk -F '|' '$2 != "" { gsub(" ", ""); print $1, $3 }'; }
grown() { [[ $(used | awk '$2 > 0' | wc -l) == 2 ]]; }
wait_for grown
seen=$(
	sacct -X -n -P -j "$ids" -o Account,AllocTRES | sort
	used | awk '{ print $1, "RawUsage a second", int($2 / 2 + 0.5) / 10 }'
)
wanted='one|cpu=1,node=1
three|billing=1,cpu=3,node=1
one RawUsage a second 0.5
three RawUsage a second 1.5'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
