#!/usr/bin/env bash
# The Debian package: what is in it, that dpkg installs and removes it, and that the extension works where the
# package puts it. PostgreSQL's directories come from a copy of the server of PG_CONFIG, with nothing of the
# extension in them but the files of the package.
#   deb.sh                made of what `build.sh debug` has built
#   deb.sh release        made of what `build.sh` has built
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lifecycle/check.sh"

if ! command -v dpkg-deb >/dev/null; then
  say "skipped: packages_deb needs dpkg"
  exit
fi
forget_callers_server
profile=${1:-debug}
server=deb_server
cluster=deb_cluster
work=$(mktemp -d)
clean_up() {
  scripts/cluster.sh remove "$cluster" || true
  rm -rf "$work" "${state:?}/$server"
  rmdir "$state" 2>/dev/null || true
}
trap clean_up EXIT
trap 'exit 130' INT TERM
chmod 755 "$work"
# dpkg looks for ldconfig, which users without root have not on their path.
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C
# Compressing well takes most of the time, and only what is released needs it.
if [ "$profile" != release ]; then export DPKG_DEB_COMPRESSOR_LEVEL=0; fi

deb=$(packaging/debian/build.sh "$(package_directory "$profile")" "$work/first")
package=postgresql-$postgres_major-text2sql
version=$(extension_version)

# What is in it.
contents=$(dpkg-deb --contents "$deb" | awk '{ print $1, $2, $6 }')
scripts=/usr/share/postgresql/$postgres_major/extension
expected=$(printf '%s\n' "$scripts/$extension--$version.sql" "$scripts/$extension.control")
found=$(awk '{ print substr($3, 2) }' <<<"$contents" | grep -xF "$expected" | sort)
same "deb: the control file and the script are where PostgreSQL looks" "$expected" "$found"
built=$(find "$(package_directory "$profile")/extension" -type f | wc -l)
found=$(grep -c "$scripts/.*[^/]\$" <<<"$contents")
same "deb: all scripts are in it" "$built" "$found"
found=$(grep -c " ./usr/lib/postgresql/$postgres_major/lib/$extension.so\$" <<<"$contents")
same "deb: so is the library" 1 "$found"
found=$(awk '$2 != "root/root" || ($1 !~ /^drwxr-xr-x$/ && $1 !~ /^-rw-r--r--$/)' <<<"$contents")
same "deb: everything belongs to root, and nobody else can write it" "" "$found"
found=$(awk '$3 !~ /\/$/ { print $3 }' <<<"$contents" | grep -vE "^./usr/(lib|share)/postgresql/$postgres_major/|^./usr/share/doc/$package/|^./usr/share/lintian/" || true)
same "deb: no file is anywhere else" "" "$found"
fields=$(dpkg-deb --field "$deb")
found=$(sed -n 's/^Depends: //p' <<<"$fields" | sed -E 's/, libc6 .*//')
same "deb: it depends on the server and pgvector" "postgresql-$postgres_major, postgresql-$postgres_major-pgvector (>= 0.7.0)" "$found"
if command -v dpkg-shlibdeps >/dev/null; then
  mkdir -p "$work/symbols/debian"
  printf '%s\n' "Source: x" "Package: x" "Architecture: any" >"$work/symbols/debian/control"
  dpkg-deb -x "$deb" "$work/symbols"
  # Its warnings are about the symbols of the server.
  expected=$(cd "$work/symbols" && dpkg-shlibdeps -O --warnings=0 "usr/lib/postgresql/$postgres_major/lib/$extension.so" 2>/dev/null |
    sed 's/^shlibs:Depends=//')
  found=$(sed -n 's/^Depends: .*, \(libc6 .*\)/\1/p' <<<"$fields")
  same "deb: its libraries are those that dpkg-shlibdeps finds" "$expected" "$found"
fi
dpkg-deb -x "$deb" "$work/unpacked"
dpkg-deb -e "$deb" "$work/control"
(cd "$work/unpacked" && md5sum --quiet -c "$work/control/md5sums") && found=fit || found="do not fit"
same "deb: the checksums fit" fit "$found"
if [ "$profile" = release ]; then
  found=$(for path in "$project" "$HOME" "${CARGO_HOME:-$HOME/.cargo}"; do
    grep -raoF -m 1 "$path/" "$work/unpacked/usr/lib" || true
  done)
  same "deb: the library names no directory of this machine" "" "$found"
  if command -v lintian >/dev/null; then
    found=$(lintian "$deb" 2>&1 | grep -E '^[EW]:' || true)
    same "deb: lintian finds neither errors nor warnings" "" "$found"
  fi
fi
packaging/debian/build.sh "$(package_directory "$profile")" "$work/second" >/dev/null
cmp -s "$deb" "$work/second/${deb##*/}" && found=same || found=different
same "deb: the same build gives the same file" same "$found"

