#!/usr/bin/env bash
# Versions: slurm-client 22.05.8-4+deb12u3 and python3-clustershell 1.9.1-1 (Debian 12).
# Guess: a host list is one language: what clush and nodeset expand, slurm.conf and scontrol do.
# Seen: Slurm refuses a suffix behind a bracket, "n[1-2]-ib", which nodeset expands (and
#   scontrol ends with 0 all the same), though both know a bracket behind a suffix,
#   "n1-ib[0-1]". nodeset refuses two brackets side by side, "n[1-2][3-4]", which Slurm
#   expands. Of "n[1-3,2]" Slurm lists n2 twice, so that "scontrol show hostnames | wc -l"
#   counts four nodes of three; nodeset lists it once.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download slurm-client=22.05.8-4+deb12u3 slurm-wlm-basic-plugins=22.05.8-4+deb12u3 libmunge2 \
	python3-clustershell=1.9.1-1 clustershell=1.9.1-1 python3-yaml 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$(dirname "$(find root -name libslurmfull.so | head -n 1)")
export LD_LIBRARY_PATH=$PWD/$lib:$PWD/${lib%/*} PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
printf '%s\n' ClusterName=c SlurmctldHost=localhost "PluginDir=$PWD/$lib" 'NodeName=n[1-4]' 'PartitionName=p Nodes=ALL' >slurm.conf
export SLURM_CONF=$PWD/slurm.conf

of() { # NAME COMMAND EXPRESSION
	local out code=0
	out=$("${@:2}" 2>/dev/null) || code=$?
	out=$(tr '\n' ' ' <<<"$out" | sed 's/ *$//')
	echo "$1 ${*: -1}: ${out:-refused, exit $code}"
}
slurm() { of Slurm root/usr/bin/scontrol show hostnames "$1"; }
nodeset() { of nodeset /usr/bin/python3 root/usr/bin/nodeset -e "$1"; }
seen=$(for e in 'n[1-2]-ib' 'n1-ib[0-1]' 'n[1-2][3-4]' 'n[1-3,2]'; do
	slurm "$e"
	nodeset "$e"
done)
wanted='Slurm n[1-2]-ib: refused, exit 0
nodeset n[1-2]-ib: n1-ib n2-ib
Slurm n1-ib[0-1]: n1-ib0 n1-ib1
nodeset n1-ib[0-1]: n1-ib0 n1-ib1
Slurm n[1-2][3-4]: n13 n14 n23 n24
nodeset n[1-2][3-4]: refused, exit 1
Slurm n[1-3,2]: n1 n2 n3 n2
nodeset n[1-3,2]: n1 n2 n3'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
