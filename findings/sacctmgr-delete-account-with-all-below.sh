#!/usr/bin/env bash
# Version: sacctmgr and slurmdbd 22.05.8-4+deb12u3, MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: "sacctmgr delete account" of one that has accounts below it is refused, as rmdir is of a folder that is not empty, or moves them
#   up; or at least it names what it takes away.
# Seen: it takes away the associations of all that is below it, users and accounts of accounts, and names the one account alone. The
#   accounts below it are still in "show account", and in no tree, so nobody is in them; their users are still in "show user",
#   without a default account, and with AccountingStorageEnforce submit nothing any more. Adding the account anew
#   brings back none of that.
# Ends with 0 if that is still so, 1 if not. Runs MariaDB and slurmdbd on a socket and port 29766 of this host for some
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
	DbdPort=29766
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
	AccountingStoragePort=29766
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
sacctmgr -i -Q add account physics >/dev/null
sacctmgr -i -Q add account optics,plasma parent=physics >/dev/null
sacctmgr -i -Q add account lasers parent=optics >/dev/null
sacctmgr -i -Q add user bin account=lasers >/dev/null
sacctmgr -i -Q add user daemon account=plasma >/dev/null
show() { echo "$1: $(sacctmgr -n -P show associations format=account,user | grep -v root | sort | xargs)"; }
seen="$(show before)
$(sacctmgr -i delete account physics | xargs)
$(show after)
accounts: $(sacctmgr -n -P show account format=account | sort | xargs)
users: $(sacctmgr -n -P show user format=user,defaultaccount | grep -v root | sort | xargs)"
sacctmgr -i -Q add account physics >/dev/null
seen+="
$(show again)"
wanted='before: lasers| lasers|bin optics| physics| plasma| plasma|daemon
Deleting accounts... physics
after: 
accounts: lasers optics plasma root
users: bin| daemon|
again: physics|'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
