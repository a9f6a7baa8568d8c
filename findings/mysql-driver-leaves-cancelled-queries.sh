#!/usr/bin/env bash
# Version: github.com/go-sql-driver/mysql v1.10.1 with MariaDB 1:10.11.19-0+deb12u1 (Debian 12).
# Guess: a query whose context ends is ended in the server, or at the latest when the driver closes its connection.
# Seen: the call returns in time ("context deadline exceeded"), and the server works on: four seconds later the statement is
#   in the list of processes and computes. A tool that tries again after the timeout makes one more: two of them are there.
#   "set statement max_statement_time=1 for" ends it in the server too.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched. Runs MariaDB on a socket for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill -KILL $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
m=1:10.11.19-0+deb12u1
apt-get -qq download mariadb-server-core=$m mariadb-client-core=$m libmariadb3=$m liburing2 libnuma1 libpcre2-8-0 libsnappy1v5 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
libs=$PWD/$(dirname "$(find root -name 'libmariadb.so.3' | head -n 1)")
mkdir data
cat >main.go <<-'END'
	package main

	import (
		"context"
		"database/sql"
		"fmt"
		"os"
		"time"

		_ "github.com/go-sql-driver/mysql"
	)

	func main() {
		db, err := sql.Open("mysql", "root@unix("+os.Args[1]+")/")
		if err != nil {
			panic(err)
		}
		for _, limit := range []string{"", "set statement max_statement_time=1 for "} {
			for range 2 {
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				begin := time.Now()
				_, err := db.ExecContext(ctx, limit+"select /* ours */ count(*) from information_schema.collations a, information_schema.collations b, information_schema.collations c, information_schema.collations d")
				cancel()
				fmt.Printf("%q: returns within three seconds: %t\n%v\n", limit, time.Since(begin) < 3*time.Second, err)
			}
			time.Sleep(4 * time.Second)
			var left int
			if err := db.QueryRow("select count(*) from information_schema.processlist where info like '%ours%' and id != connection_id()").Scan(&left); err != nil {
				panic(err)
			}
			fmt.Println("in the server four seconds later:", left)
			db.Exec("kill query user root")
		}
	}
END
go mod init driver 2>/dev/null
go get github.com/go-sql-driver/mysql@v1.10.1 2>said || { echo "github.com/go-sql-driver/mysql@v1.10.1 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
go build -o driver .
export LD_LIBRARY_PATH=$libs PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mariadb-install-db --no-defaults --auth-root-authentication-method=normal --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root >out-install 2>&1
mariadbd --no-defaults --basedir="$PWD/root/usr" --datadir="$PWD/data" --user=root --socket="$PWD/socket" --skip-networking >out 2>&1 &
for _ in $(seq 60); do
	! mariadb --no-defaults --socket="$PWD/socket" -u root -e 'select 1' >/dev/null 2>&1 || break
	sleep 1
done
seen=$(./driver "$PWD/socket")
wanted='"": returns within three seconds: true
context deadline exceeded
"": returns within three seconds: true
context deadline exceeded
in the server four seconds later: 2
"set statement max_statement_time=1 for ": returns within three seconds: true
Error 1969 (70100): Query execution was interrupted (max_statement_time exceeded)
"set statement max_statement_time=1 for ": returns within three seconds: true
Error 1969 (70100): Query execution was interrupted (max_statement_time exceeded)
in the server four seconds later: 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
