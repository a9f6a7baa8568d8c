// Package asking answers the questions of the commands of users: it asks the ostrichd of this
// host or of another one, or looks at Slurm and accounting itself.
package asking

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"syscall"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/remote"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/socket/client"
	"slurm-ostrich/cmd/internal/view"
)

// Of a command's description: Text says whom it asks, Itself when it asks nobody.
const (
	Text = "The answer is from the latest cycle of the ostrichd of this host, which shows what Slurm shows of others' jobs.\n" +
		"On a host that --url, OSTRICH_URL or " + remote.DefaultFile + " tells of another one, that one is asked, and munge proves who asks."
	Itself = "With --config, --clusters or a setting of ostrichd, as an option or in the environment, and where no ostrichd\n" +
		"answers, the command looks at Slurm and accounting itself; that takes the rights to read them."
)

// Flags returns the options that say whom a command asks: the settings of ostrichd, the socket
// among them, and the address of another host.
func Flags() []cli.Flag {
	flags := []cli.Flag{&cli.StringFlag{
		Name: "url", Usage: "ask the ostrichd of another host at `URL`, http://HOST:PORT or https://HOST:PORT; empty: at the socket", DefaultText: "OSTRICH_URL, or that of " + remote.DefaultFile,
	}}
	for _, f := range configuration.Flags(true) {
		if f, ok := f.(*cli.StringFlag); ok && f.Name == "socket" {
			f.Hidden, f.Category = false, ""
			f.Usage = "ask ostrichd at `PATH`; empty: look at Slurm and accounting anew"
		}
		flags = append(flags, f)
	}
	return flags
}

// Ask answers a question of a command. An unknown user is an error.
func Ask[Answer any](c *cli.Context, q view.Query[Answer], by *view.Selection) (Answer, error) {
	answer, err := Anybody(c, q, by)
	if of, ok := any(answer).(interface{ HasUser(name string) bool }); ok && err == nil {
		if err = configuration.Readable(c).KnownUsers(c.Context, by.Users, of); err != nil {
			err = fmt.Errorf("%s: %w", c.Command.Name, err)
		}
	}
	return answer, err
}

// Anybody answers a question as Ask does, and may know nothing of the users that are named.
func Anybody[Answer any](c *cli.Context, q view.Query[Answer], by *view.Selection) (answer Answer, err error) {
	var nobody error
	said, err := far(c, q.Name, by)
	if said == nil && err == nil {
		said, nobody, err = Daemon(c, q.Name, by)
	}
	switch {
	case err != nil:
		return answer, err
	case said != nil:
		if err = json.Unmarshal(said.JSON, &answer); err != nil {
			err = fmt.Errorf("ostrichd at %s: its answer cannot be read: %w", said.From, err)
		}
		return answer, err
	}
	config, err := configuration.LoadCluster(c)
	if err == nil {
		err = look(c, config, func(s *sidecar.Sidecar, cycle *sidecar.Cycle) (err error) {
			answer, err = q.Of(c.Context, view.Describe(s, cycle, nil), view.Everything(), by)
			return err
		})
	}
	return answer, Alone(c, nobody, err)
}

// Alone returns the error of a command that no daemon answers, and that could not look for
// itself either. Whoever may read Slurm and accounting learns both reasons. Others are told
// where ostrichd answers, which is what they need.
func Alone(c *cli.Context, nobody, err error) error {
	return alone(func() bool { return entitled(c) }, nobody, err)
}

func alone(entitled func() bool, nobody, err error) error {
	switch {
	case nobody == nil || err == nil || errors.Is(err, view.ErrNoJob):
		return err
	case entitled():
		return fmt.Errorf("%w; to do without it, this command needs the configuration of ostrichd and the rights to read: %w", nobody, err)
	}
	what := "ostrichd answers at its own host, which need not be this one: run the command there, or open the status page if your site has one. " +
		"Ask your administrators for that host and page; where ostrichd answers other hosts, name its address by --url, OSTRICH_URL or url in " + remote.DefaultFile +
		", and where it answers at another path of this one (its setting socket), --socket PATH"
	switch {
	case errors.Is(nobody, fs.ErrPermission):
		what = "this user may not open it: ask your administrators to let you (every user of the host should be able to)"
	case errors.Is(nobody, syscall.ECONNREFUSED):
		what = "its socket is there, and it does not run: tell your administrators. Your jobs wait and start all the same"
	}
	return fmt.Errorf("%w; %s", nobody, what)
}

// entitled reports whether who runs a command can make use of the reasons for which it could
// not look for itself: they may read the configuration, or are operators of Slurm.
func entitled(c *cli.Context) bool {
	f, err := os.Open(configuration.DefaultFile)
	if err == nil {
		_ = f.Close() // It was not read.
		return true
	}
	if os.Geteuid() == 0 {
		return true
	}
	me, err := user.Current()
	if err != nil {
		return false
	}
	operator, err := configuration.Readable(c).Operator(c.Context, me.Username)
	return operator && err == nil
}

// far asks the ostrichd of another host as Daemon does. The answer is nil if none is named.
func far(c *cli.Context, question string, by *view.Selection) (*client.Answer, error) {
	at, err := askedFar(c)
	if err != nil || at == nil {
		return nil, err
	}
	answer, err := at.Ask(c.Context, question, by)
	warn(c, answer)
	return answer, err
}

