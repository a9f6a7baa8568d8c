#!/usr/bin/env bash
# Version: slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: "CPUs=" of a node in slurm.conf is how many processors it gives to jobs, so a smaller
#   number than the machine has sets some aside.
# Seen: beside Sockets, CoresPerSocket and ThreadsPerCore it must be the number of sockets,
#   cores or threads. For any other one slurmctld logs an error, starts all the same, and
#   takes all threads: of CPUs=4 it makes 32, where CPUs=16, the number of cores, stays 16.
#   CoreSpecCount=2 sets 4 threads aside: CPUTot stays 32, CPUEfctv is 28.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29871 of this host for
# some seconds, as whoever starts it.
set -euo pipefail
tmp=$(mktemp -d)
daemon=''
trap '[[ ! $daemon ]] || kill "$daemon" || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download slurmctld=22.05.8-4+deb12u3 slurm-client=22.05.8-4+deb12u3 \
	slurm-wlm-basic-plugins=22.05.8-4+deb12u3 libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state
cat >slurm.conf <<-END
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29871
	SlurmdPort=29872
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=$(id -un)
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	SlurmdParameters=config_overrides
	ProctrackType=proctrack/linuxproc
	MpiDefault=none
	NodeName=other CPUs=4 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 NodeAddr=127.0.0.1
	NodeName=cores CPUs=16 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 NodeAddr=127.0.0.1
	NodeName=spec CPUs=32 CoreSpecCount=2 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 NodeAddr=127.0.0.1
	PartitionName=p Nodes=ALL Default=YES
END
slurmctld-wlm -D -c >out 2>&1 &
daemon=$!
for _ in $(seq 60); do
	if scontrol ping 2>/dev/null | grep -q 'is UP'; then
		break
	fi
	sleep 1
done
seen=$(scontrol -o show node 2>/dev/null | sed -n 's/^NodeName=\([a-z]*\) .*\(CPUEfctv=[0-9]*\) \(CPUTot=[0-9]*\) .*/\1 \3 \2/p')
wanted='cores CPUTot=16 CPUEfctv=16
other CPUTot=32 CPUEfctv=32
spec CPUTot=32 CPUEfctv=28'
echo "$seen"
if [[ $(sort <<<"$seen") != "$wanted" ]] || ! grep -q 'CPUs=4 match no Sockets' log out; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
