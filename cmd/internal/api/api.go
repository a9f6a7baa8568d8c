// Package api is what ostrichd's listeners and those who answer at them have in common:
// paths, arguments of requests, JSON answers, errors, and whose turn it is.
package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Folder is where the answers are.
const Folder = "/v1/"

// Warning is the header with what a client should know of an answer.
const Warning = "Ostrich-Warning"

// How long a request may take.
const (
	First    = 2 * time.Second // it waits for the first cycle
	Patience = 5 * time.Second // it waits for its turn
	Asking   = 5 * time.Second // accounting may be asked
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
	body, err := json.Marshal(Error{words})
	if err != nil { // a string always has JSON
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	Answer(w, code, append(body, '\n'))
}

// Answer answers with a status code and JSON.
func Answer(w http.ResponseWriter, code int, body []byte) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = w.Write(body) // The client may have disconnected.
}

// Busy says what whoever asks has to wait for.
type Busy string

func (b Busy) Error() string { return string(b) }

// Forbidden says why who asks may see nothing at all.
type Forbidden string

func (f Forbidden) Error() string { return string(f) }

// Turn is the place of who asks among all who ask.
type Turn interface {
	// Begin waits until an answer may be made, and not for long. Call made once it is. The
	// error is a Busy.
	Begin(ctx context.Context) (made func(), err error)
	// Hold reserves room for a large answer. Call sent once it is sent. The error is a Busy.
	Hold() (sent func(), err error)
}

// turnKey is the key of a Turn in the context of a request.
type turnKey struct{}

// WithTurn returns a context of requests that take turns with others.
func WithTurn(ctx context.Context, t Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

// TurnOf returns the turn of a request, false if its listener gives none.
func TurnOf(ctx context.Context) (Turn, bool) {
	t, ok := ctx.Value(turnKey{}).(Turn)
	return t, ok
}
