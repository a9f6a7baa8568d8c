#!/usr/bin/env bash
# Version: slurmrestd 22.05.8-4+deb12u3 and slurmctld of that version (Debian 12).
# Guess: a client that asks with "Connection: close" may read the answer until the connection ends, as with any server: what
#   stands behind the empty line is the body, and the body is JSON.
# Seen: slurmrestd sends the line "Connection: Close" behind the body, outside of what Content-Length counts, so that such a
#   client gets JSON with 19 characters too many, which no parser takes. Without the header, or reading what
#   Content-Length says, the answer is as it should be.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29956 of this host, and slurmrestd as nobody
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
	SlurmctldPort=29956
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29957 CPUs=16
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
# ask HEADER prints the answer, read until the connection ends, or for a second.
ask() {
	# shellcheck disable=SC2016 # Perl's
	perl -MIO::Socket::UNIX -MIO::Select -e '
		my ($socket, $header) = @ARGV;
		my $s = IO::Socket::UNIX->new(Peer => $socket) or die $!;
		print $s "GET /slurm/v0.0.38/ping HTTP/1.1\r\nHost: localhost\r\n$header\r\n";
		$s->flush;
		my $ready = IO::Select->new($s);
		while ($ready->can_read(1)) { sysread($s, my $part, 4096) or last; print $part }' rest/socket "$1"
}
tell() { # NAME, the answer at standard input
	perl -MJSON::PP -0777 -e '
		my ($head, $body) = split /\r\n\r\n/, <STDIN>, 2;
		my ($length) = $head =~ /Content-Length: (\d+)/;
		printf "%s: %d characters behind Content-Length (%s), JSON %s\n", $ARGV[0], length($body) - $length,
			substr($body, $length) =~ s/\r\n//r, eval { decode_json($body); "read" } // "refused"' "$1"
}
seen=$(
	ask $'Connection: close\r\n' | tell 'close'
	ask '' | tell 'without'
)
wanted='close: 19 characters behind Content-Length (Connection: Close), JSON refused
without: 0 characters behind Content-Length (), JSON read'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
