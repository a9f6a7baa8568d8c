#!/usr/bin/env bash
# Version: promtool of prometheus 2.42.0+ds-5+deb12u1 (Debian 12).
# Guess: over series with a sample each minute a window of five minutes has five of them, wherever it begins; rate() over one
#   minute has no value, as it takes two. What "promtool test rules" computes a server will.
# Seen: the samples of a test lie on the minute and so does eval_time, and both ends of a window count: at 5m a window of five
#   minutes has six samples, sum_over_time is six of them, and rate(x[1m]) has a value. At 5m30s, where a server
#   may well look, it is five and no value: the alert that the test saw can never fire. And delta() of whole numbers
#   over 4m30s is no whole number: a queue that grew by four jobs grew by 4.5.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download prometheus=2.42.0+ds-5+deb12u1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ask() { # TIME QUERY: the value, by a test that expects none
	printf 'tests:\n- interval: 1m\n  input_series:\n  - {series: jobs_total, values: "0+10x20"}\n  - {series: jobs_pending, values: "100 100 100 100 101 104 104"}\n  promql_expr_test: [{expr: "%s", eval_time: %s}]\n' "$2" "$1" >tests.yml
	echo "$2 at $1: $({ root/usr/bin/promtool test rules tests.yml || true; } 2>&1 | grep -oE 'SUCCESS|got: .*' | sed -e 's/SUCCESS/no value/' -e 's/got: *{} *//')"
}
seen=$(
	for query in 'count_over_time(jobs_total[5m])' 'sum_over_time(jobs_pending[1m])' 'rate(jobs_total[1m]) * 60' 'delta(jobs_pending[4m30s])'; do
		ask 5m "$query"
		ask 5m30s "$query"
	done
)
wanted='count_over_time(jobs_total[5m]) at 5m: 6E+00
count_over_time(jobs_total[5m]) at 5m30s: 5E+00
sum_over_time(jobs_pending[1m]) at 5m: 2.05E+02
sum_over_time(jobs_pending[1m]) at 5m30s: 1.04E+02
rate(jobs_total[1m]) * 60 at 5m: 1E+01
rate(jobs_total[1m]) * 60 at 5m30s: no value
delta(jobs_pending[4m30s]) at 5m: 4.5E+00
delta(jobs_pending[4m30s]) at 5m30s: 4.5E+00'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
