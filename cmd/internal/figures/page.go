package figures

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"slurm-ostrich/cmd/internal/svg"
)

//go:embed page.html
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"style":      svg.Style,
		"paragraphs": func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n\n") },
		"same":       func(n Number) bool { return n.Why == "" && n.Paper != "" && n.Paper == n.Ours },
	}).Parse(pageText))
})

// page returns the page with the figures and the papers' numbers beside ours. It
// is self-contained and loads nothing.
func page(drawn []Drawn) ([]byte, error) {
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, drawn); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return b.Bytes(), nil
}
