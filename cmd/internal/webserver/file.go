package webserver

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/prometheus/exporter-toolkit/web"
	"go.yaml.in/yaml/v3"
	"golang.org/x/crypto/bcrypt"
)

// Doors is what a file wants of those who connect. The zero value lets everybody in,
// unencrypted.
type Doors struct {
	TLS  bool // everything is encrypted
	Asks bool // for a password, or for a certificate that an authority of the site has signed
}

// String says it for people.
func (d Doors) String() string {
	encrypted, asks := "not encrypted", "everybody is let in"
	if d.TLS {
		encrypted = "TLS"
	}
	if d.Asks {
		asks = "who asks needs a password or a certificate"
	}
	return encrypted + "; " + asks
}

// Read reads a file and the certificates that it names. An empty path is no file: the
// zero Doors. An error names the setting, the file, and where it is known the line and
// the user.
func Read(path string) (Doors, error) {
	if path == "" {
		return Doors{}, nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return Doors{}, fmt.Errorf("web.config_file: %w", err)
	}
	var file struct {
		TLS   web.TLSConfig        `yaml:"tls_server_config"`
		Users map[string]yaml.Node `yaml:"basic_auth_users"`
	}
	if yaml.Unmarshal(raw, &file) == nil { // else the toolkit says what is wrong
		for _, name := range slices.SortedFunc(maps.Keys(file.Users), func(a, b string) int {
			return cmp.Compare(file.Users[a].Line, file.Users[b].Line)
		}) {
			hash := file.Users[name]
			if _, err := bcrypt.Cost([]byte(hash.Value)); err != nil {
				return Doors{}, fmt.Errorf("web.config_file: %s:%d: basic_auth_users: %s: this is no bcrypt hash, as \"htpasswd -nBC 10 %[3]s\" prints one", path, hash.Line, name)
			}
		}
	}
	if err := web.Validate(path); err != nil {
		return Doors{}, fmt.Errorf("web.config_file: %s: %w", path, err)
	}
	return Doors{
		TLS:  file.TLS.IsEnabled(),
		Asks: len(file.Users) > 0 || file.TLS.ClientAuth == "RequireAndVerifyClientCert",
	}, nil
}
