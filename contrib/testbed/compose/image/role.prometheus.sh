# shellcheck shell=bash
# Prometheus, which asks ostrichd for its metrics.

install -d -m 755 -o prometheus -g prometheus /var/lib/prometheus/metrics2
as prometheus prometheus --config.file=/etc/prometheus/prometheus.yml --storage.tsdb.path=/var/lib/prometheus/metrics2 \
	--web.listen-address=0.0.0.0:9090
