#!/usr/bin/env bash
# Each link between the pages of the project leads to a file that is there and to a heading in it; files that pages name
# are there, and pages of docs/ that source files name. Needs no server.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
failures=0

# Prints the anchors of a page, as they are made from its headings: lower case, signs dropped, spaces as hyphens.
anchors() {
  awk '/^```/ { fenced = !fenced } !fenced && /^#+ / { sub(/^#+ +/, ""); print tolower($0) }' "$1" |
    sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# Prompts are no pages, and the text of docs/reference/builtin.md has links as they are in docs/.
mapfile -t pages < <(git ls-files --cached --others --exclude-standard -- '*.md' |
  grep -vE '^(prompts/|research/builtin_practice/)')
broken=$(
  for page in "${pages[@]}"; do
    { awk '/^```/ { fenced = !fenced } !fenced' "$page" | grep -oE '\]\([^)]+\)' || true; } | sed 's/^](//; s/)$//' |
      while IFS= read -r link; do
        case $link in *://* | mailto:*) continue ;; esac
        file=${link%%#*} anchor=
        case $link in *#*) anchor=${link#*#} ;; esac
        target=$page
        [ -z "$file" ] || target=$(dirname "$page")/$file
        if [ ! -e "$target" ]; then
          printf '%s: %s\n' "$page" "$link"
        elif [ -n "$anchor" ] && ! anchors "$target" | grep -qxF "$anchor"; then
          printf '%s: %s has no such heading\n' "$page" "$link"
        fi
      done
  done
  # Files and folders of the repository that pages name.
  for page in "${pages[@]}"; do
    case $page in CHANGELOG.md | */CHANGELOG.md) continue ;; esac
    { grep -ohE '`(crates|demo|docs|fuzz|policy|scripts|sql|src|tests|tools)/[A-Za-z0-9_./*-]+`' "$page" || true; } | tr -d '`' | sort -u |
      while IFS= read -r path; do
        compgen -G "$path" >/dev/null || printf '%s: there is no %s\n' "$page" "$path"
      done
  done
  git grep -ohE '\bdocs/[a-z0-9_/-]+\.md' -- ':!CHANGELOG.md' ':!*/CHANGELOG.md' | sort -u | while IFS= read -r page; do
    [ -e "$page" ] || printf 'a source file names %s\n' "$page"
  done
)
if [ -z "$broken" ]; then
  printf 'ok - links between pages lead somewhere\n'
else
  printf '%s\n' "not ok - links between pages lead somewhere" "$broken"
  failures=1
fi
exit "$failures"
