#!/usr/bin/env bash
# Version: squeue, scancel and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: "squeue --name=sim" shows the jobs that are called sim, and "scancel --name=sim" cancels those that it shows; what
#   differs in the case alone is another name, as for partitions, nodes and files.
# Seen: squeue shows those called Sim and SIM, too, as it compares without regard to case, and so does --account; scancel cancels
#   sim alone. --partition wants the case as it is, and for any other one squeue's list is empty. Who counts a run's jobs by
#   name counts those of another run, and a list that scancel has emptied is not empty for squeue, so a loop that waits for
#   that never ends.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29700 of this host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29700
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8 State=DOWN
	PartitionName=long Nodes=ALL Default=YES State=UP
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
for name in sim Sim SIM sim2; do
	sbatch --parsable --output=/dev/null --chdir=/ --hold --job-name="$name" --account=Physics --wrap=true >/dev/null 2>&1
done
list() { squeue -h --sort=i -o %j "$@" | paste -sd, | sed 's/^$/none/'; }
gone() { [[ $(squeue -h -t PENDING | wc -l) -lt 4 ]]; }
seen=$(
	echo "squeue --name=sim: $(list --name=sim)"
	echo "squeue --name=SIM: $(list --name=SIM)"
	echo "squeue --account=physics: $(list --account=physics)"
	echo "squeue --partition=long: $(list --partition=long)"
	echo "squeue --partition=Long: $(list --partition=Long)"
	scancel --name=sim
	wait_for gone
	echo "after scancel --name=sim: $(list --name=sim)"
)
wanted='squeue --name=sim: sim,Sim,SIM
squeue --name=SIM: sim,Sim,SIM
squeue --account=physics: sim,Sim,SIM,sim2
squeue --partition=long: sim,Sim,SIM,sim2
squeue --partition=Long: none
after scancel --name=sim: Sim,SIM'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
