//! What is about the whole server: its settings, its background workers, its standbys, its memory and speed. One test
//! changes what another sees, so they run one after the other: `--test-threads 1`.

mod ask_into;
mod churn;
mod concurrency;
mod index_maintenance;
mod interrupts;
mod kills;
mod large_comments;
mod maintenance;
mod optimize_demo;
mod partitions;
mod queue;
mod queue_turns;
mod replica;
mod second_embedder;
mod shortage;
mod standby;
mod storm;
mod under_load;
mod workload;
