#!/usr/bin/env bash
# Version: snakemake 7.21.0-1 (Debian 12), with Python 3.11.
# Guess: with "--resources mem_mb=1000" a job whose rule asks for 4000 is refused, or ends the run before anything has started; one whose rule
#   names no memory counts with a default. Slurm refuses the first.
# Seen: the request is cut to what there is: the job is started, at once, and told that it has 1000, as threads are cut to
#   --cores. The log does not have what its rule said. Of nothing (mem_mb=0) it has 0. Jobs that name no memory count for
#   none: both of them run at once where there is 1 MB, and only with --default-resources one after the other.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download snakemake=7.21.0-1 python3-configargparse python3-connection-pool python3-datrie libdatrie1 python3-docutils docutils-common python3-git \
	python3-gitdb python3-smmap python3-humanfriendly python3-jinja2 python3-markupsafe python3-jsonschema python3-pyrsistent python3-attr python3-nbformat \
	python3-fastjsonschema python3-jupyter-core python3-traitlets python3-psutil python3-pulp python3-pyparsing python3-requests python3-urllib3 \
	python3-idna python3-chardet python3-charset-normalizer python3-certifi ca-certificates python3-retry python3-decorator python3-py python3-smart-open \
	python3-stopit python3-tabulate python3-throttler python3-toposort python3-wrapt python3-yaml libyaml-0-2 python3-appdirs python3-packaging \
	python3-ratelimiter python3-roman python3-distutils python3-lib2to3 \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 python3-pkg-resources python3-six python3-setuptools 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$(find "$PWD/root" -name '*.so.*' -exec dirname {} + | sort -u | paste -sd:)
export LD_LIBRARY_PATH PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages HOME=$PWD
cat >Snakefile <<-'END'
	rule all:
	    input: "large", "first", "second"
	rule large:
	    output: "large"
	    threads: 8
	    resources: mem_mb=4000
	    shell: "echo {threads} threads, {resources.mem_mb} MB >{output}"
	# Each of the two ends well only if the other one runs beside it.
	rule nameless:
	    output: "first"
	    shell: "echo begun >{output}; sleep 4; test -e second"
	rule nameless_too:
	    output: "second"
	    shell: "echo begun >{output}; sleep 4; test -e first"
END
cat >Single <<-'END'
	rule large:
	    output: "large"
	    threads: 8
	    resources: mem_mb=4000
	    shell: "echo {threads} threads, {resources.mem_mb} MB >{output}"
END
run() { # ARGUMENT...
	local code=0
	rm -f large first second
	root/usr/bin/python3.11 root/usr/bin/snakemake --nolock "$@" >log 2>&1 || code=$?
	echo "$*: ends with $code, $(cat large 2>/dev/null || echo nothing), the log has 4000: $(grep -c 4000 log || true) times"
}
seen=$(
	run --snakefile Single --cores 8
	run --snakefile Single --cores 2 --resources mem_mb=1000
	run --snakefile Single --cores 2 --resources mem_mb=0
	run --snakefile Snakefile --cores 3 --resources mem_mb=1
	run --snakefile Snakefile --cores 3 --resources mem_mb=1 --default-resources mem_mb=1
)
wanted='--snakefile Single --cores 8: ends with 0, 8 threads, 4000 MB, the log has 4000: 1 times
--snakefile Single --cores 2 --resources mem_mb=1000: ends with 0, 2 threads, 1000 MB, the log has 4000: 0 times
--snakefile Single --cores 2 --resources mem_mb=0: ends with 0, 2 threads, 0 MB, the log has 4000: 0 times
--snakefile Snakefile --cores 3 --resources mem_mb=1: ends with 0, 3 threads, 1 MB, the log has 4000: 0 times
--snakefile Snakefile --cores 3 --resources mem_mb=1 --default-resources mem_mb=1: ends with 1, 3 threads, 1 MB, the log has 4000: 0 times'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
