#!/usr/bin/env bash
# Version: sinfo, sbatch and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: "PartitionName=short,long …" in slurm.conf makes two partitions that are alike, and "PartitionName=gpu[1-2]" two more,
#   as "NodeName=n[1-3]" makes three nodes; or it is refused. Two lines with Default=YES are refused, or the first one counts;
#   so is "Nodes=" twice in one line.
# Seen: it makes one partition that is called "short,long", with no word in the log; a job for "short" is refused, and one
#   for "short,long" is not in two partitions but in that one. "gpu[1-2]" is one, too. Of two defaults the last one
#   counts, and of two "Nodes=" in one line, without a word: jobs without --partition go elsewhere once a line is added.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29910 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
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
	SlurmctldPort=29910
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
	NodeName=n[1-3] NodeAddr=127.0.0.1 CPUs=16
	PartitionName=short,long Nodes=n1
	PartitionName=gpu[1-2] Nodes=n2
	PartitionName=one Nodes=n1 Default=YES
	PartitionName=two Nodes=n1 Nodes=n3 Default=YES
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
wait_for scontrol ping
submit() { sbatch --parsable --hold --output=/dev/null --chdir=/ --wrap=true "$@" 2>said || grep -o 'failed: .*' said; }
to() { squeue -h -j "$(submit "$@")" -o %P 2>/dev/null || grep -o 'failed: .*' said; }
seen="$(sinfo -h -o '%R of %N' | sort)
to short: $(to --partition=short)
to short,long: $(to --partition=short,long)
to gpu1: $(to --partition=gpu1)
to gpu[1-2]: $(to '--partition=gpu[1-2]')
to none: $(to)
errors of partitions in the log: $(grep -cE 'error.*(artition|efault|short|gpu)' log || true)"
wanted='gpu[1-2] of n2
one of n1
short,long of n1
two of n3
to short: failed: Invalid partition name specified
to short,long: short,long
to gpu1: failed: Invalid partition name specified
to gpu[1-2]: gpu[1-2]
to none: two
errors of partitions in the log: 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
