//! Which questions wait until a person has approved their query.

use serde::Deserialize;

/// The rule that applies to the asker, and the queries that were approved for it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Approval {
    /// The strictest rule that applies.
    pub rule: ApprovalRule,
    /// Queries that were approved for the asker: they run without waiting again.
    pub approved: Vec<ApprovedQuery>,
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

    /// What exactly this query meant when it was approved for the asker: its relations, once for each approval. White
    /// space does not count, unless it is in a constant or ends a comment.
    pub fn approvals_of(&self, sql: &str) -> impl Iterator<Item = &[u32]> {
        let is_plain = |sql: &str| !sql.contains("--") && !sql.contains(['\'', '"', '$']);
        self.approved
            .iter()
            .filter(move |approved| {
                approved.sql == sql
                    || is_plain(sql) && approved.sql.split_whitespace().eq(sql.split_whitespace())
            })
            .map(|approved| approved.relations.as_slice())
    }
}

/// A query that was approved.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct ApprovedQuery {
    /// Its text.
    pub sql: String,
    /// The relations that it read then, those behind views included, by OID, sorted: under another `search_path` its names
    /// may mean others, and a view can be replaced.
    pub relations: Vec<u32>,
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
            approved: vec![ApprovedQuery {
                sql: "SELECT count(*)\nFROM orders".to_owned(),
                relations: vec![7],
            }],
            asker: vec!["alice".to_owned()],
        };
        assert!(approval.applies());
        let meanings = |approval: &Approval, sql: &str| {
            approval
                .approvals_of(sql)
                .map(<[u32]>::to_vec)
                .collect::<Vec<_>>()
        };
        assert_eq!(meanings(&approval, "SELECT count(*) FROM orders"), [[7]]);
        assert!(meanings(&approval, "SELECT count(*) FROM orders WHERE true").is_empty());
        let commented = Approval {
            approved: vec![ApprovedQuery {
                sql: "SELECT 1 -- all\nWHERE false".to_owned(),
                relations: Vec::new(),
            }],
            ..approval.clone()
        };
        assert!(meanings(&commented, "SELECT 1 -- all WHERE false").is_empty());
        assert!(approval.is_other("lead") && !approval.is_other("alice"));
        assert!(!Approval::default().applies());
    }
}
