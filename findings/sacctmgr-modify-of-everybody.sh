#!/usr/bin/env bash
# Version: sacctmgr and slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sacctmgr modify user set Fairshare=5" without "where" is refused, as it says of nobody whose; its manual gives the
#   form "modify ENTITY where SPECS set SPECS".
# Seen: it is done for all users in all accounts, root included, and "modify account set" for all accounts, the root of the tree
#   included; with "-i", as scripts have it, nothing is asked. "delete user" without anything is refused.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB and slurmdbd on ports 29949 and
# 29950 of this host for some seconds, as root.
# The host has Slurm of that version installed: its slurmdbd runs.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3 m=1:10.11.19-0+deb12u1
apt-get -qq download slurm-client=$v slurm-wlm-basic-plugins=$v slurmdbd=$v slurm-wlm-mysql-plugin=$v libmunge2 libhwloc15 \
	mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
export LD_LIBRARY_PATH=$lib:${lib%/*} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir data
common="AuthType=auth/none
SlurmUser=root
PluginDir=$lib"
cat >slurmdbd.conf <<-END
	$common
	DbdHost=localhost
	DbdPort=29949
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=29950
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
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=localhost
	AccountingStoragePort=29949
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
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/sock" --bind-address=127.0.0.1 --port=29950 >out-maria 2>&1 &
wait_for mariadb --no-defaults --socket="$PWD/sock" -u root -e 'select 1'
mariadb --no-defaults --socket="$PWD/sock" -u root -e "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'; grant all on *.* to slurm@localhost"
slurmdbd -D >out-db 2>&1 &
wait_for sacctmgr -n show cluster
sacctmgr -i -Q add cluster c >/dev/null
sacctmgr -i -Q add account one >/dev/null
sacctmgr -i -Q add user ann account=one >/dev/null
sacctmgr -i -Q add user bob account=one >/dev/null
shares() { sacctmgr -n -P show associations format=Account,User,Share | sort | paste -sd' '; }
seen=$(
	echo "before: $(shares)"
	sacctmgr -i -Q modify user set Fairshare=5 >/dev/null
	echo "modify user: code $?, $(shares)"
	sacctmgr -i -Q modify account set Fairshare=7 >/dev/null
	echo "modify account: code $?, $(shares)"
	sacctmgr -i delete user 2>&1 || echo "delete user: code $?"
)
wanted='before: one|ann|1 one|bob|1 one||1 root|root|1 root||1
modify user: code 0, one|ann|5 one|bob|5 one||1 root|root|5 root||1
modify account: code 0, one|ann|5 one|bob|5 one||7 root|root|5 root||7
 No conditions given to remove, not executing.
delete user: code 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
