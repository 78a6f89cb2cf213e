//! Which questions wait until a person has approved their query.

/// The rule that applies to the asker, and the queries that were approved for it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Approval {
    /// The strictest rule that applies.
    pub rule: ApprovalRule,
    /// Queries that were approved for the asker: they run without waiting again.
    pub approved: Vec<String>,
    /// The names of the asker: an example that it verified itself does not count.
    pub asker: Vec<String>,
}

impl Approval {
    /// Whether any query may have to wait.
    pub fn applies(&self) -> bool {
        self.rule != ApprovalRule::Never
    }

    /// Whether another role than the asker verified an example.
    pub fn is_other(&self, verified_by: &str) -> bool {
        self.asker.iter().all(|name| name != verified_by)
    }

    /// Whether exactly this query was approved for the asker. White space does not count, unless it is in a constant or
    /// ends a comment.
    pub fn has_approved(&self, sql: &str) -> bool {
        let is_plain = |sql: &str| !sql.contains("--") && !sql.contains(['\'', '"', '$']);
        self.approved.iter().any(|approved| {
            approved == sql
                || is_plain(sql) && approved.split_whitespace().eq(sql.split_whitespace())
        })
    }
}

/// When a query waits for approval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ApprovalRule {
    /// It never does.
    #[default]
    Never,
    /// It does if there is a reason to doubt it.
    Uncertain {
        /// A confidence below this is a reason.
        least_confidence: f64,
    },
    /// It always does, unless a person has verified or approved it before.
    Always,
}

/// What a query that waits was written from, so that its answer later has the same sentence and warnings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Held {
    /// Why it waits, each a sentence fragment.
    pub reasons: Vec<String>,
    /// A sentence with placeholders for the rows.
    pub sentence: Option<String>,
    /// Assumptions made.
    pub notes: Vec<String>,
    /// How words of the question were mapped to the schema.
    pub links: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_approved_query_is_recognised_by_its_words() {
        let approval = Approval {
            rule: ApprovalRule::Always,
            approved: vec!["SELECT count(*)\nFROM orders".to_owned()],
            asker: vec!["alice".to_owned()],
        };
        assert!(approval.applies());
        assert!(approval.has_approved("SELECT count(*) FROM orders"));
        assert!(!approval.has_approved("SELECT count(*) FROM orders WHERE true"));
        let commented = Approval {
            approved: vec!["SELECT 1 -- all\nWHERE false".to_owned()],
            ..approval.clone()
        };
        assert!(!commented.has_approved("SELECT 1 -- all WHERE false"));
        assert!(approval.is_other("lead") && !approval.is_other("alice"));
        assert!(!Approval::default().applies());
    }
}
