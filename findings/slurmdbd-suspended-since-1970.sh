#!/usr/bin/env bash
# Version: slurmdbd, sacct, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12), asked in SQL.
# Guess: time_suspended in <cluster>_job_table is for how many seconds the job was suspended: 0 before, and a sum over the table is the
#   time that suspensions cost. exit_code is what the script ended with: 3 of "exit 3".
# Seen: while a job is suspended it is a moment of the clock, so that one such job adds 56 years to the sum; after "scontrol
#   resume" it is the seconds. sacct has the seconds of both. One that is cancelled while it is suspended has ended, in accounting,
#   when it was suspended, and was suspended for 0 seconds. exit_code is the status of wait(2): 768 of "exit 3", 9 of a SIGKILL.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on a socket and ports 29742, 29750 and
# 29751 of this host for half a minute, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmd=$v slurmdbd=$v slurm-wlm-mysql-plugin=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
ln -s slurmd-wlm root/usr/sbin/slurmd
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
export MYSQL_UNIX_PORT=$PWD/sock # no port for MariaDB
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool-n1 data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29742
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
	SlurmctldPort=29750
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29742
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SlurmdSpoolDir=$PWD/spool-%n
	SlurmdPidFile=$PWD/pid-%n
	SlurmdLogFile=$PWD/log-%n
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29751 CPUs=8
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
db() { mariadb --no-defaults -u root -N slurm_acct_db -e "$1"; }
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-n1 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }
resumed=$(submit --wrap='sleep 100')
cancelled=$(submit --wrap='sleep 100')
failed=$(submit --wrap='exit 3')
# shellcheck disable=SC2016 # the script expands it
killed=$(submit --wrap='kill -9 $$')
known() { [[ $(db "select count(*) from c_job_table where time_start > 0 and tres_alloc <> ''") == 4 ]]; }
wait_for known
scontrol suspend "$resumed,$cancelled"
stopped() { [[ $(sacct -X -n -P -j "$resumed,$cancelled" -o State | uniq) == SUSPENDED ]]; }
wait_for stopped
kind() { # ID: whether the column is a moment, some seconds or nothing; and what sacct has
	db "select case when time_suspended > unix_timestamp() - 1000 then 'a moment' when time_suspended between 1 and 1000 then 'seconds' else time_suspended end from c_job_table where id_job=$1"
	if [[ $(sacct -X -n -P -j "$1" -o Suspended) =~ ^00:00:[0-9]*[1-9] ]]; then echo "(sacct: seconds)"; fi
}
sleep 5
seen="suspended: $(kind "$resumed" | xargs), more than 50 years by the sum: $(db "select sum(time_suspended) > 50 * 365 * 86400 from c_job_table")"
scontrol resume "$resumed"
scancel "$cancelled"
ended() { [[ $(sacct -X -n -P -j "$resumed" -o State) == RUNNING && $(sacct -X -n -P -j "$cancelled" -o State) == CANCELLED* ]]; }
wait_for ended
seen+="
resumed: $(kind "$resumed" | xargs)
cancelled while it was suspended: $(kind "$cancelled" | xargs), its end $(db "select if(unix_timestamp() - time_end >= 5, 'before the scancel', 'at the scancel') from c_job_table where id_job=$cancelled")
exit 3: $(db "select exit_code from c_job_table where id_job=$failed"), a SIGKILL: $(db "select exit_code from c_job_table where id_job=$killed")"
wanted='suspended: a moment (sacct: seconds), more than 50 years by the sum: 1
resumed: seconds (sacct: seconds)
cancelled while it was suspended: 0, its end before the scancel
exit 3: 768, a SIGKILL: 9'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
