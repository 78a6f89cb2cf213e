# shellcheck shell=bash
# Sourced: installs Debian packages, as root or by sudo.

apt_updated=''
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}
# Prints the end of the output of a command only if that failed.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  [ "$status" = 0 ] || tail -n 40 "$log" >&2
  rm -f "$log"
  return "$status"
}
# Waits where another program installs something. For the lock of the package lists apt does not wait, and stages that run
# side by side may both update them: ours take turns. What a package starts must not inherit the lock.
apt_get() {
  (
    flock 8
    quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=180 "$@" 8<&-
  ) 8<scripts/apt.sh
}
can_install() { command -v apt-get >/dev/null && can_be_root; }
apt_update() {
  [ -z "$apt_updated" ] || return 0
  say "updating the package lists" >&2
  apt_get update || fail "apt-get update failed" "check the network, then try again"
  apt_updated=yes
}
apt_install() {
  [ $# -gt 0 ] || return 0
  can_install || fail "missing on this machine: $*" \
    "install them (as root: apt-get install $*), then try again"
  apt_update
  say "installing $*" >&2
  apt_get install --no-install-recommends "$@" || fail "could not install $*"
}
# For what is used if it can be had: never fails, and asks for new package lists only once.
apt_try() {
  local marker=$registry_dir/.without-$1
  can_install || return 0
  if ! apt_has "$1" && [ ! -e "$marker" ]; then
    (apt_update) || return 0
    apt_updated=yes
    if ! apt_has "$1"; then mkdir -p "$registry_dir" && touch "$marker"; fi
  fi
  if apt_has "$1"; then (apt_install "$1") || true; fi
}
installed() { [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ]; }
apt_has() { command -v apt-cache >/dev/null && [ -n "$(apt-cache show "$1" 2>/dev/null)" ]; }

# PostgreSQL refuses to run as root; Debian's packages make this user, too.
make_server_user() {
  id "$server_user" >/dev/null 2>&1 && return
  say "making the system user $server_user" >&2
  quietly useradd --system --user-group --no-create-home --home-dir /var/lib/postgresql --shell /bin/bash \
    --comment 'PostgreSQL administrator' "$server_user" ||
    fail "could not make the system user $server_user, which runs the server" "run this as an ordinary user"
}

# Installs the system libraries that the programs of a server's directory need.
install_libraries() {
  local library missing=() packages=()
  command -v ldd >/dev/null || return 0
  mapfile -t missing < <(ldd "$1"/bin/{postgres,initdb,psql} 2>/dev/null | awk '/not found/ { print $1 }' | sort -u)
  [ ${#missing[@]} -gt 0 ] || return 0
  for library in "${missing[@]}"; do
    case $library in
      libxml2.so.2) packages+=(libxml2) ;;
      libssl.so.3 | libcrypto.so.3) packages+=(libssl3) ;;
      libgssapi_krb5.so.2) packages+=(libgssapi-krb5-2) ;;
      libreadline.so.8) packages+=(libreadline8) ;;
      liblz4.so.1) packages+=(liblz4-1) ;;
      libzstd.so.1) packages+=(libzstd1) ;;
      *) fail "the server of the package registry needs $library, which this machine does not have" \
        "install PostgreSQL with headers and pgvector, and set PG_CONFIG" ;;
    esac
  done
  apt_install $(printf '%s\n' "${packages[@]}" | sort -u)
}

# Prints deb-src entries for a suite, made from the machine's own Debian entries.
debian_sources_for() {
  local file
  for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/*.sources; do
    if ! grep -qs '^Signed-By:.*debian-archive' "$file"; then continue; fi
    # The first stanza is the archive itself; security and updates have other suites.
    awk -v suite="$1" '
      /^#/ { next }
      /^[[:space:]]*$/ { if (stanza) exit; next }
      { stanza = 1 }
      /^Types:/ { $0 = "Types: deb-src" }
      /^Suites:/ { $0 = "Suites: " suite }
      { print }' "$file"
    return
  done
  # The one-line format of older installations.
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true; } |
    sed -n -E "/^deb +(\[[^]]*\] +)?[^ ]+ +(bookworm|stable) /{
      s/^deb +(\[[^]]*\] +)?([^ ]+) +.*/deb-src \1\2 $1 main/p
      q
    }"
}
