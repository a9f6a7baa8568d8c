#!/usr/bin/env bash
# Version: python3-simgrid and libsimgrid3.32 3.32-2+b2 (Debian 12), the simulator below Batsim and others.
# Guess: 100 MB over an idle link of 100 MBps without latency take 1 s, as 1e9 flops on a host of 1 Gf do.
# Seen: they take 1.082 s. The network model that is there without setting, LV08, gives a flow 97 % of a link, for the
#   headers, and takes another 5 % of it for what goes back; these are numbers from measurements. With network/crosstraffic:0 it is 1.031 s, and with network/bandwidth-factor:1 as well 1 s.
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
cat >transfer.py <<-'END'
	import sys

	from simgrid import Actor, Engine, LinkInRoute, Mailbox, NetZone, this_actor

	engine = Engine(["transfer", "--log=root.thresh:error"] + sys.argv[1:])
	zone = NetZone.create_full_zone("zone")
	a, b, link = zone.create_host("a", "1Gf"), zone.create_host("b", "1Gf"), zone.create_link("link", "100MBps")
	link.set_latency(0)
	zone.add_route(a.netpoint, b.netpoint, None, None, [LinkInRoute(link)], True)
	zone.seal()

	def send():
	    Mailbox.by_name("box").put("x", 100_000_000)

	def receive():
	    Mailbox.by_name("box").get()
	    print("received after", round(Engine.clock, 3))

	def work():
	    this_actor.execute(1e9)
	    print("worked for", Engine.clock)

	Actor.create("send", a, send)
	Actor.create("receive", b, receive)
	Actor.create("work", a, work)
	engine.run()
END
simulate() { root/usr/bin/python3.11 transfer.py "$@" 2>warnings | grep -E '^(received|worked)' | xargs; }
seen="as it is: $(simulate)
without what goes back: $(simulate --cfg=network/crosstraffic:0)
and with the whole link: $(simulate --cfg=network/crosstraffic:0 --cfg=network/bandwidth-factor:1)"
wanted='as it is: worked for 1.0 received after 1.082
without what goes back: worked for 1.0 received after 1.031
and with the whole link: worked for 1.0 received after 1.0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
