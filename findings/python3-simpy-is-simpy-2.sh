#!/usr/bin/env bash
# Version: python3-simpy 2.3.1+dfsg-5 (Debian 12).
# Guess: "apt-get install python3-simpy" gives what SimPy's tutorials of the last ten years use: "import simpy",
#   simpy.Environment(), processes that are generators.
# Seen: there is no module simpy. It is SimPy 2: "from SimPy.Simulation import *", processes that are methods of classes,
#   "yield hold, self, 5", "yield request, self, machine".
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-simpy=2.3.1+dfsg-5 python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
export PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
expat=$(dirname "$(find root -name libexpat.so.1)")
export LD_LIBRARY_PATH=$PWD/$expat
code=0
root/usr/bin/python3.11 -c 'import simpy' 2>said || code=$?
cat >jobs.py <<-END
	from SimPy.Simulation import Process, Resource, activate, hold, initialize, now, release, request, simulate

	class Job(Process):
	    def run(self, machine, length):
	        yield request, self, machine
	        start = now()
	        yield hold, self, length
	        yield release, self, machine
	        print(self.name, start, now())

	initialize()
	machine = Resource(capacity=1)
	for name, length in ("first", 5), ("second", 3):
	    job = Job(name)
	    activate(job, job.run(machine, length))
	simulate(until=100)
END
seen="import simpy: exit $code, $(tail -n 1 said)
$(root/usr/bin/python3.11 jobs.py)"
wanted='import simpy: exit 1, ModuleNotFoundError: No module named '\''simpy'\''
first 0 5
second 5 8'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
