//! The reviewed list of built-in functions, one for each major version.

/// The lines of `policy/functions_pgNN.txt`: number, verdict, signature.
pub(crate) const POLICY: &str = {
    #[cfg(feature = "pg15")]
    {
        include_str!("../../../../policy/functions_pg15.txt")
    }
    #[cfg(feature = "pg16")]
    {
        include_str!("../../../../policy/functions_pg16.txt")
    }
    #[cfg(feature = "pg17")]
    {
        include_str!("../../../../policy/functions_pg17.txt")
    }
    #[cfg(feature = "pg18")]
    {
        include_str!("../../../../policy/functions_pg18.txt")
    }
};
