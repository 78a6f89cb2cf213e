//! Human language: the words, periods and numbers of a question in several languages, and sentences about rows.
//!
//! [`understanding`] is what a question says by itself, made once from the other modules.
//! [`words`] cuts a question into tokens. [`english`] knows the words of the grammar, [`german`] puts a
//! German question into them. [`plain_words`] are those that name nothing, in seven languages. [`names`]
//! takes names apart as people read them. [`access_question`] knows questions about the rights of this extension. [`periods`] reads dates and stretches of time, [`named_periods`] finds words that stand
//! for days by definition. [`terms`] makes the
//! terms of the search index. [`sentences`] writes and checks what is said about rows.
#![forbid(unsafe_code)]

pub mod access_question;
pub mod calendar;
pub mod documents;
pub mod edit_distance;
pub mod english;
pub mod function_words;
pub mod german;
pub mod interpretation;
pub mod named_periods;
pub mod names;
pub mod numbers;
pub mod periods;
pub mod plain_words;
pub mod question_kind;
pub mod recent_questions;
pub mod sentences;
pub mod several_questions;
pub mod stated_periods;
pub mod terms;
pub mod understanding;
pub mod words;
