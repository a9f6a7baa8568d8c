// Package api is what the JSON answers of ostrichd have in common, those of the status
// page and those of the socket: arguments of requests, answers and errors.
package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// longest is how long the value of an argument may be.
const longest = 4096

// Arguments returns the query of a request. Each argument may be given once. If
// takes is not nil, arguments that it does not name are refused.
func Arguments(r *http.Request, takes []string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("invalid query in the address: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		known := takes == nil || slices.Contains(takes, name)
		value := values[name]
		switch {
		case !known && len(takes) == 0:
			return nil, fmt.Errorf("unknown argument %q; there are none", Shortened(name))
		case !known:
			return nil, fmt.Errorf("unknown argument %q; there are %s", Shortened(name), strings.Join(takes, ", "))
		case len(value) != 1:
			return nil, fmt.Errorf("argument %q is there twice", Shortened(name))
		case len(value[0]) > longest:
			return nil, fmt.Errorf("argument %q is longer than %d bytes", Shortened(name), longest)
		case !utf8.ValidString(value[0]):
			return nil, fmt.Errorf("argument %q is not UTF-8", Shortened(name))
		case name == "job":
			// In an address typed by hand 17+1 comes with a space.
			values.Set(name, strings.ReplaceAll(strings.TrimSpace(value[0]), " ", "+"))
		}
	}
	return values, nil
}

// Shortened returns a text from a request, cut for an error message.
func Shortened(text string) string {
	const most = 100
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.ToValidUTF8(text, "?")
}

// Error is the answer to a request that failed.
type Error struct {
	Error string `json:"error"`
}

// Fail answers with an error.
func Fail(w http.ResponseWriter, code int, words string) {
	w.Header().Set("Cache-Control", "no-store")
	Answer(w, code, Error{words})
}

// Answer answers with a status code and v as JSON.
func Answer(w http.ResponseWriter, code int, v any) {
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(code)
	_, _ = body.WriteTo(w) // The client may have disconnected.
}
