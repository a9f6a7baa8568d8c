package check

import (
	"context"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/webserver"
)

// renewal is for how long before its end a certificate has to be renewed.
const renewal = 14 * 24 * time.Hour

// checkWeb checks the file of web.config_file, if there is one.
func (l *checklist) checkWeb(now time.Time) {
	if l.Web.ConfigFile == "" {
		return
	}
	doors, err := webserver.Read(l.WebFile())
	switch {
	case err != nil:
		l.add("web", Fail, "correct the file, which the user of ostrichd has to be able to read; docs/security.md has an example", "%v", err)
	case doors.TLS && !now.Before(doors.Until):
		l.add("web", Fail, "renew it; a new file counts at once", "the certificate ended at %s: nobody who verifies it gets an answer", doors.Until.Local().Format(time.DateTime))
	case doors.TLS && doors.Until.Sub(now) < renewal:
		l.add("web", Warn, "renew it; a new file counts at once", "the certificate ends at %s", doors.Until.Local().Format(time.DateTime))
	case !doors.TLS && doors.Asks:
		l.add("web", Warn, "add tls_server_config with cert_file and key_file, unless only this host can connect", "%v", doors)
	case !doors.Asks:
		l.add("web", Warn, "add basic_auth_users, or a client_ca_file with client_auth_type: RequireAndVerifyClientCert, "+
			"unless users of login nodes ask there: their commands give neither", "%v", doors)
	default:
		l.ok("web", "%v", doors)
	}
}

// checkMunge checks whether users of other hosts can prove who they are at status.listen.
func (l *checklist) checkMunge(ctx context.Context) {
	if l.Status.Munge == configuration.MungeOff || !webserver.Open(l.Status.Listen) {
		return
	}
	munge := configuration.MungeBy(l.Status.Munge)
	credential, err := munge.Encode(ctx, "ostrich check", time.Minute)
	if err == nil {
		_, err = munge.Decode(ctx, credential)
	}
	if err != nil {
		l.add("munge", Warn, "start munged on this host and have munge and unmunge in PATH, name its socket as status.munge if it is another one, or set that to off: "+
			"users of login nodes get no answer at "+l.Status.Listen+" until then", "%v", err)
		return
	}
	l.ok("munge", "proves who asks at %s", l.Status.Listen)
}
