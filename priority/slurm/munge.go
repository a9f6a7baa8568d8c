package slurm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Munge makes and decodes credentials of munge, by which Slurm's own daemons know who asks.
// The zero value asks the munged of munge's default socket and gives each command 10 seconds.
type Munge struct {
	Socket  string // of munged; "" means munge's default
	Timeout time.Duration
}

// Credential is what a valid credential says.
type Credential struct {
	UID     uint32 // who made it, on the word of their host's kernel and munged
	Encoded time.Time
	Payload string
}

// ErrCredential says that munged refuses a credential: it is malformed, was made with another
// key, is too old, was decoded before, or is meant for another user.
var ErrCredential = errors.New("munge refuses the credential")

// longestMunge is how much munge and unmunge may print.
const longestMunge = 16 << 10

// Encode makes a credential of this process' user, which munged refuses after some whole
// seconds.
func (m Munge) Encode(ctx context.Context, payload string, lasts time.Duration) (string, error) {
	out, err := m.run(ctx, payload, "munge", "--ttl="+strconv.Itoa(int(lasts/time.Second)))
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(out), nil
}

// Decode returns what a credential says. munged decodes each once. The error is
// ErrCredential if munged refuses it.
//
// unmunge prints the payload and the uid of a credential that it refuses as expired or replayed
// too: only its exit code 0 says that they hold.
func (m Munge) Decode(ctx context.Context, credential string) (Credential, error) {
	out, err := m.run(ctx, credential, "unmunge", "--numeric", "--keys=STATUS,ENCODE_TIME,UID")
	if err != nil {
		return Credential{}, err
	}
	return parseCredential(out)
}

// refusals are the exit codes of unmunge, which are munge's errors, that speak of the
// credential (EMUNGE_BAD_CRED to EMUNGE_CRED_UNAUTHORIZED). Those below speak of munged or of
// how it is asked.
var refusals = map[int]string{
	8: "it is malformed", 9: "it is malformed", 10: "it is malformed", 11: "it is malformed", 12: "it is malformed", 13: "it is malformed",
	14: "it was made with another key", 15: "it is too old", 16: "it is from the future: the clocks of the two hosts differ",
	17: "it was used before", 18: "it is not for this user",
}

func (m Munge) run(ctx context.Context, input, name string, args ...string) (string, error) {
	if m.Socket != "" {
		args = append(args, "--socket="+m.Socket)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := limited{most: longestMunge, full: cancel}
	err := Commands{Timeout: m.Timeout}.fed(ctx, strings.NewReader(input), &out, name, args...)
	if e, ok := errors.AsType[*exec.ExitError](err); ok && name == "unmunge" && refusals[e.ExitCode()] != "" {
		return "", fmt.Errorf("%w: %s", ErrCredential, refusals[e.ExitCode()])
	}
	if out.over {
		return "", fmt.Errorf("%s: %w", name, ErrOutput)
	}
	return out.String(), err
}

// parseCredential reads what "unmunge --numeric" prints: metadata, an empty line, the payload.
func parseCredential(out string) (Credential, error) {
	head, payload, found := strings.Cut(out, "\n\n")
	values := make(map[string]string)
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(line, ":")
		values[key] = strings.TrimSpace(value)
	}
	uid, bad := strconv.ParseUint(values["UID"], 10, 32)
	seconds, odd := strconv.ParseInt(values["ENCODE_TIME"], 10, 64)
	if !found || values["STATUS"] != "0" || uid >= unknownUID || errors.Join(bad, odd) != nil {
		return Credential{}, fmt.Errorf("unmunge: no status 0, uid and time in %q", clip(head))
	}
	return Credential{UID: uint32(uid), Encoded: time.Unix(seconds, 0), Payload: payload}, nil
}
