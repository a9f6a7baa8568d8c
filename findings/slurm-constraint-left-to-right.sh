#!/usr/bin/env bash
# Versions: sbatch and slurmctld 22.05.8-4+deb12u3, genders 1.22-1+b5 (Debian 12).
# Guess: in "--constraint=c|a&b", and in "nodeattr -q 'c||a&&b'", and binds tighter than or, as in most
#   languages: the nodes with c, and those with a and b.
# Seen: both go from left to right: "(c|a)&b", which are the nodes with b and one of the two. With the and in
#   front, or in parentheses that nodeattr has too, it is what one means. And a count is no filter:
#   "--constraint=a*1" takes as many nodes as asked for, of which one has a.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29835 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 \
	genders=1.22-1+b5 libgenders0=1.22-1+b5 2>warnings
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
	SlurmctldPort=29835
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
	SuspendProgram=/bin/true
	ResumeProgram=/bin/true
	SuspendTime=60
	NodeName=DEFAULT CPUs=16 State=CLOUD
	NodeName=n1 Feature=a
	NodeName=n2 Feature=b
	NodeName=n3 Feature=c
	NodeName=n4 Feature=a,c
	NodeName=n5 Feature=b,c
	NodeName=n6 Feature=a,b
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
takes() { # CONSTRAINT: the nodes that it lets a job have
	local n all=''
	for n in n1 n2 n3 n4 n5 n6; do
		! sbatch --test-only --chdir=/ --nodelist="$n" --constraint="$1" --wrap=true 2>&1 | grep -q 'to start' || all+=" $n"
	done
	echo "Slurm $1:$all"
}
cat >genders <<-END
	n1,n4,n6 a
	n2,n5,n6 b
	n3,n4,n5 c
END
asks() { echo "genders $1: $(nodeattr -f genders -q "$1")"; }
seen=$(
	takes 'c|a&b'
	takes 'c|(a&b)'
	takes 'a&b|c'
	asks 'c||a&&b'
	asks 'c||(a&&b)'
	asks 'a&&b||c'
	for constraint in 'a' 'a*1'; do
		sbatch --test-only --chdir=/ --nodes=4 --exclusive --constraint="$constraint" --wrap=true 2>&1 |
			sed "s/.*on nodes \(.*\) in.*/four with $constraint: \1/; s/.*failure/four with $constraint/"
	done
)
wanted='Slurm c|a&b: n5 n6
Slurm c|(a&b): n3 n4 n5 n6
Slurm a&b|c: n3 n4 n5 n6
genders c||a&&b: n[5-6]
genders c||(a&&b): n[3-6]
genders a&&b||c: n[3-6]
four with a: Requested node configuration is not available
four with a*1: n[1-4]'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
