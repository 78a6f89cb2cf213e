//! The only code that talks to PostgreSQL, and the only code with `unsafe`.
