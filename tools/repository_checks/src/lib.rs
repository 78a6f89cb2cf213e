//! Rules of this repository that neither the compiler nor clippy checks: see `tests/`.
