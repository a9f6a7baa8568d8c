#!/usr/bin/env bash
# Version: sacct and slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sacct --name=sim" has the jobs that are called sim and no others, and --partition=gpu those of that partition: slurm.conf can
#   have a partition GPU beside gpu.
# Seen: it has those called Sim, "sim " and sím too: MariaDB compares, by the collation of the table, without regard to case,
#   accents and blanks at the end. --partition=gpu has the jobs of the partition GPU too, so of two partitions that differ so
#   nobody can ask for one. In SQL "group by partition" makes one of them.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB and slurmdbd on a socket and port 29755 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmdbd=$v slurm-wlm-mysql-plugin=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
export MYSQL_UNIX_PORT=$PWD/sock # no port for MariaDB
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29755
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
	AccountingStoragePort=29755
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8
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
sacctmgr -i -Q add account a >/dev/null
sacctmgr -i -Q add user root account=a >/dev/null
assoc=$(db "select id_assoc from c_assoc_table where user='root' and acct='a'")
now=$(date +%s)
row() { # ID NAME PARTITION
	db "set sql_mode=''; set names utf8mb4; insert into c_job_table (id_job,job_name,account,id_assoc,id_qos,state,time_submit,time_eligible,time_start,time_end,timelimit,\`partition\`,nodelist,nodes_alloc,id_array_task,het_job_offset,tres_alloc) values ($1,'$2','a',$assoc,1,3,$now - 90,$now - 90,$now - 90,$now - 30,60,'$3','n1',1,4294967294,4294967294,'1=1,4=1')"
}
row 1 sim gpu
row 2 Sim gpu
row 3 'sim ' GPU
row 4 sím GPU
row 5 simul gpu
ask() { echo "$*: $(sacct -a -X -n -P -S "now-1hour" -E now -o JobID "$@" | sort | xargs)"; }
seen=$(
	ask | sed 's/^/all/'
	ask --name=sim
	ask --name=SÍM
	ask --partition=gpu
	ask --partition=Gpu
	echo "group by partition: $(db "select count(*) from c_job_table group by \`partition\`" | wc -l) group"
)
wanted='all: 1 2 3 4 5
--name=sim: 1 2 3 4
--name=SÍM: 1 2 3 4
--partition=gpu: 1 2 3 4 5
--partition=Gpu: 1 2 3 4 5
group by partition: 1 group'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
