#!/usr/bin/env bash
# Version: coop-computing-tools 9.9-2+b4 (makeflow 8.0.0, Debian 12), batch type local.
# Guess: makeflow is make for clusters: it ends with another code than 0 if a rule failed, makes anew what is older than what it is
#   made of, and ends there if nothing is.
# Seen: of a workflow in which all rules fail, with an exit code of 3 or without their file, it ends with 0, and the last line
#   that it prints is "nothing left to do."; so "makeflow a && makeflow b" goes on. A file that was changed after the first run is not
#   looked at, as is a changed command: the results are the old ones, until the log of the first run is taken away. A result that was
#   deleted is made anew.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download coop-computing-tools=9.9-2+b4 libevent-core-2.1-7 libevent-pthreads-2.1-7 libglobus-callout0 libglobus-common0 libglobus-gsi-callback0 \
	libglobus-gsi-cert-utils0 libglobus-gsi-credential1 libglobus-gsi-openssl-error0 libglobus-gsi-proxy-core0 libglobus-gsi-proxy-ssl1 \
	libglobus-gsi-sysconfig1 libglobus-gss-assist3 libglobus-gssapi-gsi4 libglobus-openssl-module0 libhwloc15 \
	libjsonparser1.1 libltdl7 libopenmpi3 libssl3 libudev1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$(find "$PWD/root" -name '*.so.*' -exec dirname {} + | sort -u | paste -sd:)
export LD_LIBRARY_PATH
run() { # FILE
	local code=0
	root/usr/bin/makeflow -T local "$1" >out 2>said || code=$?
	echo "ends with $code, \"$(tail -n 1 out)\""
}
printf '%s\n' 'left:' $'\techo some >left; exit 3' 'none:' $'\ttrue' >failing
printf '%s\n' 'result: source' $'\tcat source >result' >copying
echo old >source
seen=$(
	echo "two rules that fail: $(run failing), $(grep -oE 'rule [0-9]+ failed' said | sort -u | wc -l) failed, left: $(find . -maxdepth 1 -name left -o -maxdepth 1 -name none | wc -l)"
	echo "first run: $(run copying), result $(cat result)"
	sleep 1
	echo new >source
	echo "source changed: $(run copying), result $(cat result)"
	sed -i 's/cat source/cat source source/' copying
	echo "command changed: $(run copying), result $(cat result)"
	rm result
	echo "result deleted: $(run copying), result $(xargs <result)"
)
wanted='two rules that fail: ends with 0, "nothing left to do.", 2 failed, left: 0
first run: ends with 0, "nothing left to do.", result old
source changed: ends with 0, "nothing left to do.", result old
command changed: ends with 0, "nothing left to do.", result old
result deleted: ends with 0, "nothing left to do.", result new new'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
