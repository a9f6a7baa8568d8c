#!/usr/bin/env bash
# Version: time 1.9-0.2 (GNU time, Debian 12).
# Guess: %x of a command that a signal ended is 137 of SIGKILL, as time itself then ends with and as the shell has it; so a
#   column "%x" of many runs, one line a run, tells which failed, a kernel out of memory included.
# Seen: %x is 0, as of a command that went well, though time ends with 137. "Command terminated by signal 9" is a line of
#   its own in front, also in the file of --output, which --quiet leaves out; "Exit status" of --verbose is 0, too.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download time=1.9-0.2 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
run() { # COMMAND OPTION...
	local code=0
	root/usr/bin/time --output=log "${@:2}" sh -c "$1" 2>said || code=$?
	echo "${*:2}: $1: time ends with $code, the file has $(grep -E 'xit|[Tt]erm' log | xargs -d '\n' | xargs)"
}
seen=$(
	for command in 'exit 3' "kill -9 \$\$" "kill -15 \$\$"; do
		run "$command" '--format=exit %x'
		run "$command" --quiet '--format=exit %x'
	done
	run "kill -9 \$\$" --verbose
)
wanted='--format=exit %x: exit 3: time ends with 3, the file has Command exited with non-zero status 3 exit 3
--quiet --format=exit %x: exit 3: time ends with 3, the file has exit 3
--format=exit %x: kill -9 $$: time ends with 137, the file has Command terminated by signal 9 exit 0
--quiet --format=exit %x: kill -9 $$: time ends with 137, the file has exit 0
--format=exit %x: kill -15 $$: time ends with 143, the file has Command terminated by signal 15 exit 0
--quiet --format=exit %x: kill -15 $$: time ends with 143, the file has exit 0
--verbose: kill -9 $$: time ends with 137, the file has Command terminated by signal 9 Exit status: 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
