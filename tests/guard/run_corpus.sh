#!/bin/sh
# Judges every line of a corpus of statements as one role and reports what went wrong.
#
#   tests/guard/run_corpus.sh <corpus.jsonl> [role]
#
# A line is {"id", "sql", "class", "expect": "allow" or "reject"}. The connection comes from the
# environment (PGHOST, PGPORT, PGUSER, PGDATABASE) and is a superuser's; the database holds the
# corpus' own set-up and the functions of functions.sql. Ends with status 1 if a line is wrong.
set -eu
corpus=$1
role=${2:-analyst}
here=$(dirname "$0")
psql -X -q -v ON_ERROR_STOP=1 -v corpus="$corpus" -v role="$role" -f "$here/run_corpus.sql"
