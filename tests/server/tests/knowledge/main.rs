//! What the database knows beside its tables: taught, learned, indexed, loaded.

mod feedback;
mod history;
mod kept_lookups;
mod known_answers;
mod learned_joins;
mod likely_joins;
mod load;
mod load_faults;
mod newer_tables;
mod owner_words;
mod related_knowledge;
mod retrieval_endpoints;
mod samples;
mod search_index;
mod teaching;
mod texts;
mod texts_at_scale;
mod verified;
