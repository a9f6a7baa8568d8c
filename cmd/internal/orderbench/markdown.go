package orderbench

import (
	_ "embed"
	"io"
	"text/template"

	"slurm-ostrich/cmd/internal/format"
)

//go:embed markdown.txt
var markdownText string

// WriteMarkdown writes the result as a page of documentation, with the command
// that made it.
func (r *Result) WriteMarkdown(w io.Writer, command string) error {
	page := template.Must(template.New("").Funcs(template.FuncMap{"plural": format.Plural}).Parse(markdownText))
	return page.Execute(w, struct {
		*Result
		Command  string
		Measures []string
	}{r, command, names()})
}
