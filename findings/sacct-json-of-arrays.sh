#!/usr/bin/env bash
# Version: sacct, slurmdbd and slurmctld 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12), serializer_json,
#   openapi/v0.0.38.
# Guess: "sacct --json" says of a waiting array which tasks it has, as sacct's own 4_[0-2,64%2] does; required.memory is the job's
#   memory, as "requested" has it; no time limit and a limit that is the partition's differ, as in sacct; nodes is empty.
# Seen: array.task is a bit mask in hexadecimal digits, "0x10000000000000007", bit n for task n, of any length, and task_id null.
#   required.memory is 100 of --mem-per-cpu=100 with four processors and of --mem=100 alike, 0 of what is not asked for; tres has the
#   sum. limit is null of --time=UNLIMITED and where there is no --time. nodes is the text "None assigned", as if it were
#   a node, and reservation.name the number 0.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd and slurmctld on a socket and ports 29933 and 29934 of this
# host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmctld=$v slurmdbd=$v slurm-wlm-mysql-plugin=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
export MYSQL_UNIX_PORT=$PWD/sock # no port for MariaDB
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29933
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
	SlurmctldPort=29934
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29933
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8 State=DOWN
	PartitionName=p Nodes=ALL Default=YES State=UP
	PartitionName=short Nodes=ALL State=UP MaxTime=60
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
slurmctld -D -c >out 2>&1 &
up() { scontrol ping | grep -q UP; }
wait_for up
sacctmgr -i -Q add account a >/dev/null
sacctmgr -i -Q add user root account=a >/dev/null
submit() { sbatch --parsable --output=/dev/null --chdir=/ --hold --wrap=true "$@"; }
submit --array=0-2,64%2 --mem=100 >ids
submit --ntasks=4 --mem-per-cpu=100 --time=UNLIMITED >>ids
submit --partition=short >>ids
ids=$(paste -s -d, ids)
known() { [[ $(sacct -X -n -P -j "$ids" -o JobID,State | grep -c PENDING) == 3 ]]; }
wait_for known
seen=$(
	sacct -X -n -P -j "$ids" -o JobID,ReqTRES,Timelimit
	sacct -X -j "$ids" --json >jobs.json
	PYTHONHOME=$PWD/root/usr root/usr/bin/python3.11 - <<-'END'
		import json
		for j in json.load(open("jobs.json"))["jobs"]:
		    mem = [t["count"] for t in j["tres"]["requested"] if t["type"] == "mem"]
		    print(j["job_id"], "task", j["array"]["task"], "id", j["array"]["task_id"], "memory", j["required"]["memory"], "of", mem,
		          "limit", j["time"]["limit"], "nodes", j["nodes"], "reservation", repr(j["reservation"]["name"]))
	END
)
wanted='2|billing=4,cpu=4,mem=400M,node=1|UNLIMITED
3|billing=1,cpu=1,mem=1M,node=1|Partition_Limit
1_[0-2,64%2]|billing=1,cpu=1,mem=100M,node=1|Partition_Limit
1 task 0x10000000000000007 id None memory 100 of [100] limit None nodes None assigned reservation 0
2 task None id None memory 100 of [400] limit None nodes None assigned reservation 0
3 task None id None memory 0 of [1] limit None nodes None assigned reservation 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
