//! Model endpoints: what they are sent ([`prompt`]), how ([`providers`]), and what their replies mean ([`reply`]).
#![forbid(unsafe_code)]

pub mod prompt;
pub mod providers;
pub mod reply;
