package socket

import (
	"net/http"
	"net/url"
	"strings"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/view"
)

// lists are the lists of a selection by the names of their arguments.
func lists(by *view.Selection) map[string]*[]string {
	return map[string]*[]string{"user": &by.Users, "account": &by.Accounts, "partition": &by.Partitions, "job": &by.Jobs}
}

// selection returns what a request chooses.
func selection(r *http.Request, takes []string) (*view.Selection, error) {
	if takes == nil {
		takes = []string{}
	}
	values, err := api.Arguments(r, takes)
	if err != nil {
		return nil, err
	}
	by := &view.Selection{}
	for name, list := range lists(by) {
		*list = view.Split(values.Get(name))
	}
	return by, nil
}

// arguments returns a selection as the query of a request.
func arguments(by *view.Selection) string {
	values := url.Values{}
	for name, list := range lists(by) {
		if len(*list) > 0 {
			values.Set(name, strings.Join(*list, ","))
		}
	}
	return values.Encode()
}
