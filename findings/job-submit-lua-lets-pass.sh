#!/usr/bin/env bash
# Version: slurmctld 22.05.8-4+deb12u3 with job_submit/lua, liblua5.1-0 5.1.5-9 (Debian 12).
# Guess: a job_submit.lua that fails, as it adds to nil or writes a text where a number belongs, refuses the job: what it is
#   there to forbid does not get in. What it returns counts as in a shell, where false, -1 or a text is no success, and a
#   name that job_desc does not have is an error.
# Seen: the job is taken, as the script left it when it failed, and only slurmctld's log tells. It is taken too if the
#   function returns nothing, nil, false or a text; what refuses is a number but 0. job_desc.time_limt = 60 is no error
#   either, and time_limit = -5 is a limit of 8000 years.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29780 of this host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 liblua5.1-0=5.1.5-9 2>warnings
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
	SlurmctldPort=29780
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	JobSubmitPlugins=lua
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29781 CPUs=16
	PartitionName=p Nodes=ALL Default=YES State=UP
END
cat >job_submit.lua <<-'END'
	function slurm_job_submit(job, partitions, user)
	  local case = job.name
	  if case == "adds to nil" then
	    job.comment = "seen"
	    job.time_limit = nil + 1
	  elseif case == "a text for a number" then
	    job.time_limit = "1:30:00"
	  elseif case == "nil for a text" then
	    job.partition = nil
	  elseif case == "a name that is not there" then
	    job.time_limt = 60
	  elseif case == "a limit of -5" then
	    job.time_limit = -5
	  elseif case == "returns nothing" then
	    return
	  elseif case == "returns false" then
	    return false
	  elseif case == "returns a text" then
	    return "no"
	  elseif case == "returns -1" then
	    return -1
	  end
	  return slurm.SUCCESS
	end
	function slurm_job_modify(job, record, partitions, user)
	  return slurm.SUCCESS
	end
	return slurm.SUCCESS
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
try() { # CASE
	local id
	if id=$(submit --hold --job-name="$1" --wrap=true 2>said); then
		echo "$1: taken, $(scontrol show job "$id" | grep -oE '(TimeLimit|Comment)=.*' | sed 's/ .*//' | xargs)"
	else
		echo "$1: refused"
	fi
}
seen=$(
	for case in 'adds to nil' 'a text for a number' 'nil for a text' 'a name that is not there' 'a limit of -5' \
		'returns nothing' 'returns false' 'returns a text' 'returns -1'; do
		try "$case"
	done
	grep -c 'attempt to perform arithmetic' log
)
wanted='adds to nil: taken, TimeLimit=UNLIMITED Comment=seen
a text for a number: taken, TimeLimit=UNLIMITED
nil for a text: taken, TimeLimit=UNLIMITED
a name that is not there: taken, TimeLimit=UNLIMITED
a limit of -5: taken, TimeLimit=2982616-04:11:00
returns nothing: taken, TimeLimit=UNLIMITED
returns false: taken, TimeLimit=UNLIMITED
returns a text: taken, TimeLimit=UNLIMITED
returns -1: refused
1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
