package sidecar

import "slurm-ostrich/cmd/internal/webserver"

// checkWeb checks the file of web.config_file, if there is one.
func (l *checklist) checkWeb() {
	if l.Web.ConfigFile == "" {
		return
	}
	doors, err := webserver.Read(l.WebFile())
	switch {
	case err != nil:
		l.add("web", Fail, "correct the file, which the user of ostrichd has to be able to read; docs/security.md has an example", "%v", err)
	case !doors.TLS && doors.Asks:
		l.add("web", Warn, "add tls_server_config with cert_file and key_file, unless only this host can connect", "%v", doors)
	case !doors.Asks:
		l.add("web", Warn, "add basic_auth_users, or a client_ca_file with client_auth_type: RequireAndVerifyClientCert, "+
			"unless users of login nodes ask there: their commands give neither", "%v", doors)
	default:
		l.ok("web", "%v", doors)
	}
}
