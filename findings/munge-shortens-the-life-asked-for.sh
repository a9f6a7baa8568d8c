#!/usr/bin/env bash
# Version: munge 0.5.15-2+deb12u1 (Debian 12).
# Guess: "munge --ttl=86400" makes a credential that holds for a day, or refuses as that is more than munged allows.
# Seen: it ends with 0 without a word, and the credential holds for an hour, the most that munged gives unless told
#   otherwise. --ttl=0 is five minutes, and --ttl=-1 the hour. What tells is unmunge, as "TTL".
# Ends with 0 if that is still so, 1 if not. Runs a munged with a key and a socket of its own for some seconds.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download munge=0.5.15-2+deb12u1 libmunge2 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name 'libmunge.so.2' | head -n 1)")
export LD_LIBRARY_PATH=$lib PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir -m 755 run
(umask 077 && head -c 1024 /dev/urandom >key)
munged --foreground --force --key-file="$PWD/key" --socket="$PWD/run/socket" --pid-file="$PWD/run/pid" --log-file="$PWD/log" --seed-file="$PWD/seed" 2>warnings &
for _ in $(seq 30); do
	[[ ! -S run/socket ]] || break
	sleep 1
done
life() {
	local code=0
	munge --no-input --socket=run/socket --ttl="$1" >credential 2>said || code=$?
	echo "--ttl=$1: exit $code, lines of message: $(wc -l <said), $(unmunge --socket=run/socket <credential | grep '^TTL' | xargs)"
}
seen=$(
	life 10
	life 86400
	life 0
	life -1
)
wanted='--ttl=10: exit 0, lines of message: 0, TTL: 10
--ttl=86400: exit 0, lines of message: 0, TTL: 3600
--ttl=0: exit 0, lines of message: 0, TTL: 300
--ttl=-1: exit 0, lines of message: 0, TTL: 3600'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
