#!/usr/bin/env bash
# Version: sacct and slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sacct --truncate" of an hour cuts Start, End and Elapsed to it. How long a job waited before it started, Reserved, stays as it
#   is or is cut to the hour, too, so that the waits of 24 hours add up to those of the day. A job that starts after the hour is
#   shown as one that waits.
# Seen: Reserved is the cut Start less Eligible, so a job that waited for a minute at 8:00 and runs until 20:00 has waited for four hours
#   from 12:00 to 13:00 and for five in the next hour: 66 hours in the twelve of its run. A job that starts at 18:00 is COMPLETED
#   from 12:00 to 13:00, with an end five hours before its start.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB and slurmdbd on a socket and port 29404 of this
# host for some seconds, as root.
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
	DbdPort=29404
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
	AccountingStoragePort=29404
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
sacctmgr -i -Q add account a >/dev/null
sacctmgr -i -Q add user root account=a >/dev/null
assoc=$(db "select id_assoc from c_assoc_table where user='root' and acct='a'")
row() { # ID SUBMIT START END STATE
	db "insert into c_job_table (id_job,job_name,account,id_assoc,id_qos,state,time_submit,time_eligible,time_start,time_end,timelimit,\`partition\`,nodelist,nodes_alloc,id_array_task,het_job_offset,tres_alloc,tres_req,cpus_req) values ($1,'j','a',$assoc,1,$5,unix_timestamp('2026-01-15 $2'),unix_timestamp('2026-01-15 $2'),unix_timestamp('2026-01-15 $3'),unix_timestamp('2026-01-15 $4'),900,'p','n1',1,4294967294,4294967294,'1=1,4=1','1=1,4=1',1)"
}
export TZ=UTC
row 1 08:00 08:01 20:00 5 # failed
row 2 08:00 18:00 19:00 3 # completed
show() { echo "$1:"; shift; sacct -X -n -P -S 2026-01-15T12:00 -E 2026-01-15T13:00 -o jobid,start,end,elapsed,reserved,state "$@" | sed 's/2026-01-15T//g' | sort; }
seen=$(
	show 'from 12:00 to 13:00'
	show 'with --truncate' --truncate
	for hour in {08..19}; do
		sacct -X -n -P -T -j 1 -S "2026-01-15T$hour:00" -E "2026-01-15T$((10#$hour + 1)):00" -o reserved
	done | awk -F: '{ sum += 60 * $1 + $2 } END { print "Reserved of job 1 in twelve hours: " sum " min" }'
)
wanted='from 12:00 to 13:00:
1|08:01:00|20:00:00|11:59:00|00:01:00|FAILED
2|18:00:00|19:00:00|01:00:00|10:00:00|COMPLETED
with --truncate:
1|12:00:00|13:00:00|01:00:00|04:00:00|FAILED
2|18:00:00|13:00:00|00:00:00|10:00:00|COMPLETED
Reserved of job 1 in twelve hours: 3961 min'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
