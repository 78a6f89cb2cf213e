//! The benchmarks that can be imported.

/// A benchmark that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Spider (Yu et al. 2018).
    Spider,
    /// SParC (Yu et al. 2019): conversations.
    Sparc,
    /// WikiSQL (Zhong et al. 2017).
    WikiSql,
    /// BIRD (Li et al. 2023).
    Bird,
    /// The sets of Defog's sql-eval.
    Defog,
    /// BEAVER (Chen et al. 2024).
    Beaver,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Spider,
        Self::Sparc,
        Self::WikiSql,
        Self::Bird,
        Self::Defog,
        Self::Beaver,
    ];

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spider => "spider",
            Self::Sparc => "sparc",
            Self::WikiSql => "wikisql",
            Self::Bird => "bird",
            Self::Defog => "defog",
            Self::Beaver => "beaver",
        }
    }
}
