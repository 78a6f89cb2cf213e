# shellcheck shell=bash
# Sourced, after environment.sh, by scripts that put a program beside those of PG_CONFIG.

# find_place PROGRAM COMMAND: sets its place, below DESTDIR if that is set, and how files are put there; where that is not
# permitted, COMMAND is what to run.
find_place() {
  require_pg_config
  local root=${DESTDIR:-}
  place=$root$("$pg_config" --bindir)/$1
  privileged=()
  if [ -z "$root" ] && [ ! -w "$(dirname "$place")" ]; then
    can_be_root || fail "no permission to write to $(dirname "$place")" "run: $2"
    # shellcheck disable=SC2034
    privileged=(sudo)
  fi
}

# put_program BUILT: puts a program at its place, unless it is there. A new file, because the old one may run.
put_program() {
  if cmp -s "$1" "$place"; then
    say "the installed $(basename "$place") is up to date"
    return
  fi
  "${privileged[@]}" install -D -m 755 "$1" "$place.new"
  "${privileged[@]}" mv -f "$place.new" "$place"
  say "installed $place"
}

# remove_program: removes it from its place.
remove_program() {
  "${privileged[@]}" rm -fv "$place"
}
