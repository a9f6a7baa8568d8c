#!/usr/bin/env bash
# Version: sprio, slurmctld and slurmd 22.05.8-4+deb12u3, priority/multifactor, select/cons_tres (Debian 12).
# Guess: the job size factor is the share of the machine that a job asks for: with a weight of 1000 one of 16 processors has
#   62, eight have 500; with PriorityFavorSmall=YES it is 1000 less that; with SMALL_RELATIVE_TO_TIME longer jobs have less.
# Seen: half of it is processors, and half nodes, as many as were asked for: on two nodes of 8 one processor has 281, all of one node
#   500, two processors on two nodes more, 562, and all 16, without --nodes, 750. SMALL_RELATIVE_TO_TIME takes the greater of
#   the two, divided by the minutes: one processor of a node and all of them have 8 of an hour, and nothing without a time limit. With
#   PriorityFavorSmall=YES beside it these come first: 1000 without a limit, 999 of ten hours, 992 of one.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld, three times, on port 29899 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29899
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	PriorityType=priority/multifactor
	PriorityWeightJobSize=1000
	NodeName=n[1-2] NodeAddr=127.0.0.1 CPUs=8 State=DOWN
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
slurmctld -D -c >out 2>&1 &
up() { scontrol ping | grep -q UP; }
wait_for up
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap=true "$@" >/dev/null; }
look() { # WHAT
	submit --job-name=one --ntasks=1 --time=60
	submit --job-name=node --ntasks=8 --nodes=1 --time=60
	submit --job-name=two --ntasks=2 --nodes=2 --time=60
	submit --job-name=all --ntasks=16 --time=60
	submit --job-name=long --ntasks=1 --time=600
	submit --job-name=unlimited --ntasks=1
	sleep 3
	echo "$1: $(join <(squeue -h -o '%i %j' | sort) <(sprio -h -o '%i %J' | sort) | sort -n | cut -d' ' -f 2- | sed -E 's/ 0\.0*/ 0./' | paste -s -d, | sed 's/,/, /g')"
	scancel --user=root
}
again() { # LINE OF slurm.conf
	echo "$1" >>slurm.conf
	kill "$(<pid)"
	wait %1 2>/dev/null || true
	slurmctld -D -c >out 2>&1 &
	sleep 1
	wait_for up
}
seen=$(look stock)
again PriorityFavorSmall=YES
seen+="
$(look FavorSmall)"
again PriorityFlags=SMALL_RELATIVE_TO_TIME
seen+="
$(look 'both')"
sed -i /FavorSmall/d slurm.conf
again ''
seen+="
$(look SMALL_RELATIVE_TO_TIME)"
wanted='stock: one 281, node 500, two 562, all 750, long 281, unlimited 281
FavorSmall: one 719, node 500, two 438, all 250, long 719, unlimited 719
both: one 992, node 992, two 983, all 983, long 999, unlimited 1000
SMALL_RELATIVE_TO_TIME: one 8, node 8, two 17, all 17, long 1, unlimited 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
