#!/usr/bin/env bash
# Version: sacctmgr and slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: sacctmgr reads GrpTRES=mem=1.5G as 1536 MB and mem=500K as 1 MB, or refuses them, as sbatch refuses --mem=1.5G; of
#   Fairshare=1.5, Priority=1e3 and Priority=-5 it takes what they say, or refuses them.
# Seen: it reads a number up to what is no digit, does what that says and ends with 0. With mem=1.5G the limit is 1 MB, so no
#   job of the account starts any more; there is a message beside it ("Invalid unit type '.'"). K counts for nothing: mem=500K
#   is 500 MB, without a word. 1e3 is 1, and Priority=-5 is 0. G, T and k after whole numbers are read, also of nodes.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB and slurmdbd on ports 29760 and 29761 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurmdbd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 libreadline8 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir data
cat >slurmdbd.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	DbdHost=localhost
	DbdPort=29761
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29760
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
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29761
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29760 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
sacctmgr -i -Q add account a cluster=c >/dev/null
seen=$(
	for limit in cpu=1.5 cpu=1e3 mem=1.5G mem=500K mem=2G mem=2T node=2k; do
		sacctmgr -i modify account a set GrpTRES=cpu=-1,mem=-1,node=-1 >/dev/null
		sacctmgr -i modify account a set "GrpTRES=$limit" >/dev/null || echo refused
		echo "GrpTRES=$limit: $(sacctmgr -n -P show associations account=a format=GrpTRES)"
	done
	for share in 1.5 10x; do
		sacctmgr -i modify account a set "Fairshare=$share" >/dev/null || echo refused
		echo "Fairshare=$share: $(sacctmgr -n -P show associations account=a format=Share)"
	done
	for priority in 7.9 1e3 -5; do
		sacctmgr -i modify qos normal set "Priority=$priority" >/dev/null || echo refused
		echo "Priority=$priority: $(sacctmgr -n -P show qos normal format=Priority)"
	done
)
wanted='GrpTRES=cpu=1.5: cpu=1
GrpTRES=cpu=1e3: cpu=1
GrpTRES=mem=1.5G: mem=1M
GrpTRES=mem=500K: mem=500M
GrpTRES=mem=2G: mem=2G
GrpTRES=mem=2T: mem=2T
GrpTRES=node=2k: node=2048
Fairshare=1.5: 1
Fairshare=10x: 10
Priority=7.9: 7
Priority=1e3: 1
Priority=-5: 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
