//! Numbers of columns of system catalogs that pgrx does not bind, where they differ between versions.

/// Columns of `pg_constraint` (`catalog/pg_constraint_d.h`).
pub(crate) mod constraint {
    /// `oid`.
    pub(crate) const OID: u32 = 1;
    /// `contype`.
    pub(crate) const KIND: u32 = 4;

    #[cfg(not(feature = "pg18"))]
    mod numbers {
        pub(crate) const RELATION: u32 = 8;
        pub(crate) const PARENT: u32 = 11;
        pub(crate) const TARGET: u32 = 12;
        pub(crate) const COLUMNS: u32 = 19;
        pub(crate) const TARGET_COLUMNS: u32 = 20;
        pub(crate) const PERIOD: Option<u32> = None;
        pub(crate) const EXPRESSION: u32 = 26;
    }

    // PostgreSQL 18 added `conenforced` and `conperiod`.
    #[cfg(feature = "pg18")]
    mod numbers {
        pub(crate) const RELATION: u32 = 9;
        pub(crate) const PARENT: u32 = 12;
        pub(crate) const TARGET: u32 = 13;
        pub(crate) const COLUMNS: u32 = 21;
        pub(crate) const TARGET_COLUMNS: u32 = 22;
        pub(crate) const PERIOD: Option<u32> = Some(20);
        pub(crate) const EXPRESSION: u32 = 28;
    }

    /// `conrelid`.
    pub(crate) const RELATION: u32 = numbers::RELATION;
    /// `conparentid`.
    pub(crate) const PARENT: u32 = numbers::PARENT;
    /// `confrelid`.
    pub(crate) const TARGET: u32 = numbers::TARGET;
    /// `conkey`.
    pub(crate) const COLUMNS: u32 = numbers::COLUMNS;
    /// `confkey`.
    pub(crate) const TARGET_COLUMNS: u32 = numbers::TARGET_COLUMNS;
    /// `conperiod`: the last column is a period, which a foreign key compares by containment.
    pub(crate) const PERIOD: Option<u32> = numbers::PERIOD;
    /// `conbin`.
    pub(crate) const EXPRESSION: u32 = numbers::EXPRESSION;
}
