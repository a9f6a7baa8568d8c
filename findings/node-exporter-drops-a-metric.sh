#!/usr/bin/env bash
# Version: prometheus-node-exporter 1.5.0-1+b6 (Debian 12), collector textfile.
# Guess: a metric of which two files have series (a.prom those of one job, b.prom those of another) is served with all of them;
#   where the two differ in the help text, one of them is shown. What cannot be served, as one series twice, is an error
#   of the scrape: node_textfile_scrape_error is 1, or there is no answer.
# Seen: with another help text, another type, or none, the series of the second file are left out. So is a series that is
#   there twice. The answer is 200, node_textfile_scrape_error 0 and the collector's success 1; what tells is a line of
#   the log, and promhttp_metric_handler_errors_total, which was 0 the first time. Without any help all are there.
# Ends with 0 if that is still so, 1 if not. Runs node_exporter on port 29780 of this host for some seconds.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download prometheus-node-exporter=1.5.0-1+b6 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
mkdir texts
head='# HELP jobs Jobs.\n# TYPE jobs gauge\n'
scrape() { # a line: the answer's code, then what it says
	local answer
	answer=$(curl -s -w '%{http_code}' http://127.0.0.1:29780/metrics)
	echo "${answer: -3} $(grep -E '^(jobs|node_textfile_scrape_error|promhttp_metric_handler_errors_total.cause="gathering")' <<<"${answer%???}" | sed 's/promhttp.*}/errors/; s/node_textfile_//' | xargs -d '\n')"
}
show() { # NAME TEXT of a.prom TEXT of b.prom
	printf '%b' "$2" >texts/a.prom
	printf '%b' "$3" >texts/b.prom
	root/usr/bin/prometheus-node-exporter --web.listen-address=127.0.0.1:29780 --collector.disable-defaults --collector.textfile \
		--collector.textfile.directory=texts >log 2>&1 &
	local server=$!
	for _ in $(seq 100); do
		! curl -s -o landing http://127.0.0.1:29780/ || break
		sleep 0.1
	done
	echo "$1: $(scrape)"
	echo "$1, again: $(scrape | grep -o 'errors .*'), $(grep -c 'error gathering' log) lines of errors"
	kill "$server"
	wait "$server" || true
}
seen=$(
	show 'the same help' "${head}jobs{of=\"a\"} 1\n" "${head}jobs{of=\"b\"} 2\n"
	show 'another help' "${head}jobs{of=\"a\"} 1\n" "${head/Jobs./Jobs that wait.}jobs{of=\"b\"} 2\n"
	show 'help in one' "${head}jobs{of=\"a\"} 1\n" 'jobs{of="b"} 2\n'
	show 'help in none' 'jobs{of="a"} 1\n' 'jobs{of="b"} 2\n'
	show 'one series twice' "${head}jobs{of=\"a\"} 1\n" "${head}jobs{of=\"a\"} 2\n"
)
wanted='the same help: 200 jobs{of="a"} 1 jobs{of="b"} 2 scrape_error 0 errors 0
the same help, again: errors 0, 0 lines of errors
another help: 200 jobs{of="a"} 1 scrape_error 0 errors 0
another help, again: errors 1, 2 lines of errors
help in one: 200 jobs{of="a"} 1 scrape_error 0 errors 0
help in one, again: errors 1, 2 lines of errors
help in none: 200 jobs{of="a"} 1 jobs{of="b"} 2 scrape_error 0 errors 0
help in none, again: errors 0, 0 lines of errors
one series twice: 200 jobs{of="a"} 1 scrape_error 0 errors 0
one series twice, again: errors 1, 2 lines of errors'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
