#!/usr/bin/env bash
# Version: slurmctld 22.05.8-4+deb12u3 with job_submit/lua, liblua5.1-0 5.1.5-9 (Debian 12).
# Guess: in job_submit.lua job_desc.nice is what --nice says, 5 of --nice=5 and nil or 0 without, and
#   "job_desc.nice = 5" gives the job a nice value of 5.
# Seen: it is 2147483653 of --nice=5, 4294967294 without; and what is written is taken as it is, so 5
#   gives a nice value of -2147483643, which is nearly the best that there is. 2^31 + 5 gives 5.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29806 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 liblua5.1-0=5.1.5-9 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state
cat >job_submit.lua <<-END
	function slurm_job_submit(job, partitions, user)
	  if job.name == "write5" then
	    job.nice = 5
	  elseif job.name == "write5+2^31" then
	    job.nice = 2^31 + 5
	  else
	    local file = io.open("$PWD/read", "a")
	    file:write(job.name, ": job_desc.nice ", tostring(job.nice), "\n")
	    file:close()
	  end
	  return slurm.SUCCESS
	end
	function slurm_job_modify(job, record, partitions, user)
	  return slurm.SUCCESS
	end
	return slurm.SUCCESS
END
cat >slurm.conf <<-END
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29806
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	JobSubmitPlugins=lua
	PriorityType=priority/basic
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29807 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP
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
submit() { # NAME [OPTION]
	sbatch --output=/dev/null --chdir=/ --begin=now+1hour --job-name="$1" "${@:2}" --wrap='exit 0' >/dev/null
}
submit read
submit read5 --nice=5
submit write5
submit write5+2^31
seen=$(
	cat read
	squeue -h --sort=i -o '%j: nice %y'
)
wanted='read: job_desc.nice 4294967294
read5: job_desc.nice 2147483653
read: nice 0
read5: nice 5
write5: nice -2147483643
write5+2^31: nice 5'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
