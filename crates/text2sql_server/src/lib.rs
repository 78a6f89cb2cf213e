//! The companion of pg_text2sql: a page for people who know no SQL, HTTP for programs, MCP and A2A for agents.
//!
//! It decides nothing about data. Each request becomes one call of a function of the extension, on a connection
//! that has the rights of the person who asks, and PostgreSQL says what that person may do. No route takes SQL
//! other than as the argument of a function that judges it.
//!
//! From a request to its rows: [`http`], [`identity`] (who is it), [`questions`] (one running question as a stream
//! of events) and [`database`] (connections, cancels).

#![forbid(unsafe_code)]

pub mod a2a;
mod answer;
pub mod ask;
pub mod config;
pub mod convert;
pub mod database;
mod event_stream;
mod given_schema;
pub mod http;
pub mod identity;
pub mod limits;
pub mod load;
pub mod log;
pub mod login;
pub mod mcp;
pub mod openai;
pub mod page;
pub mod problem;
pub mod questions;
mod sha256;
