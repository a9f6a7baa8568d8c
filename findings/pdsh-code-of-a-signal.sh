#!/usr/bin/env bash
# Version: pdsh 2.34-0.2 (Debian 12).
# Guess: "pdsh -S" ends with the greatest code of what it ran, and with 128 and the signal, or at least not with 0, where a signal ended
#   it, as a kernel that is out of memory does; without -S a command that is not there gives an error. A node that is named
#   twice has the command once.
# Seen: a command that a signal ended counts as 0 with -S, beside a line on standard error that says so; an exit code of 3 is 3, and one
#   that was cut off by -u is 254. Without -S all is 0, also a command that is not there. "-w n[1-2],n1" runs it twice
#   on n1; clush runs it once, and has 137 of the signal.
# Ends with 0 if that is still so, 1 if not. Runs as root, in a mount name space of its own.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download pdsh=2.34-0.2 clustershell=1.9.1-1 python3-clustershell=1.9.1-1 python3-yaml python3.11 python3.11-minimal libpython3.11-minimal \
	libpython3.11-stdlib libexpat1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
modules=$(dirname "$(find root -name execcmd.so)")
# It looks for its modules in one folder alone.
# shellcheck disable=SC2016 # for the shell inside
inside() { unshare --mount bash -c 'mount -t overlay overlay -o "lowerdir=$1:$2" "$2"; shift 2; exec "$@"' inside "$PWD/${modules%/*}" "/${modules#root/}/.." "$@"; }
clush() { PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages LC_ALL=C.UTF-8 root/usr/bin/python3.11 root/usr/bin/clush "$@"; }
try() { # COMMAND
	local code=0
	"$@" >out 2>said || code=$?
	echo "$* ($code): $(sort out | paste -sd, | sed 's/^$/nothing/')"
}
pdsh() { inside "$PWD/root/usr/bin/pdsh" -R exec "$@"; }
# shellcheck disable=SC2016 # for the shell that is to end
seen=$(
	try pdsh -S -w 'n[1-2]' sh -c 'exit 3'
	try pdsh -S -w 'n[1-2]' sh -c 'kill -9 $$'
	try pdsh -S -u 1 -w n1 sleep 5
	try pdsh -w n1 nosuch
	try pdsh -w 'n[1-2],n1' echo %h
	try clush -S -R exec -w 'n[1-2]' 'kill -9 $$'
	try clush -R exec -w 'n[1-2],n1' echo %h
)
wanted='pdsh -S -w n[1-2] sh -c exit 3 (3): nothing
pdsh -S -w n[1-2] sh -c kill -9 $$ (0): nothing
pdsh -S -u 1 -w n1 sleep 5 (254): nothing
pdsh -w n1 nosuch (0): nothing
pdsh -w n[1-2],n1 echo %h (0): n1: n1,n1: n1,n2: n2
clush -S -R exec -w n[1-2] kill -9 $$ (137): nothing
clush -R exec -w n[1-2],n1 echo %h (0): n1: n1,n2: n2'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
