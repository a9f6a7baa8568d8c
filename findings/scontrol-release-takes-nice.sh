#!/usr/bin/env bash
# Version: scontrol and slurmctld 22.05.8-4+deb12u3 (Debian 12), priority/multifactor and priority/basic.
# Guess: "scontrol release" of a job that is not held does nothing. Of one that is held it gives the priority back
#   that follows from what was asked for, its --nice included.
# Seen: of a job that is not held it sets the nice value to 0, whoever set it: so "scontrol release" of a list of
#   jobs "to be sure" moves those up that were submitted with --nice=50. Held jobs keep it.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld twice on port 29852 of this host for some
# seconds, as root.
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
	SlurmctldPort=29852
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
	PriorityType=priority/multifactor
	NodeName=n1 NodeAddr=127.0.0.1 Port=29853 CPUs=16
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
tries() { # PLUGIN
	local free held
	free=$(sbatch --parsable --nice=50 --output=/dev/null --chdir=/ --wrap=true)
	held=$(sbatch --parsable --nice=50 --hold --output=/dev/null --chdir=/ --wrap=true)
	before=$(squeue -h -j "$free" -o %y)
	scontrol release "$free" "$held"
	echo "$1: not held $before, released $(squeue -h -j "$free" -o %y); held, released $(squeue -h -j "$held" -o %y)"
}
seen=$(tries multifactor)
kill %1
wait
sed -i 's/multifactor/basic/' slurm.conf
slurmctld-wlm -D -c >out 2>&1 &
wait_for up
seen+="
$(tries basic)"
wanted='multifactor: not held 50, released 0; held, released 50
basic: not held 50, released 0; held, released 50'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
