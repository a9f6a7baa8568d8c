package main

import (
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"
)

// notifier tells systemd how the daemon fares. Without systemd (no
// NOTIFY_SOCKET) it does nothing.
type notifier struct{ log zerolog.Logger }

func (n notifier) send(state string) {
	if _, err := sd.SdNotify(false, state); err != nil {
		n.log.Warn().Err(err).Msg("systemd was not notified")
	}
}

func (n notifier) ready()             { n.send(sd.SdNotifyReady) }
func (n notifier) reloading()         { n.send(sd.SdNotifyReloading) }
func (n notifier) stopping()          { n.send(sd.SdNotifyStopping) }
func (n notifier) alive()             { n.send(sd.SdNotifyWatchdog) }
func (n notifier) status(text string) { n.send("STATUS=" + text) }

// period is how often systemd wants to hear that the daemon is alive; half of
// WatchdogSec, or 0 without a watchdog.
func (n notifier) period() time.Duration {
	d, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		n.log.Warn().Err(err).Msg("systemd's watchdog is not understood")
	}
	return d / 2
}
