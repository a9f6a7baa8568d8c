# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of lib.sh
# Slurm's controller. People submit from this container, too.

# shellcheck source=../../accounts/accounts.sh
. "$here/accounts/accounts.sh"

# accounted succeeds once all accounts are there: without them the controller
# refuses its users' jobs.
accounted() { [ -z "$(missing_associations "$cluster" || echo unknown)" ]; }

start_munged
await "slurmdbd and the accounts" accounted
install -d -m 755 -o slurm -g slurm /run/slurm
install -d -m 700 -o slurm -g slurm /var/lib/slurm/slurmctld
as slurm slurmctld -D
