package figures

import (
	"bytes"
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"inline":     inline,
	"paragraphs": func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n\n") },
	"same":       func(n Number) bool { return n.Why == "" && n.Paper != "" && n.Paper == n.Ours },
}).Parse(pageText))

// page is the page that shows the figures and sets the papers' numbers beside
// ours. It stands alone: the pictures are in it, and it loads nothing.
func page(drawn []Drawn) ([]byte, error) {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, drawn); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return b.Bytes(), nil
}

// inline is a picture as it stands in the page: without what comes before its
// svg element, and named for those who do not see it.
func inline(p Picture) (template.HTML, error) {
	d := xml.NewDecoder(bytes.NewReader(p.SVG))
	for {
		before := d.InputOffset()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return "", fmt.Errorf("picture %s has no svg element", p.Name)
		}
		if err != nil {
			return "", fmt.Errorf("picture %s: %w", p.Name, err)
		}
		if e, ok := token.(xml.StartElement); ok {
			if e.Name.Local != "svg" {
				return "", fmt.Errorf("picture %s begins with the element %s", p.Name, e.Name.Local)
			}
			return template.HTML(p.SVG[before:]), nil
		}
	}
}
