#!/usr/bin/env bash
# Version: clustershell and python3-clustershell 1.9.1-1 (Debian 12), with Python 3.11.
# Guess: nodeset says of a group that it does not know that it is not there, with exit code 1, as it does of a set that it cannot read
#   and of a source of groups that it does not know.
# Seen: such a group is the empty set, with exit code 0: "-c @nosuch" is 0, "-f n1,@nosuch" n1, and "-x @down" of a mistyped group takes
#   nobody away, so what was to spare some nodes spares none. A pattern without a match, "n*", is empty too, and a source of groups
#   that is not there is an error.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-clustershell=1.9.1-1 clustershell=1.9.1-1 python3-yaml python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib \
	libexpat1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
export PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages LC_ALL=C.UTF-8 CLUSTERSHELL_CFGDIR=$PWD
printf '%s\n' '[Main]' 'default: room' 'autodir: groups' >groups.conf
mkdir groups
printf '%s\n' 'room:' '  all: n[1-4]' '  down: n[2-3]' >groups/room.yaml
try() { # ARGUMENTS
	local code=0 out
	out=$(root/usr/bin/python3.11 root/usr/bin/nodeset "$@" 2>said) || code=$?
	echo "$* ($code): ${out:-$(sed 's/^$/nothing/' said)}"
}
seen=$(
	try -f @down
	try -c @nosuch
	try -f n1,@nosuch
	try -f @all -x @down
	try -f @all -x @dwon
	try -f 'x*'
	try -f 'n[1-2'
	try -f @nosuch:down
)
wanted='-f @down (0): n[2-3]
-c @nosuch (0): 0
-f n1,@nosuch (0): n1
-f @all -x @down (0): n[1,4]
-f @all -x @dwon (0): n[1-4]
-f x* (0): 
-f n[1-2 (1): nodeset: Parse error: missing bracket: "n[1-2"
-f @nosuch:down (1): nodeset: Unknown group source: "nosuch"'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
