//! The privilege on a role that SET ROLE needs.

/// Its name, for `pg_has_role`: PostgreSQL 16 made it a privilege of its own.
pub(crate) const SET_ROLE: &str = if cfg!(feature = "pg15") {
    "MEMBER"
} else {
    "SET"
};
