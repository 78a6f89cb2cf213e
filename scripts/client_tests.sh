# shellcheck shell=bash
# Sourced, after environment.sh, by scripts that test text2sql-server with clients written in Python: the clients
# come from the Python package registry, at the versions and checksums of a requirements.txt.
# shellcheck source=scripts/registry.sh
source scripts/registry.sh
# shellcheck source=scripts/apt.sh
source scripts/apt.sh

# skip NAME WHAT: prints that the test NAME needs WHAT, which this machine does not have, and ends.
skip() {
  if [ -n "${CI:-}" ] && can_install; then fail "$1 needs $2"; fi
  say "skipped: $1 needs $2"
  exit 0
}

# make_python TEST KIND REQUIREMENTS WHAT [MB] [sources]: sets python to an interpreter with what REQUIREMENTS pins, for
# which MB of the disk are free; with `sources` also what must be built. The environment is kept: its name says for which
# versions it is. Where it cannot be made, TEST is skipped.
make_python() {
  local test=$1 kind=$2 requirements=$3 what=$4 room=${5:-300} binary=(--only-binary :all:) environment work
  [ "${6:-}" != sources ] || binary=(--prefer-binary)
  command -v python3 >/dev/null || apt_try python3
  command -v python3 >/dev/null || skip "$test" "Python"
  environment=$registry_dir/$kind-$({ cat "$requirements" && python3 --version; } | cksum | cut -d' ' -f1)
  python=$environment/bin/python
  [ ! -x "$python" ] || return 0
  make_registry_dir "$room"
  work=$(mktemp -d "$registry_dir/.new.XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then apt_try python3-venv; fi
  say "fetching $what"
  if ! quietly python3 -m venv "$work/made"; then skip "$test" "Python's module venv"; fi
  quietly "$work/made/bin/python" -m pip install --quiet --no-cache-dir --disable-pip-version-check --no-input \
    --require-hashes "${binary[@]}" --requirement "$requirements" ||
    skip "$test" "$what, which could not be fetched from the package registry"
  # Another run may have been faster.
  mv -T "$work/made" "$environment" 2>/dev/null || [ -x "$python" ] || fail "could not move $work/made to $environment"
  rm -rf "$work"
  trap - EXIT
}

# start_server NAME: a server with the demo database, which is removed at the end.
start_server() {
  local name=$1
  forget_callers_server
  PG_CONFIG=$(scripts/server_copy.sh "${name}_server")
  export PG_CONFIG
  # shellcheck disable=SC2064
  trap "scripts/cluster.sh remove '$name'; rm -rf '${state:?}/${name}_server'" EXIT
  scripts/build.sh debug
  scripts/install.sh debug >/dev/null
  scripts/cluster.sh start "$name"
  eval "$(scripts/cluster.sh env "$name")"
  scripts/load_demo.sh
}
