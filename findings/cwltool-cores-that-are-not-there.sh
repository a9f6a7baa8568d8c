#!/usr/bin/env bash
# Version: cwltool 3.1.20230209161050-1 (Debian 12), with Python 3.11.
# Guess: a tool whose ResourceRequirement has a coresMin or ramMin that the machine does not have is refused, or waits, as by a
#   scheduler; a name in the file of inputs that the tool does not have is an error, as it is on the command line, or a warning.
# Seen: it runs, on whatever there is, and is told that it has all: runtime.cores is 4096, which scripts hand on as the number of
#   threads. Only --parallel refuses it. A mistyped input in the file is dropped without a word, and the tool runs with
#   its default and ends with 0.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download cwltool=3.1.20230209161050-1 python3-ruamel.yaml.clib python3-ruamel.yaml python3-msgpack python3-cachecontrol python3-mistune \
	python3-mistune0 python3-mypy-extensions python3-isodate python3-rdflib python3-filelock python3-schema-salad cwl-upgrader python3-humanfriendly \
	python3-coloredlogs python3-packaging python3-cwl-utils python3-dateutil python3-lxml python3-networkx python3-prov python3-psutil python3-pydot \
	python3-shellescape python3-typing-extensions python3-arcp python3-argcomplete python3-pyparsing python3-requests python3-urllib3 python3-idna \
	python3-chardet python3-charset-normalizer python3-certifi ca-certificates python3-distutils python3-lib2to3 libxml2 libxslt1.1 libicu72 libyaml-0-2 \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 python3-pkg-resources python3-six python3-setuptools 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$(find "$PWD/root" -name '*.so.*' -exec dirname {} + | sort -u | paste -sd:)
export LD_LIBRARY_PATH PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
cat >tool.cwl <<-'END'
	cwlVersion: v1.2
	class: CommandLineTool
	requirements:
	  ResourceRequirement: {coresMin: 4096, ramMin: 100000000}
	baseCommand: [echo, cores]
	arguments: [$(runtime.cores), MiB, $(runtime.ram), steps, $(inputs.steps)]
	inputs:
	  steps: {type: int, default: 10}
	outputs: {said: {type: stdout}}
	stdout: said
END
echo '{"steps": 99}' >well.json
echo '{"setps": 99}' >mistyped.json
run() { # ARGUMENT...
	local code=0
	rm -f said
	root/usr/bin/python3.11 root/usr/bin/cwltool "$@" >out 2>log || code=$?
	echo "$*: ends with $code, $(cat said 2>/dev/null || echo nothing), lines that warn or have the name: $(grep -ciE "warn|setps" log || true), $(grep -o 'Requested at least .* cores' log || echo no refusal)"
}
seen=$(
	run tool.cwl well.json
	run --parallel tool.cwl well.json
	run tool.cwl mistyped.json
	run tool.cwl --setps 99
)
wanted='tool.cwl well.json: ends with 0, cores 4096 MiB 100000000 steps 99, lines that warn or have the name: 0, no refusal
--parallel tool.cwl well.json: ends with 1, nothing, lines that warn or have the name: 0, Requested at least 4096 cores
tool.cwl mistyped.json: ends with 0, cores 4096 MiB 100000000 steps 10, lines that warn or have the name: 0, no refusal
tool.cwl --setps 99: ends with 2, nothing, lines that warn or have the name: 1, no refusal'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
