#!/usr/bin/env bash
# Writes the function policy of a major version from the catalogs of that version and of the one before, and
# lists in policy/review_pgNN.md what a human has to review (policy/README.md). Ends with an error as long as a
# function waits for its review; the policy refuses it until then.
#   policy.sh NN
# SERVER_NN and SERVER_MM can name the pg_config of the two servers, such as SERVER_17.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

first=15
[ $# = 1 ] && [[ $1 =~ ^[0-9]+$ ]] && [ "$1" -ge "$first" ] || fail "usage: policy.sh NN, a major version from $first on"
major=$1
before=$((major - 1))
policy=policy/functions_pg$major.txt
review=policy/review_pg$major.md
work=$(mktemp -d)
clean_up() {
  scripts/cluster.sh remove "$cluster" 2>/dev/null || true
  rm -rf "${work:?}"
}
cluster=policy
trap clean_up EXIT
trap 'exit 130' INT TERM
forget_callers_server

# Prints what a query returns on a new cluster of a major version, as tab-separated fields. Only initdb's objects
# are in it.
query_on() {
  local server=SERVER_$1
  (
    export PG=$1
    unset PG_CONFIG
    if [ -n "${!server:-}" ]; then export PG_CONFIG=${!server}; fi
    choose_server
    require_server
    scripts/cluster.sh remove "$cluster"
    scripts/cluster.sh start "$cluster"
    eval "$(scripts/cluster.sh env "$cluster")"
    "$bindir/psql" -XAtq -F $'\t' -v ON_ERROR_STOP=1 -d template1 -f policy/catalog.sql -f "$2" -c "$3"
    scripts/cluster.sh remove "$cluster"
  )
}
functions="SELECT number, signature, facts FROM listed_functions ORDER BY oid >= 12000, nullif(number, '-')::int, signature"

cat >"$work/policy" <<'HEADER'
# Written by scripts/policy.sh; policy/README.md explains the verdicts. Number, verdict, signature.
HEADER
if [ "$major" = "$first" ]; then
  query_on "$major" policy/rules_pg15.sql \
    "SELECT concat_ws(' ', number, verdict, signature) FROM verdicts
     ORDER BY number = '-', nullif(number, '-')::int, signature" >>"$work/policy"
  mv "$work/policy" "$policy"
  say "$policy written by policy/rules_pg15.sql"
  exit
fi

query_on "$before" /dev/null "$functions" >"$work/before"
query_on "$major" /dev/null "$functions" >"$work/now"
touch "$work/reviewed"
[ ! -f "$review" ] || sed -n 's/^| //p' "$review" >"$work/reviewed"
awk -F '\t' -v decisions="policy/functions_pg$before.txt" -v reviewed="$work/reviewed" -v list="$work/list" '
  function key(number, signature) { return number == "-" ? signature : number }
  BEGIN {
    while ((getline line < decisions) > 0) {
      split(line, field, " ")
      signature = substr(line, length(field[1] field[2]) + 3)
      if (field[1] != "#") decided[key(field[1], signature)] = field[2]
    }
    while ((getline line < reviewed) > 0) {
      split(line, field, / \| /)
      gsub(/`/, "", field[2])
      sub(/ \|$/, "", field[5])
      judged[field[1] "\t" field[2] "\t" field[3]] = field[4]
      reason[field[1] "\t" field[2] "\t" field[3]] = field[5]
    }
  }
  FILENAME ~ /before$/ { facts[key($1, $2)] = $2 "\t" $3; next }
  {
    known = facts[key($1, $2)]
    if (known == $2 "\t" $3) { print $1, decided[key($1, $2)], $2; next }
    split(known, old, "\t")
    verdict = judged[$0] ~ /^[acir]$/ ? judged[$0] : "?"
    why = reason[$0]
    if (verdict == "?" && known != "") why = "was " decided[key($1, $2)] ": `" old[1] "`, " old[2]
    printf "| %s | `%s` | %s | %s | %s |\n", $1, $2, $3, verdict, why > list
    print $1, verdict == "?" ? "r" : verdict, $2
  }
' "$work/before" "$work/now" >>"$work/policy"

awk -F '\t' '
  FILENAME ~ /now$/ { is_here[$1 == "-" ? $2 : $1] = 1; next }
  !(($1 == "-" ? $2 : $1) in is_here) { printf "- `%s`\n", $2 }
' "$work/now" "$work/before" >"$work/gone"
{
  printf '# Functions of PostgreSQL %s that %s does not have, or has in another form\n\n' "$major" "$before"
  printf 'Listed by `scripts/policy.sh %s`, judged by a human: README.md says how.\n\n' "$major"
  printf '| number | function | facts | verdict | reason |\n|---|---|---|---|---|\n'
  cat "$work/list"
  if [ -s "$work/gone" ]; then
    printf '\nGone since %s:\n\n' "$before"
    cat "$work/gone"
  fi
} >"$work/review"
mv "$work/review" "$review"
mv "$work/policy" "$policy"
open=$(grep -c '| ? |' "$review" || true)
[ "$open" = 0 ] || fail "$open functions of PostgreSQL $major wait for review and are refused until then" \
  "give each line with a question mark in $review a verdict and a reason, and run: scripts/policy.sh $major"
say "$policy written: $(grep -c '^| [0-9-]' "$review") functions reviewed in $review"
