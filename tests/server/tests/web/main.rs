//! text2sql-server as a running program.

mod boards;
mod bodies;
mod clients;
mod command_line;
mod databases;
mod documents;
mod faults;
mod identity;
mod imports;
mod input;
mod login;
mod routes;
mod streams;
mod tables;
