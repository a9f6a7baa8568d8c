#!/usr/bin/env bash
# Version: python3-simgrid and libsimgrid3.32 3.32-2+b2 (Debian 12), the simulator below Batsim and others.
# Guess: one byte over a link with a latency of 1 ms takes 1 ms; 1 GB over a link of 1 GBps with 50 ms about 1.1 s; of two
#   transfers over one link each has half of it.
# Seen: the byte takes 13 ms: the network model that is there without setting, LV08, multiplies latencies by 13.01, from
#   measurements of TCP. The gigabyte takes 25 s, as a window of 4 MiB and the round trip bound what one transfer has. Of
#   two over one link the one with ten times the latency gets a tenth of what the other gets until that one has ended.
#   Factor and window can be set (network/latency-factor, network/TCP-gamma).
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-simgrid=3.32-2+b2 libsimgrid3.32=3.32-2+b2 libns3.37 libgsl27 libgslcblas0 libgfortran5 libquadmath0 libboost-context1.74.0 \
	libboost-stacktrace1.74.0 libxml2 libicu72 libsqlite3-0 python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name 'libsimgrid.so.3.32' | head -n 1)")
export LD_LIBRARY_PATH=$lib:$PWD/root/${lib#*/root/usr/} PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
cat >transfers.py <<-'END'
	import sys

	from simgrid import Actor, Engine, LinkInRoute, Mailbox, NetZone

	# Bandwidth of the link, bytes of a transfer, and the latency of each.
	bandwidth, size, latencies = sys.argv[1], int(float(sys.argv[2])), [float(x) for x in sys.argv[3].split(",")]
	engine = Engine(["transfers", "--log=root.thresh:error"] + sys.argv[4:])
	zone = NetZone.create_full_zone("zone")
	shared = zone.create_link("shared", bandwidth)
	shared.set_latency(0)

	def send(to):
	    Mailbox.by_name(to).put("x", size)

	def receive(to):
	    Mailbox.by_name(to).get()
	    print(round(Engine.clock, 3))

	for i, latency in enumerate(latencies):
	    here, there, way = zone.create_host(f"h{i}", "1Gf"), zone.create_host(f"t{i}", "1Gf"), zone.create_link(f"w{i}", "1TBps")
	    way.set_latency(latency)
	    zone.add_route(here.netpoint, there.netpoint, None, None, [LinkInRoute(shared), LinkInRoute(way)], True)
	    Actor.create("send", here, send, f"b{i}")
	    Actor.create("receive", there, receive, f"b{i}")
	zone.seal()
	engine.run()
END
simulate() { echo "$*: $(root/usr/bin/python3.11 transfers.py "$@" 2>warnings | grep -E '^[0-9]' | xargs)"; }
seen=$(
	simulate 1GBps 1 0.001
	simulate 1GBps 1 0.001 --cfg=network/latency-factor:1
	simulate 1GBps 1e9 0.05
	simulate 1GBps 1e9 0.05 --cfg=network/TCP-gamma:0
	simulate 100MBps 1e8 0.001,0.01
	simulate 100MBps 1e8 0.001,0.001
)
wanted='1GBps 1 0.001: 0.013
1GBps 1 0.001 --cfg=network/latency-factor:1: 0.001
1GBps 1e9 0.05: 25.23
1GBps 1e9 0.05 --cfg=network/TCP-gamma:0: 1.733
100MBps 1e8 0.001,0.01: 1.21 2.178
100MBps 1e8 0.001,0.001: 2.178 2.178'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
