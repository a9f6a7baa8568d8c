#!/usr/bin/env bash
# Version: squeue, scontrol, sbatch and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: "squeue --array --sort=-i" lists all waiting tasks by number from the last to the first, the opposite of --sort=i.
# Seen: the arrays come from the last to the first, and within each the tasks that wait unchanged from the first to the last, as they
#   are one record. A task that left it, as by "scontrol update" of its nice value, or as it starts, is sorted by itself, and the
#   others as one that is behind it: of 1 to 4, of which 2 was changed, the order is 1, 3, 4, 2 downwards and 2, 1, 3, 4
#   upwards. Neither is sorted by number.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29407 of this host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29407
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29408 CPUs=8
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
slurmctld-wlm -D -c >out 2>&1 &
up() { scontrol ping | grep -q UP; }
wait_for up
submit() { sbatch --parsable --hold --output=/dev/null --chdir=/ "$@" --wrap=true; }
show() { echo "$1: downwards $(squeue -h -r --sort=-i -o %i | xargs), upwards $(squeue -h -r --sort=i -o %i | xargs)"; }
seen=$(
	a=$(submit --array=1-4)
	b=$(submit --array=1-3)
	show waiting
	scontrol update JobId="${a}_2" Nice=5
	show "nice value of ${a}_2"
	scontrol update JobId="${b}_3" Nice=5
	show "nice value of ${b}_3"
	for task in 1 2; do scontrol update JobId="${b}_$task" Nice=5; done
	show "nice value of each of $b"
)
wanted='waiting: downwards 2_1 2_2 2_3 1_1 1_2 1_3 1_4, upwards 1_1 1_2 1_3 1_4 2_1 2_2 2_3
nice value of 1_2: downwards 2_1 2_2 2_3 1_1 1_3 1_4 1_2, upwards 1_2 1_1 1_3 1_4 2_1 2_2 2_3
nice value of 2_3: downwards 2_1 2_2 2_3 1_1 1_3 1_4 1_2, upwards 1_2 1_1 1_3 1_4 2_3 2_1 2_2
nice value of each of 2: downwards 2_3 2_2 2_1 1_1 1_3 1_4 1_2, upwards 1_2 1_1 1_3 1_4 2_1 2_2 2_3'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
