#!/usr/bin/env bash
# Version: gridengine-master and gridengine-client 8.1.9+dfsg-10+b1 (Son of Grid Engine, Debian 12).
# Guess: "-l h_vmem=4g" asks for what "-l h_vmem=4G" does, as --mem does in Slurm; "-l h_rt=1:30" is a minute
#   and a half, or an hour and a half; "-t 3" makes the tasks 1 to 3.
# Seen: g is 10^9 and G 2^30, so a queue with h_vmem=4g takes 4g and no 4G. 1:30 is no time, 0:1:30 and ":90:" are, and 1.5
#   is rounded up to 2 s. "-t 3" makes the one task 3, and "-t 5-1" the tasks 1 to 5.
# Ends with 0 if that is still so, 1 if not. Runs a qmaster on port 29745 of this host for some seconds, as root, in
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
export SGE_ROOT=$PWD/sge SGE_CELL=default SGE_QMASTER_PORT=29745 SGE_EXECD_PORT=29746 LD_LIBRARY_PATH=$libs:/usr/lib/gridengine
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
	sed -e "s/^qname.*/qname q/; s/^hostlist.*/hostlist localhost/" -e 's/^h_vmem .*/h_vmem 4g/; s/^pe_list .*/pe_list NONE/; s/^ckpt_list .*/ckpt_list NONE/' <(qconf -sq) >queue
	printf '%s\n' 'hostname localhost' 'load_scaling NONE' 'complex_values NONE' 'user_lists NONE' 'xuser_lists NONE' \
		'projects NONE' 'xprojects NONE' 'usage_scaling NONE' 'report_variables NONE' >host
	qconf -Ae host >/dev/null 2>&1 || true
	qconf -Aq queue >/dev/null 2>&1 || true
	for size in 4g 4G 3800M; do
		echo "queue of 4g, h_vmem=$size: $(qselect -l "h_vmem=$size" 2>/dev/null || echo none)"
	done
	submit() { # OPTION...
		runuser -u nobody -- qsub -h -w n -b y -N j "$@" /bin/true >said 2>&1 || true # there is no machine as yet
		echo "$*: $( (qstat -j j 2>/dev/null || true) | sed -nE 's/^(hard resource_list|job-array tasks): */\1 /p' | xargs)$(grep -o 'not a time value' said || true)"
		runuser -u nobody -- qdel j >/dev/null 2>&1 || true
	}
	submit -l h_rt=1:30
	submit -l h_rt=0:1:30
	submit -l h_rt=:90:
	submit -l h_rt=1.5
	submit -t 3
	submit -t 5-1
	qconf -km >/dev/null
	wait
END
seen=$(unshare --mount --uts bash inside)
wanted='queue of 4g, h_vmem=4g: q@localhost
queue of 4g, h_vmem=4G: none
queue of 4g, h_vmem=3800M: q@localhost
-l h_rt=1:30: not a time value
-l h_rt=0:1:30: hard resource_list h_rt=90
-l h_rt=:90:: hard resource_list h_rt=5400
-l h_rt=1.5: hard resource_list h_rt=2
-t 3: job-array tasks 3-3:1
-t 5-1: job-array tasks 1-5:1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
