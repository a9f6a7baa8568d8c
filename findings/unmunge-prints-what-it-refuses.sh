#!/usr/bin/env bash
# Version: munge 0.5.15-2+deb12u1 (Debian 12).
# Guess: what unmunge refuses it does not show: output means that a credential holds, or at
#   least the exit code is 1 as for any error.
# Seen: of a credential that was decoded before, or has expired, unmunge prints all metadata
#   and the payload to standard output, as of a valid one, and nothing to standard error.
#   STATUS alone differs ("Replayed credential (17)"), and the exit code, which is that number,
#   not 1. Of one that was made with another key it prints nothing to standard output.
#   The exit code is meant to be looked at; a pipe loses it: "unmunge | grep ^UID".
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(cat "$tmp"/*.pid) 2>/dev/null || true; rm -rf "$tmp"' EXIT
chmod 711 "$tmp"
for who in own other; do
	head -c 96 /dev/urandom >"$tmp/$who.key"
	chmod 600 "$tmp/$who.key"
	munged --force --key-file="$tmp/$who.key" --socket="$tmp/$who" --pid-file="$tmp/$who.pid" \
		--log-file="$tmp/$who.log" --seed-file="$tmp/$who.seed" 2>"$tmp/warnings"
done

decode() { # NAME CREDENTIAL
	local code=0 out
	out=$(unmunge --socket="$tmp/own" --keys=STATUS,UID --numeric <<<"$2" 2>"$tmp/said") || code=$?
	out=$(tr -s ' \n' ' ' <<<"$out" | sed "s/UID: $UID /UID: me /; s/ *$//")
	echo "$1: exit $code, ${out:-no output}, messages: $(wc -l <"$tmp/said")"
}
made=$(munge --socket="$tmp/own" --string=payload)
short=$(munge --socket="$tmp/own" --string=payload --ttl=1)
other=$(munge --socket="$tmp/other" --string=payload)
sleep 3
seen=$(
	decode valid "$made"
	decode again "$made"
	decode expired "$short"
	decode foreign "$other"
)
wanted='valid: exit 0, STATUS: 0 UID: me payload, messages: 0
again: exit 17, STATUS: 17 UID: me payload, messages: 0
expired: exit 15, STATUS: 15 UID: me payload, messages: 0
foreign: exit 14, no output, messages: 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
