package livecompare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// patience is how long a daemon may take to answer.
	patience = 10 * time.Second
	// mostBytes is more than a comparison has.
	mostBytes = 16 << 20
)

// Fetch asks the daemon at an address for its comparison. It also returns the JSON
// as it came.
func Fetch(ctx context.Context, address string) (*Report, []byte, error) {
	raw, err := fetch(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	r, err := Parse(address, raw)
	return r, raw, err
}

// Parse reads the comparison that the daemon at an address has given.
func Parse(address string, raw []byte) (*Report, error) {
	r := &Report{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("ostrichd at %s: its comparison cannot be read: %w", address, err)
	}
	return r, nil
}

func fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/api/v1/compare.json", nil)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	client := http.Client{Transport: &http.Transport{}} // not through a proxy
	answer, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ostrichd does not answer at %s; is it running, with this listen? %w", address, errors.Unwrap(err))
	}
	defer func() { _ = answer.Body.Close() }() // It has been read.
	raw, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	switch {
	case err != nil:
		return nil, fmt.Errorf("ostrichd at %s: %w", address, err)
	case answer.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("ostrichd at %s keeps no comparison: it is older than this ostrich, or something else listens there", address)
	case answer.StatusCode != http.StatusOK:
		words, _, _ := strings.Cut(strings.TrimSpace(string(raw)), "\n")
		var said struct{ Error string }
		if json.Unmarshal(raw, &said) == nil && said.Error != "" {
			words = said.Error
		}
		return nil, fmt.Errorf("ostrichd at %s: %s: %s", address, answer.Status, words)
	}
	return raw, nil
}
