#!/bin/sh
# Runs statements that only limits can stop, each in a session of its own, and prints what became
# of each and how long it took.
#
#   tests/guard/run_bombs.sh <bombs.jsonl> [role]
#
# A line is {"id", "sql", ...}. The connection is as for run_corpus.sh.
set -eu
corpus=$1
role=${2:-analyst}
psql -X -q -At -v corpus="$corpus" <<'SQL' | while IFS='|' read -r number id; do
CREATE TEMP TABLE lines (number serial, line text);
\set command '\\copy lines (line) FROM ' :'corpus' ' CSV DELIMITER E''\\x02'' QUOTE E''\\x01'''
:command
SELECT number, line::json ->> 'id' FROM lines ORDER BY number;
SQL
    psql -X -q -At -v corpus="$corpus" -v number="$number" -v id="$id" -v role="$role" <<'SQL'
CREATE TEMP TABLE lines (number serial, line text);
\set command '\\copy lines (line) FROM ' :'corpus' ' CSV DELIMITER E''\\x02'' QUOTE E''\\x01'''
:command
SELECT line::json ->> 'sql' AS sql FROM lines WHERE number = :number \gset
SET SESSION AUTHORIZATION :role;
SELECT clock_timestamp() AS started \gset
SELECT public.judge(:'sql') AS verdict \gset
SELECT :'id' || ' ' || round(extract(epoch FROM clock_timestamp() - :'started') * 1000)
    || ' ms ' || left(:'verdict', 110);
-- The session is alive and nothing of ours is still pending.
SELECT '  dead' FROM pg_sleep(0.05) WHERE NOT (SELECT true);
SQL
done