// askedFar returns where the ostrichd of another host is asked, as the option, the environment
// or the file says, in this order; nil if none does, or if the command is to look for itself or
// ask at a socket.
func askedFar(c *cli.Context) (*remote.Settings, error) {
	other, given := settingGiven(c), c.IsSet("url")
	_, socketInEnvironment := os.LookupEnv("OSTRICH_SOCKET")
	socketGiven := c.IsSet("socket") && !socketInEnvironment
	variable := os.Getenv("OSTRICH_URL")
	switch {
	case given && c.String("url") != "" && other != "":
		return nil, fmt.Errorf("%s: --url asks ostrichd, which has settings of its own; %s does not go with it", c.Command.Name, other)
	case given && socketGiven:
		return nil, fmt.Errorf("%s: --url or --socket, not both", c.Command.Name)
	case given && c.String("url") == "", other != "", socketGiven, !given && variable == "" && socketInEnvironment:
		return nil, nil //nolint:nilnil // it is asked nowhere
	}
	at, err := remote.Read(cmp.Or(os.Getenv("OSTRICH_CLIENT_FILE"), remote.DefaultFile))
	if err != nil {
		return nil, err
	}
	from := ""
	switch {
	case given:
		at.URL, from = c.String("url"), "--url: "
	case variable != "":
		at.URL, from = variable, "OSTRICH_URL: "
	case at.URL == "":
		return nil, nil //nolint:nilnil // likewise
	}
	if _, err = remote.ParseURL(at.URL); err != nil {
		return nil, fmt.Errorf("%s: %s%w", c.Command.Name, from, err)
	}
	return at, nil
}

// Daemon asks the ostrichd of this host, and prints its warning. The answer is nil if the
// command is to look for itself; if that is because no daemon answers, nobody is the reason.
func Daemon(c *cli.Context, question string, by *view.Selection) (answer *client.Answer, nobody, err error) {
	path, err := askedSocket(c)
	if err != nil || path == "" || c.IsSet("address") {
		return nil, nil, err
	}
	answer, err = client.Ask(c.Context, path, question, by)
	if errors.Is(err, client.ErrNobody) && !c.IsSet("socket") {
		return nil, err, nil
	}
	warn(c, answer)
	return answer, nil, err
}

// warn prints the warning of an answer, if there is one.
func warn(c *cli.Context, answer *client.Answer) {
	if answer != nil && answer.Warning != "" {
		console.Say(c.App.ErrWriter, "warning: %s", answer.Warning)
	}
}

// askedSocket returns the path at which ostrichd is asked. It is "" if the command looks
// for itself, as it does with any setting: the daemon has its own.
func askedSocket(c *cli.Context) (string, error) {
	path := configuration.DefaultSocket
	if c.IsSet("socket") {
		path = c.String("socket")
	}
	other := settingGiven(c)
	_, inEnvironment := os.LookupEnv("OSTRICH_SOCKET")
	switch {
	case other == "":
		return path, nil
	case path != "" && c.IsSet("socket") && !inEnvironment:
		return "", fmt.Errorf("%s: --socket asks ostrichd, which has settings of its own; %s does not go with it", c.Command.Name, other)
	}
	return "", nil
}

// settingGiven returns a setting other than the socket that an option or the
// environment gives, "" if there is none.
func settingGiven(c *cli.Context) string {
	for _, f := range append(configuration.Flags(true), configuration.ClusterFlag()) {
		name := f.Names()[0]
		if name == "socket" || !c.IsSet(name) {
			continue
		}
		if d, ok := f.(cli.DocGenerationFlag); ok && arguments.FromEnvironment(f) {
			return "--" + name + " or " + d.GetEnvVars()[0]
		}
		return "--" + name
	}
	none := configuration.Default()
	for _, s := range configuration.Settings(&none) {
		if _, ok := os.LookupEnv(s.Env()); ok && s.NoFlag {
			return s.Env()
		}
	}
	return ""
}

// look does the reading part of one cycle, with a sign of life on a terminal, and then
// calls do with it.
func look(ctx *cli.Context, c configuration.Config, do func(*sidecar.Sidecar, *sidecar.Cycle) error) error {
	done := console.Alive(ctx.App.ErrWriter, "reading the accounting of the last "+configuration.FormatSpan(c.Database.History))
	s, err := sidecar.Open(ctx.Context, c, nil, nil)
	if err != nil {
		done()
		return err
	}
	cycle, err := s.Run(ctx.Context, false)
	done()
	if err == nil {
		leftOut(ctx, cycle)
		err = do(s, cycle)
	}
	if bad := s.Close(); bad != nil {
		return bad
	}
	return err
}

// leftOut reports on standard error what was left out.
func leftOut(ctx *cli.Context, c *sidecar.Cycle) {
	w := ctx.App.ErrWriter
	if c.Names != nil {
		console.Say(w, "warning: %v", c.Names)
	}
	if c.Journal != nil {
		console.Say(w, "warning: %v", c.Journal)
	}
	if n := len(c.Skipped); n > 0 {
		console.Say(w, "%s left out as invalid, first job %d: %s", format.Plural(n, "accounting row"), c.Skipped[0].Job, c.Skipped[0].Why)
	}
	if n := len(c.Odd); n > 0 {
		console.Say(w, "%s rejected, first: %v", format.Plural(n, "event"), c.Odd[0])
	}
}
