#!/usr/bin/env bash
# Version: squeue and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: the number in "squeue -o %5i" is the least width of the field, as in printf and as squeue's manual says
#   ("minimum field size"): a longer value is shown whole. With -O there is a space between two fields.
# Seen: it is the greatest width too: of job 123456 it shows 12345, the id of another job, without a mark of the
#   cut. -O cuts at 20 characters where nothing is said, and the next field follows without a space.
#   "%i" and "-O Name:40" have the whole.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29845 of this host for some
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
	SlurmctldPort=29845
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
	FirstJobId=123456
	NodeName=n1 NodeAddr=127.0.0.1 Port=29846 CPUs=16
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }

submit --hold --job-name=name-of-28-characters-in-all --wrap=true >/dev/null
seen=$(
	for format in %i %5i %.5i; do echo "-o $format: $(squeue -h -o "$format")"; done
	for format in JobID:5,Name:8 Name,JobID Name:40,JobID; do echo "-O $format: $(squeue -h -O "$format" | sed 's/ *$//')"; done
)
wanted='-o %i: 123456
-o %5i: 12345
-o %.5i: 12345
-O JobID:5,Name:8: 12345name-of-
-O Name,JobID: name-of-28-character123456
-O Name:40,JobID: name-of-28-characters-in-all            123456'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