symbols=$work/first/$package-dbgsym_${deb##*/"${package}"_}
dpkg-deb -x "$symbols" "$work/debug"
found=$(cd "$work/debug" && find . -type f)
same "deb: its symbols are a package of their own" "./usr/lib/debug/usr/lib/postgresql/$postgres_major/lib/$extension.so.debug" "$found"
library=$work/unpacked/usr/lib/postgresql/$postgres_major/lib/$extension.so
found=$(nm --defined-only "$library" 2>/dev/null | wc -l)
same "deb: the library has none" 0 "$found"
found=$(nm --demangle --defined-only "$work/debug/usr/lib/debug/usr/lib/postgresql/$postgres_major/lib/$extension.so.debug" | grep -c 'pg_text2sql::pg::guard' || true)
same "deb: functions have names in them" yes "$([ "$found" -gt 0 ] && echo yes)"

# dpkg installs it in an empty root, whose list of packages says what is there.
root=$work/root
in_root() { dpkg --root="$root" --force-not-root --force-unsafe-io --log=/dev/null "$@" 2>&1; }
list_as_installed() {
  printf '%s\n' "Package: $1" "Status: install ok installed" "Version: $2" "Architecture: $(dpkg --print-architecture)" \
    "Maintainer: nobody <nobody@localhost>" "Description: listed only" "" >>"$root/var/lib/dpkg/status"
}
mkdir -p "$root/var/lib/dpkg/"{info,updates}
list_as_installed libc6 "$(dpkg-query -W -f='${Version}' libc6)"
list_as_installed libgcc-s1 "$(dpkg-query -W -f='${Version}' libgcc-s1)"
list_as_installed "postgresql-$postgres_major" "$postgres_major.1-1"
listed=$(find "$root" -type f ! -path "$root/var/*")
found=$(in_root -i "$deb" | grep -o "depends on postgresql-$postgres_major-pgvector" | head -n 1 || true)
same "deb: it is not installed without pgvector" "depends on postgresql-$postgres_major-pgvector" "$found"
list_as_installed "postgresql-$postgres_major-pgvector" 0.8.0-1
in_root -i "$deb" >"$work/log" || cat "$work/log"
found=$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${db:Status-Abbrev}${Version}' "$package")
same "deb: it is installed with it" "ii $version-1" "$found"

# The files of the package, in a server.
PG_CONFIG=$(PG_CONFIG=$PGRX_PG_CONFIG_PATH scripts/server_copy.sh "$server")
export PG_CONFIG
choose_server
libraries=$("$PG_CONFIG" --pkglibdir)
case $libraries in "$state"/*) ;; *) fail "$libraries is no copy" ;; esac
cp "$root/usr/lib/postgresql/$postgres_major/lib/"* "$libraries/"
cp "$root/usr/share/postgresql/$postgres_major/extension/"* "$("$PG_CONFIG" --sharedir)/extension/"
scripts/cluster.sh start "$cluster"
eval "$(scripts/cluster.sh env "$cluster")"
found=$(query -d postgres -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE" \
  -c "SELECT value FROM text2sql.status() WHERE item = 'version'" -c "DROP EXTENSION pg_text2sql" 2>&1) || true
same "deb: CREATE EXTENSION gives that version" "$version" "$found"
if scripts/regress.sh >"$work/log" 2>&1; then found=passed; else found=$(cat "$work/log"); fi
same "deb: the SQL tests pass" passed "$found"

# The package of the embedder.
if [ -f "$encoder_file" ]; then
  encoder=$(packaging/debian/encoder.sh "$work/first")
  in_root -i "$encoder" >"$work/log" || cat "$work/log"
  found=$(cd "$root/usr/share/postgresql" && for major in *; do cmp "$major/$encoder_directory/${encoder_file##*/}" "$project/$encoder_file" && echo "$major"; done)
  same "deb: the embedder is where each version looks for it" "$(printf '%s\n' 15 16 17 18)" "$found"
  mkdir -p "$("$PG_CONFIG" --sharedir)/$encoder_directory"
  cp "$root/usr/share/postgresql/$postgres_major/$encoder_directory/"* "$("$PG_CONFIG" --sharedir)/$encoder_directory/"
  found=$(query -d postgres -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE" \
    -c "SELECT value FROM text2sql.status() WHERE item = 'embedder'" -c "DROP EXTENSION pg_text2sql" 2>&1) || true
  same "deb: it is used then" "multilingual (auto: its file is installed)" "$found"
  in_root -P postgresql-text2sql-encoder >"$work/log" || cat "$work/log"
else
  say "skipped: packages/deb needs the file of the embedder, which make setup fetches"
fi

in_root -P "$package" >"$work/log" || cat "$work/log"
found=$(find "$root" -type f ! -path "$root/var/*")
same "deb: removed, nothing of it is left" "$listed" "$found"
exit "$failures"
