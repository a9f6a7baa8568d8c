package testbed_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// accountsShell runs a line of shell with the functions of the accounts.
func accountsShell(t *testing.T, line string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", ". accounts/accounts.sh; "+line).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// What the shell reads from the table of accounts.
func TestAccountsTable(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"testbed_accounts":                          "astro\nbio",
		"testbed_users":                             strings.Join(users, "\n"),
		"echo $testbed_operator":                    operator,
		"users_with_ids | head -2":                  "ob-alice\t4201\nob-bob\t4202",
		"describe_accounts":                         "astro (shares 10): ob-alice ob-bob ob-carol ob-dave; bio (shares 10): ob-erin ob-frank ob-grace ob-heidi",
		"users_with_ids | cut -f2 | sort | uniq -d": "",
	} {
		if diff := cmp.Diff(want, accountsShell(t, line)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", line, diff)
		}
	}
	got := accountsShell(t, "association_commands mine")
	for _, want := range []string{
		"add cluster mine\n",
		"add account bio cluster=mine parent=root description=testbed organization=testbed fairshare=10\n",
		"add user ob-heidi cluster=mine account=bio fairshare=1 maxsubmitjobs=20000\n",
		"add user ostrich cluster=mine account=root fairshare=1\n",
		"modify user ostrich set adminlevel=Operator\n",
	} {
		if !strings.Contains(got+"\n", want) {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
}

// testAccounts: the accounts are made once. Made again they stay, with what
// somebody changed; what is lost comes back.
func (b *bed) testAccounts(t *testing.T) {
	t.Helper()
	tree := func() string {
		t.Helper()
		return b.do(t, "root", "sacctmgr", "-n", "-P", "show", "associations", "cluster="+cluster, "format=account,user,share,maxsubmit") + "\n" +
			b.do(t, "root", "sacctmgr", "-n", "-P", "show", "user", operator, "format=user,adminlevel")
	}
	again := func() string {
		t.Helper()
		cmd := b.command(t, "root", "bash", "-euo", "pipefail", "-c", `. "$0"; make_associations "$1"`, b.accounts(t), cluster)
		r := finish(t, cmd)
		if r.code != 0 || r.stderr != "" {
			t.Errorf("make_associations: exit code %d: %s", r.code, r.stderr)
		}
		return tree()
	}
	first := tree()
	for _, want := range []string{"astro||10|", "bio|ob-heidi|1|20000", operator + "|Operator"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %s in the tree:\n%s", want, first)
		}
	}
	if diff := cmp.Diff(first, again()); diff != "" {
		t.Errorf("made twice (-once +twice)\n%s", diff)
	}
	b.do(t, "root", "sacctmgr", "-i", "modify", "account", "bio", "cluster="+cluster, "set", "fairshare=30")
	b.do(t, "root", "sacctmgr", "-i", "modify", "user", operator, "set", "adminlevel=None")
	b.do(t, "root", "sacctmgr", "-i", "delete", "user", "ob-heidi")
	if diff := cmp.Diff(strings.Replace(first, "bio||10|", "bio||30|", 1), again()); diff != "" {
		t.Errorf("a share was changed, a user and the operator's rights taken away (-want +got)\n%s", diff)
	}
	b.do(t, "root", "sacctmgr", "-i", "modify", "account", "bio", "cluster="+cluster, "set", "fairshare=10")
}

// accounts is the file of the functions, wherever a command runs.
func (b *bed) accounts(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir + "/accounts/accounts.sh"
}
