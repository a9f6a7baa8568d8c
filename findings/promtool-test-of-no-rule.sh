#!/usr/bin/env bash
# Version: promtool of prometheus 2.42.0+ds-5+deb12u1 (Debian 12).
# Guess: "promtool test rules" fails where a test names an alert that the rules do not have, or a file of rules that is not
#   there: it has nothing to test then.
# Seen: a test that says that an alert does not fire passes for every alert that is not there, so once one is renamed its
#   tests "stays silent" go on and test nothing. A file that is not there is a warning and SUCCESS, exit code 0. So is a
#   file without tests. A test that expects an alert does fail.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download prometheus=2.42.0+ds-5+deb12u1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
cat >rules.yml <<-'END'
	groups:
	- name: queue
	  rules:
	  - alert: LongQueue
	    expr: jobs_pending > 10
END
check() { # NAME TESTS
	local code=0
	printf '%s\n' "$2" >tests.yml
	root/usr/bin/promtool test rules tests.yml >out 2>&1 || code=$?
	echo "$1: exit $code, $(grep -oE 'SUCCESS|FAILED' out)$(grep -o 'WARNING: .*' out | sed 's/^/, /')"
}
series='  input_series: [{series: jobs_pending, values: "20x10"}]'
silent() { printf 'rule_files: [%s]\ntests:\n- interval: 1m\n%s\n  alert_rule_test: [{eval_time: 5m, alertname: %s}]' "$1" "$series" "$2"; }
fires() { printf 'rule_files: [%s]\ntests:\n- interval: 1m\n%s\n  alert_rule_test: [{eval_time: 5m, alertname: %s, exp_alerts: [{}]}]' "$1" "$series" "$2"; }
seen=$(
	check 'LongQueue is silent' "$(silent rules.yml LongQueue)"
	check 'LongQueues is silent' "$(silent rules.yml LongQueues)"
	check 'LongQueue is silent, rules that are not there' "$(silent nowhere.yml LongQueue)"
	check 'LongQueue fires, rules that are not there' "$(fires nowhere.yml LongQueue)"
	check 'no tests' 'rule_files: [rules.yml]'
)
wanted='LongQueue is silent: exit 1, FAILED
LongQueues is silent: exit 0, SUCCESS
LongQueue is silent, rules that are not there: exit 0, SUCCESS, WARNING: no file match pattern nowhere.yml
LongQueue fires, rules that are not there: exit 1, FAILED, WARNING: no file match pattern nowhere.yml
no tests: exit 0, SUCCESS'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
