#!/usr/bin/env bash
# Version: sacct, slurmdbd, slurmctld and slurmd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12),
#   jobacct_gather/linux.
# Guess: "sacct --noconvert" prints all sizes as plain numbers of bytes, and --units=M all in MB; without either a size has its
#   unit beside it.
# Seen: with --noconvert MaxRSS is in bytes, while MaxDiskRead stays in MB ("0.04M") and ReqMem as it was asked for ("64M"). In
#   TRESUsageInMax without options mem has its K, and fs/disk, beside it, is in bytes without a unit; with --units=G each has
#   a G, the number of page faults too: 0.00G of pages. Who adds columns up has to know each one.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB, slurmdbd, slurmctld and slurmd on ports 29916 to 29919 of this
# host for some seconds, as root.
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
	DbdPort=29916
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29917
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
	SlurmctldPort=29918
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29916
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	JobAcctGatherType=jobacct_gather/linux
	JobAcctGatherFrequency=1
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29919 CPUs=16 RealMemory=1000
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29917 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
# The job has some 40 MB in memory, and has read 80 MB from a file.
head -c 80000000 /dev/zero >zeros
chmod 644 zeros
# shellcheck disable=SC2016 # for perl
id=$(sbatch --parsable --output=/dev/null --chdir=/ --mem=64 --wrap="perl -e 'open F, shift; while (sysread F, \$b, 1000000) {}; \$m = \"x\" x 40000000; sleep 4' $PWD/zeros")
told() { [[ $(sacct -n -P -j "$id.batch" -o MaxRSS) == *K ]]; }
wait_for told
plain() { sed -E 's/[0-9]+\.[0-9]+/N.N/g; s/\b[0-9]{5,}/N/g; s/pages=[0-9]+/pages=N/'; }
show() { sacct -n -P -j "$id.batch" "$@" | plain | sed -E 's/.*(fs\/disk=[^,]*).*(mem=[^,]*).*(pages=[^,]*).*/\1 \2 \3/'; }
seen="nothing: $(show -o MaxRSS,MaxDiskRead), ReqMem $(sacct -X -n -P -j "$id" -o ReqMem)
--noconvert: $(show --noconvert -o MaxRSS,MaxDiskRead), ReqMem $(sacct -X -n -P --noconvert -j "$id" -o ReqMem)
--units=K: $(show --units=K -o MaxRSS,MaxDiskRead), ReqMem $(sacct -X -n -P --units=K -j "$id" -o ReqMem)
TRESUsageInMax: $(show -o TRESUsageInMax)
--noconvert: $(show --noconvert -o TRESUsageInMax)
--units=G: $(show --units=G -o TRESUsageInMax)"
wanted='nothing: NK|N.NM, ReqMem 64M
--noconvert: N|N.NM, ReqMem 64M
--units=K: NK|N.NK, ReqMem 65536K
TRESUsageInMax: fs/disk=N mem=NK pages=N
--noconvert: fs/disk=N mem=N pages=N
--units=G: fs/disk=N.NG mem=N.NG pages=N.NG'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
