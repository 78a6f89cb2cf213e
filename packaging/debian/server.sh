#!/usr/bin/env bash
# Makes the Debian package of text2sql-server from what scripts/text2sql_server.sh has built: the program, a service
# of systemd and its configuration. Prints the file's name.
#   server.sh                       from target/release to target/packages
#   server.sh PROGRAM DIRECTORY
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/environment.sh"
# shellcheck source=packaging/debian/program.sh
source packaging/debian/program.sh

built=${1:-${CARGO_TARGET_DIR:-target}/release/$server_program}
[ -x "$built" ] || fail "$built is not built" "run: scripts/text2sql_server.sh build"
begin_program "$server_program" "$built" "${2:-target/packages}"
install -D -m 644 packaging/server/text2sql-server.service "$root/usr/lib/systemd/system/text2sql-server.service"
install -D -m 644 packaging/server/text2sql-server.toml "$root/etc/text2sql-server.toml"
printf '/etc/text2sql-server.toml\n' >"$root/DEBIAN/conffiles"
install -m 644 docs/server.md "$documents/"
install -D -m 644 docs/reference/server.md "$documents/reference/server.md"
packaging/third_party_licences.sh text2sql_server | gzip -9n >"$documents/third_party_licences.gz"
end_program <<TEXT
Recommends: ca-certificates
Description: page and HTTP in front of a database with pg_text2sql
 People who know no SQL ask a PostgreSQL database in plain language, in a
 browser; programs do it over HTTP. People log in with their own name and
 password of PostgreSQL, which decides what they may see.
 .
 The database needs the extension pg_text2sql, and may be on another machine.
TEXT
