#!/usr/bin/env bash
# Version: sbatch, squeue, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: the flag DenyOnLimit of a QOS decides whether sbatch refuses a job that its limits can never allow, or takes it and lets
#   it wait. It changes no job. One without --time, in a partition without a limit, needs more than any quota of minutes.
# Seen: with the flag such a job is taken, and has a time limit that nobody asked for, what the quota allows to its processors:
#   of MaxTRESMinsPerJob=cpu=100, GrpTRESMins=cpu=100 or GrpTRESRunMins=cpu=100 one processor has 1:40:00, four have
#   25:00. Without the flag it waits for ever under two of the three, and runs without a limit under GrpTRESMins. With
#   --time=60 four processors are refused with the flag; without it they wait, but under GrpTRESMins, where they run.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on ports 29926 to 29929 of this
# host for a minute, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmd=$v slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
ln -s slurmd-wlm root/usr/sbin/slurmd
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
	DbdPort=29926
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29927
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
	SlurmctldPort=29928
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29926
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	AccountingStorageEnforce=associations,limits,qos
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29929 CPUs=16
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29927 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
sacctmgr -i -Q add account chem >/dev/null
sacctmgr -i -Q add user root account=chem >/dev/null
for limit in MaxTRESMinsPerJob GrpTRESMins GrpTRESRunMins; do
	sacctmgr -i -Q add qos "$limit" "$limit=cpu=100" >/dev/null
	sacctmgr -i -Q add qos "$limit-deny" "$limit=cpu=100" Flags=DenyOnLimit >/dev/null
	sacctmgr -i -Q modify user where name=root set "qos+=$limit,$limit-deny" >/dev/null
done
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
look() { # QOS ARGUMENTS
	local id
	id=$(sbatch --parsable --output=/dev/null --chdir=/ --account=chem --wrap='sleep 100' "--qos=$1" "${@:2}" 2>/dev/null) || {
		echo refused
		return
	}
	sleep 3
	squeue -h -j "$id" -o '%T %l'
	scancel "$id"
	wait_for ready
}
seen=$(
	for limit in MaxTRESMinsPerJob GrpTRESMins GrpTRESRunMins; do
		echo "$limit: 1 processor $(look "$limit"), 4 $(look "$limit" --ntasks=4), an hour of 4 $(look "$limit" --ntasks=4 --time=60)"
		echo "  DenyOnLimit: 1 processor $(look "$limit-deny"), 4 $(look "$limit-deny" --ntasks=4), an hour of 4 $(look "$limit-deny" --ntasks=4 --time=60)"
	done
)
wanted='MaxTRESMinsPerJob: 1 processor PENDING UNLIMITED, 4 PENDING UNLIMITED, an hour of 4 PENDING 1:00:00
  DenyOnLimit: 1 processor RUNNING 1:40:00, 4 RUNNING 25:00, an hour of 4 refused
GrpTRESMins: 1 processor RUNNING UNLIMITED, 4 RUNNING UNLIMITED, an hour of 4 RUNNING 1:00:00
  DenyOnLimit: 1 processor RUNNING 1:40:00, 4 RUNNING 25:00, an hour of 4 refused
GrpTRESRunMins: 1 processor PENDING UNLIMITED, 4 PENDING UNLIMITED, an hour of 4 PENDING 1:00:00
  DenyOnLimit: 1 processor RUNNING 1:40:00, 4 RUNNING 25:00, an hour of 4 refused'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
