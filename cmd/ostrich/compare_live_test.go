package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
)

// served is the command "served FILE CODE ADDRESS" of the scripts: a daemon that
// answers to everything but its comparison with 404, and to that with the
// content of a file and a code, until it is interrupted. It writes its address to a file.
func served() {
	if err := answer(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answer(file, code, address string) error {
	status, err := strconv.Atoi(code)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // ends with the process
	if err != nil {
		return err
	}
	if err = os.WriteFile(address+".new", []byte(listener.Addr().String()), 0o600); err != nil {
		return err
	}
	if err = os.Rename(address+".new", address); err != nil {
		return err
	}
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt)
	go func() {
		<-interrupt
		_ = listener.Close() // It ends the server.
	}()
	err = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/api/v1/compare.json" {
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
	}))
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
