#!/usr/bin/env bash
# Version: scontrol, sbatch and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: --nice of sbatch and Nice= of scontrol take whole numbers and refuse 5x, 1.5, ten and nothing, as --ntasks and --time
#   do; Nice=+5 adds five, as TimeLimit=+5 adds five minutes.
# Seen: both read as far as there are digits: 5x is 5, 1.5 and 1e3 are 1, ten, 0x10 and nothing are 0, and none is an error, so
#   a mistyped value takes a job's nice value away. Nice without "=" is 100, as --nice alone is, and so is --nice=; +5 is 5. A value
#   out of range alone is one, and leaves the job as it is.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29946 of this host for some seconds, as root.
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
	SlurmctldPort=29946
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29947 CPUs=8
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap=true --hold "$@" 2>/dev/null; }
job=$(submit)
seen=$(
	for value in =5x =1.5 =1e3 =0x10 =ten = '' =+5 =3000000000; do
		scontrol update "JobId=$job" Nice=50
		code=0
		scontrol update "JobId=$job" "Nice$value" 2>/dev/null || code=$?
		echo "Nice$value: $(squeue -h -j "$job" -o %y), code $code"
	done
	for value in 5x 1.5 ten ''; do
		id=$(submit --nice="$value")
		echo "--nice=$value: $(squeue -h -j "$id" -o %y)"
	done
	for option in --ntasks=5x --ntasks=ten --time=5x; do
		submit "$option" || echo "$option: code $?"
	done
)
wanted='Nice=5x: 5, code 0
Nice=1.5: 1, code 0
Nice=1e3: 1, code 0
Nice=0x10: 0, code 0
Nice=ten: 0, code 0
Nice=: 0, code 0
Nice: 100, code 0
Nice=+5: 5, code 0
Nice=3000000000: 50, code 1
--nice=5x: 5
--nice=1.5: 1
--nice=ten: 0
--nice=: 100
--ntasks=5x: code 1
--ntasks=ten: code 1
--time=5x: code 255'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
