# shellcheck shell=bash
# All parts of the testbed's commands. The caller sets $here to their directory.
# shellcheck disable=SC2154
# shellcheck source=common.sh
. "$here/lib/common.sh"
# shellcheck source=packages.sh
. "$here/lib/packages.sh"
# shellcheck source=config.sh
. "$here/lib/config.sh"
# shellcheck source=daemons.sh
. "$here/lib/daemons.sh"
# shellcheck source=accounting.sh
. "$here/lib/accounting.sh"
# shellcheck source=ready.sh
. "$here/lib/ready.sh"
# shellcheck source=programs.sh
. "$here/lib/programs.sh"
