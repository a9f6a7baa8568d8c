package main

import (
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"
)

// notifier reports the daemon's state to systemd.
type notifier struct {
	tell   func(state string)
	period time.Duration // between two signs of life; 0 if systemd expects none
}

// systemd returns the notifier of a service. Without systemd (no NOTIFY_SOCKET)
// it does nothing.
func systemd(log zerolog.Logger) notifier {
	watchdog, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn().Err(err).Msg("systemd's watchdog is not understood")
	}
	return notifier{
		tell: func(state string) {
			if _, err := sd.SdNotify(false, state); err != nil {
				log.Warn().Err(err).Msg("systemd was not notified")
			}
		},
		period: watchdog / 2,
	}
}

func (n notifier) ready()             { n.tell(sd.SdNotifyReady) }
func (n notifier) reloading()         { n.tell(sd.SdNotifyReloading) }
func (n notifier) stopping()          { n.tell(sd.SdNotifyStopping) }
func (n notifier) alive()             { n.tell(sd.SdNotifyWatchdog) }
func (n notifier) status(text string) { n.tell("STATUS=" + text) }

// starting asks systemd for more time before ready.
func (n notifier) starting() { n.tell("EXTEND_TIMEOUT_USEC=60000000") }
