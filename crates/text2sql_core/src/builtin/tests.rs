//! Questions over invented schemas.
