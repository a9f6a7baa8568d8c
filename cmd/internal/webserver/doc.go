// Package webserver serves HTTP on the network, as every exporter of Prometheus does it:
// one file says with which certificate, and which passwords or client certificates are
// asked for. The format of the file, and reading it again whenever somebody connects or
// asks, are those of github.com/prometheus/exporter-toolkit.
//
// Besides it counts connections, so that no client can hold all of them, and bridges
// what net/http and the toolkit log.
package webserver
