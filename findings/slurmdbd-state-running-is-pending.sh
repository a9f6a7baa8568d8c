#!/usr/bin/env bash
# Versions: slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12), asked in SQL, as a site's own reports do.
# Guess: "where state='RUNNING'" in <cluster>_job_table is refused or finds nothing, as state is a number. Of a job that runs
#   time_end - time_start is negative, or null; a sum leaves it out. avg(timelimit) leaves out jobs without a limit.
# Seen: state='RUNNING' finds those that wait: the word counts as 0, which is PENDING. The columns are unsigned and time_end is 0
#   until the end, so one job that runs makes an error of the whole query, also of a sum over thousands of jobs. time_end < X has
#   all that wait or run. No limit is 4294967295 minutes, and one such job lifts a mean to thousands of years. sec_to_time
#   ends at 838:59:59: 35 days and a year are the same, with a warning that a script does not see.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB and slurmdbd on a socket and port 29981 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
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
	DbdPort=29981
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
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29981
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --skip-networking >out-maria 2>&1 &
wait_for mariadb --no-defaults -u root -e 'select 1'
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
db() { mariadb --no-defaults -u root -N slurm_acct_db -e "set sql_mode=''; $1"; }
row() { # ID STATE START END LIMIT
	db "insert into c_job_table (id_job,job_name,account,state,time_submit,time_eligible,time_start,time_end,timelimit,\`partition\`) values ($1,'j','a',$2,1000,1000,$3,$4,$5,'p')"
}
row 1 0 0 0 10             # waits
row 2 1 2000 0 10          # runs
row 3 3 2000 2600 10       # ran for ten minutes
row 4 3 2000 4002000 43200 # for 46 days
ask() { echo "$1: $(db "select $2 from c_job_table${3:+ where $3}" 2>&1 | sed -E 's/^(ERROR [0-9]+).*(BIGINT UNSIGNED value is out of range).*/\1 \2/')"; }
seen=$(
	ask 'state of a word' 'group_concat(id_job)' "state='RUNNING'"
	ask 'state=1' 'group_concat(id_job)' 'state=1'
	ask 'its length' 'time_end - time_start' 'id_job=2'
	ask 'all lengths' 'sum(time_end - time_start)'
	ask 'of those that ended' 'sum(time_end - time_start)' 'time_end > 0'
	ask 'ended before 3000' 'group_concat(id_job)' 'time_end < 3000'
	ask 'hours of job 4' "sec_to_time(time_end - time_start), timestampdiff(hour, from_unixtime(time_start), from_unixtime(time_end))" 'id_job=4'
	row 5 3 2000 2600 4294967295 # without a limit
	ask 'mean limit of jobs of ten minutes' 'round(avg(timelimit))' 'time_end=2600'
	ask 'their longest in time' 'max(sec_to_time(timelimit * 60))' 'time_end=2600'
)
wanted='state of a word: 1
state=1: 2
its length: ERROR 1690 BIGINT UNSIGNED value is out of range
all lengths: ERROR 1690 BIGINT UNSIGNED value is out of range
of those that ended: 4000600
ended before 3000: 1,2,3
hours of job 4: 838:59:59	1111
mean limit of jobs of ten minutes: 2147483653
their longest in time: 838:59:59'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
