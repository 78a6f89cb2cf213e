-- Runs first: what every other file builds on.
SET client_min_messages = warning;
CREATE EXTENSION pg_text2sql CASCADE;
