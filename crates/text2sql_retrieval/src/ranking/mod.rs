//! Puts found tables in order: readable tables only, ranks fused, then re-ranked without a model.

pub mod coverage_rerank;
pub mod rank_fusion;
pub mod readable_tables;
