#!/usr/bin/env bash
# Version: gridengine-master and gridengine-client 8.1.9+dfsg-10+b1 (Son of Grid Engine, Debian 12).
# Guess: if qsub says "Unable to run job" and ends with 1 there is no job; -terse prints the id of one that is there.
#   "-hold_jid 999" of a job that is not there is refused, or holds; after a predecessor that was deleted nothing starts.
# Seen: where no queue takes the job as yet qsub says so, ends with 1, prints no id, and has submitted it: who tries
#   again has it twice. A predecessor that is not there holds nothing (qw, not hqw), and one that is deleted no more:
#   -hold_jid is Slurm's afterany. "-w e" is what refuses.
# Ends with 0 if that is still so, 1 if not. Runs a qmaster on port 29875 of this host for some seconds, as root, in
# mount and host name spaces of its own.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download gridengine-master=8.1.9+dfsg-10+b1 gridengine-client=8.1.9+dfsg-10+b1 gridengine-common=8.1.9+dfsg-10 \
	libdb5.3 libjemalloc2 libtirpc3 libhwloc15 libmunge2 libssl3 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
chmod 755 "$tmp"
mkdir -p sge/default/common sge/spool/job_scripts sge/db
echo localhost >sge/default/common/act_qmaster
printf '%s\n' 'Version: 6.2' 'admin_user none' 'default_domain none' 'ignore_fqdn false' 'spooling_method berkeleydb' \
	'spooling_lib libspoolb' "spooling_params $PWD/sge/db" 'binary_path /usr/lib/gridengine' "qmaster_spool_dir $PWD/sge/spool" \
	'security_mode none' 'listener_threads 2' 'worker_threads 2' 'scheduler_threads 1' >sge/default/common/bootstrap
libs=$PWD/$(dirname "$(find root -name 'libdb-5.3.so' | head -n 1)")
export SGE_ROOT=$PWD/sge SGE_CELL=default SGE_QMASTER_PORT=29875 SGE_EXECD_PORT=29876 LD_LIBRARY_PATH=$libs:/usr/lib/gridengine
# The programs want to be in /usr/lib/gridengine, and the host to have a name that its address has.
cat >inside <<-'END'
	set -euo pipefail
	trap "kill \$(jobs -p) 2>/dev/null || true; wait" EXIT
	hostname localhost
	mount -t overlay -o "lowerdir=$PWD/root/usr/lib:/usr/lib" overlay /usr/lib
	PATH=/usr/lib/gridengine:$PATH share=$PWD/root/usr/share/gridengine
	spoolinit berkeleydb libspoolb "$PWD/sge/db" init
	spooldefaults.bin configuration "$share/default-configuration"
	spooldefaults.bin complexes "$share/util/resources/centry"
	spooldefaults.bin usersets "$share/util/resources/usersets"
	spooldefaults.bin managers root
	SGE_ND=1 sge_qmaster >out 2>&1 &
	for _ in $(seq 60); do
		! qconf -sh >/dev/null 2>&1 || break
		sleep 1
	done
	qconf -as localhost >/dev/null 2>&1
	submit() { # NAME OPTION...
		local code=0
		runuser -u nobody -- qsub -terse -b y -N "$@" /bin/true >id 2>said || code=$?
		echo "$1: exit $code, id: $(cat id), $(grep -oE 'Unable|no suitable|submitted' said | xargs)"
	}
	state() { qstat -u '*' | awk -v name="$1" '$3 == name { print name ": " $5 }'; }
	submit first
	submit refused -w e
	submit missing -hold_jid 999
	submit second -hold_jid first
	for name in first refused missing second; do state "$name"; done
	runuser -u nobody -- qdel first >/dev/null
	echo "first is deleted: $(state second)"
	qconf -km >/dev/null
	wait
END
seen=$(unshare --mount --uts bash inside)
wanted='first: exit 1, id: , Unable submitted
refused: exit 1, id: , Unable no suitable
missing: exit 1, id: , Unable submitted
second: exit 1, id: , Unable submitted
first: qw
missing: qw
second: hqw
first is deleted: second: qw'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
