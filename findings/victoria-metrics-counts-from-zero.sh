#!/usr/bin/env bash
# Versions: victoria-metrics 1.79.5+ds1-2+b5 and prometheus 2.42.0+ds-5+deb12u1 (Debian 12).
# Guess: two servers with the same samples have the same answers to queries that both take, up to the extrapolation of
#   increase(). A gauge that is NaN, as exporters say "not known", is NaN in both, and "queue > 3" has no answer.
# Seen: of a counter whose first sample is 3, that of a user who comes in the middle, increase() is 0 in Prometheus and 3 in
#   VictoriaMetrics, which takes it that it was 0 before; so an alert on it fires in one of them alone. VictoriaMetrics drops samples of
#   NaN and has the value before, for five minutes: the queue is still 5, its sum and "queue > 3" too. A window of a minute with
#   a sample each 15 s has five in Prometheus and four in VictoriaMetrics.
# Ends with 0 if that is still so, 1 if not. Runs both servers on ports 29996 and 29997 of this host for some seconds.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download victoria-metrics=1.79.5+ds1-2+b5 prometheus=2.42.0+ds-5+deb12u1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
export PATH=$PWD/root/usr/bin:$PATH
start=1700000000
{
	echo '# TYPE ended counter'
	for i in $(seq 0 20); do echo "ended_total{user=\"ann\"} $((i / 4)) $((start + i * 15))"; done
	for i in $(seq 8 20); do echo "ended_total{user=\"bob\"} 3 $((start + i * 15))"; done
	echo '# TYPE queue gauge'
	for i in $(seq 0 20); do echo "queue $( ((i > 17)) && echo NaN || echo 5) $((start + i * 15))"; done
	echo '# EOF'
} >samples
promtool tsdb create-blocks-from openmetrics samples blocks >/dev/null
echo 'global: {}' >prometheus.yml
prometheus --config.file=prometheus.yml --storage.tsdb.path=blocks --storage.tsdb.retention.time=100y --web.listen-address=127.0.0.1:29997 >log-prometheus 2>&1 &
victoria-metrics -storageDataPath=data -httpListenAddr=127.0.0.1:29996 -retentionPeriod=100y >log-victoria 2>&1 &
ask() { # PORT QUERY
	curl -s -G "127.0.0.1:$1/api/v1/query" --data-urlencode "query=$2" --data-urlencode "time=$((start + 300))" |
		grep -oE '"user":"[a-z]*"|"[^"]*"\]' | grep -oE '[A-Za-z0-9.]+' | grep -v user | xargs
}
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
both() { curl -sf 127.0.0.1:29996/-/healthy && curl -sf 127.0.0.1:29997/-/ready; }
wait_for both
grep -v '#' samples | sed 's/$/000/' | curl -s --data-binary @- 127.0.0.1:29996/api/v1/import/prometheus
curl -s 127.0.0.1:29996/internal/force_flush
there() { [[ $(ask 29996 'ended_total{user="bob"}') == *3 ]]; }
wait_for there
seen=$(
	for query in 'increase(ended_total[5m])' 'increase(ended_total[5m]) > 0' queue 'queue > 3' 'sum(queue)' 'avg_over_time(queue[5m])' 'count_over_time(ended_total[1m])'; do
		echo "$query: $(ask 29997 "$query") | $(ask 29996 "$query")"
	done | sed 's/  */ /g'
)
wanted='increase(ended_total[5m]): ann 5 bob 0 | ann 5 bob 3
increase(ended_total[5m]) > 0: ann 5 | ann 5 bob 3
queue: NaN | 5
queue > 3: | 5
sum(queue): NaN | 5
avg_over_time(queue[5m]): NaN | 5
count_over_time(ended_total[1m]): ann 5 bob 5 | ann 4 bob 4'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
