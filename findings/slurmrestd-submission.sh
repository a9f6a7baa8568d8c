#!/usr/bin/env bash
# Version: slurmrestd and slurmctld 22.05.8-4+deb12u3 (Debian 12), openapi/v0.0.38, rest_auth/local.
# Guess: POST /slurm/v0.0.38/job/submit takes what its own OpenAPI document says: "begin_time" as an integer of 64 bits,
#   that is seconds since 1970, as GET prints it. An answer with errors means that no job was submitted. A job that is
#   not there is 404.
# Seen: it refuses every integer ("Unable to parse time"), and takes the words of sbatch, "now+1hour". With "hold": true
#   it submits the job, and its answer has an error beside the id, so who goes by "errors" and tries again has it twice.
#   A job that is not there is 500.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29870 of this host, and slurmrestd as nobody
# on a socket, for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 \
	slurmrestd=$v libhttp-parser2.9 libjson-c5 libyaml-0-2 2>warnings
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
	SlurmctldPort=29870
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29869 CPUs=16
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
mkdir rest
chown nobody rest
runuser -u nobody -- slurmrestd -s openapi/v0.0.38 -a rest_auth/local "unix:$PWD/rest/socket" >out-rest 2>&1 &
wait_for test -S rest/socket
# ask METHOD PATH [BODY] prints the answer.
ask() {
	# shellcheck disable=SC2016 # Perl's
	perl -MIO::Socket::UNIX -e '
		my ($socket, $method, $path, $body) = (@ARGV, "");
		my $s = IO::Socket::UNIX->new(Peer => $socket) or die $!;
		print $s "$method $path HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " .
			length($body) . "\r\nConnection: close\r\n\r\n$body";
		$s->flush;
		print while <$s>;' rest/socket "$@" | tr -d '\r'
}
short() { sed -n 's/^HTTP\/1.1 \([0-9]*\).*/\1/p; s/.*"error": *"\(..*\)".*/\1/p; s/.*"job_id": *\([1-9].*\),/job \1/p' | paste -sd ';'; }
submit() { # KEYS
	local environment='"environment": {"PATH": "/bin"}'
	ask POST /slurm/v0.0.38/job/submit "{\"script\": \"#!/bin/sh\\ntrue\", \"job\": {$environment, \"current_working_directory\": \"/\"$1}}" | short
}
seen=$(
	echo "by the document: $(ask GET /openapi/v3 | tr -d ' \n' | grep -oE '"v0.0.38_job_properties".*' | grep -oE '"begin_time":\{"type":"[a-z]*"' | head -n 1)"
	echo "begin_time an integer: $(submit ', "begin_time": 4000000000')"
	echo "begin_time in words: $(submit ', "begin_time": "now+1hour"' | grep -oE '^200|job 1' | xargs)"
	echo "hold: $(submit ', "hold": true')"
	echo "not there: $(ask GET /slurm/v0.0.38/job/99999 | short)"
	echo "the queue: $(squeue -h --sort=i -o %i | xargs)"
)
wanted='by the document: "begin_time":{"type":"integer"
begin_time an integer: 400;Unable to parse time;Unspecified error;Failure during parsing
begin_time in words: 200 job 1
hold: 200;Job is in held state, pending scheduler release;job 2
not there: 500;Invalid job id specified
the queue: 1 2'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
