#!/usr/bin/env bash
# Version: sacct, slurmdbd and slurmctld 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sacct --timelimit-min=10" shows the jobs with a limit of ten minutes or more, as its name says and as min and max of
#   other tools; --timelimit-max=60 those of an hour or less.
# Seen: without the other one --timelimit-min is "exactly": of the limits 10, 30 and 60 minutes and none it shows that of 10
#   alone, and for 20 nothing. --timelimit-max alone is dropped without a word: for 60 all are there, those without a limit too.
#   With both it is a range, in which UNLIMITED is the greatest. So "at least" takes --timelimit-max=UNLIMITED.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on ports 29920 to 29922 of this
# host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
export LD_LIBRARY_PATH=$lib:${lib%/*} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state data
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29920
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29921
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
	SlurmctldPort=29922
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29920
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=16
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29921 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
wait_for scontrol ping
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap=true "$@" >>ids; }
for limit in 10 30 60 UNLIMITED; do submit "--time=$limit"; done
show() { echo "${*:-all}: $(sacct -X -n -P -o Timelimit -S now-1hour -E now --state=PENDING "$@" | sort | xargs)"; }
told() { [[ $(show) == *10:00*30:00*:*UNLIMITED* ]]; }
wait_for told
seen=$(
	show
	show --timelimit-min=10
	show --timelimit-min=20
	show --timelimit-max=60
	show --timelimit-min=10 --timelimit-max=60
	show --timelimit-min=10 --timelimit-max=UNLIMITED
)
wanted='all: 00:10:00 00:30:00 01:00:00 UNLIMITED
--timelimit-min=10: 00:10:00
--timelimit-min=20: 
--timelimit-max=60: 00:10:00 00:30:00 01:00:00 UNLIMITED
--timelimit-min=10 --timelimit-max=60: 00:10:00 00:30:00 01:00:00
--timelimit-min=10 --timelimit-max=UNLIMITED: 00:10:00 00:30:00 01:00:00 UNLIMITED'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
