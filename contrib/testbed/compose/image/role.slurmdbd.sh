# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of lib.sh
# Slurm's accounting daemon.

start_munged
await mariadb mariadb_answers
install -d -m 755 -o slurm -g slurm /run/slurm
as slurm slurmdbd -D
