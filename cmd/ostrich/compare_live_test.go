package main

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strconv"
)

// served is the command "served FILE CODE ADDRESS [CERTIFICATE]" of the scripts: a daemon
// that answers to everything but its comparison with 404, and to that with the
// content of a file and a code, until it is interrupted. It writes its address to a file.
// With a fourth argument it speaks TLS and asks for anna's password, s3cret. It
// writes its certificate to that file first.
func served() {
	handler, err := answer(os.Args[1], os.Args[2])
	if err == nil {
		err = serve(handler, os.Args[3], os.Args[4:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answer answers with the content of a file and a code.
func answer(file, code string) (http.Handler, error) {
	status, err := strconv.Atoi(code)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v1/compare" {
			http.NotFound(w, r)
			return
		}
		raw, bad := os.ReadFile(file)
		if bad != nil {
			http.Error(w, bad.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write(raw) // The script will see.
	}), err
}

// serve serves until it is interrupted.
func serve(handler http.Handler, address string, certificate []string) error {
	server := httptest.NewUnstartedServer(handler)
	defer server.Close()
	if len(certificate) == 0 {
		server.Start()
	} else {
		server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, password, _ := r.BasicAuth(); user != "anna" || password != "s3cret" {
				http.Error(w, "Unauthorized", http.StatusUnauthorized)
				return
			}
			handler.ServeHTTP(w, r)
		})
		server.StartTLS()
		if err := os.WriteFile(certificate[0], pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
			return err
		}
	}
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt)
	if err := os.WriteFile(address+".new", []byte(server.Listener.Addr().String()), 0o600); err != nil {
		return err
	}
	if err := os.Rename(address+".new", address); err != nil {
		return err
	}
	<-interrupt
	return nil
}
