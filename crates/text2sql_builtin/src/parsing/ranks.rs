//! "with the most orders", "that has the highest price": which rows come first.

use crate::linking::mention::Mention;
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::RankBy;
use crate::parsing::request::Target;
use crate::parsing::request::{Condition, ConditionKind, Rank};
use text2sql_domain::schema::TypeCategory;
use text2sql_language::english::lexicon;

impl Parser<'_> {
    /// "with the most orders", "that has the highest price", "by total amount".
    pub(crate) fn rank_after_entity(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let owner = self.owner;
        if self.request.rank.is_some() {
            return Ok(false);
        }
        self.skip(&["that", "which", "who"]);
        self.skip(&[
            "with", "have", "has", "had", "having", "is", "are", "was", "of", "contain",
            "contains", "placed", "made", "offer", "offers",
        ]);
        // "appears in the most films"
        if matches!(self.lower(0), "in" | "on" | "for")
            && self.lower(1) == "the"
            && lexicon::superlative(self.lower(2)).is_some()
        {
            self.at += 1;
        }
        self.skip(&["the", "a"]);
        let mut limit = None;
        if let Some(count) = self
            .token(0)
            .and_then(|token| token.number.as_ref())
            .and_then(|number| number.parse::<u64>().ok())
            && lexicon::superlative(self.lower(1)).is_some()
        {
            limit = Some(count);
            self.at += 1;
        }
        let Some(is_descending) = lexicon::superlative(self.lower(0)) else {
            self.at = before;
            return Ok(false);
        };
        if lexicon::needs_more(self.lower(1))
            || self.at == before && self.request.subject.is_none() && self.owner.is_none()
        {
            self.at = before;
            return Ok(false);
        }
        let is_amount = matches!(self.lower(0), "most" | "fewest" | "least");
        self.at += 1;
        let by = if let Some(table) = is_amount
            .then(|| self.attributed_rows(is_descending))
            .transpose()?
            .flatten()
        {
            RankBy::Count(table)
        } else if let Some((table, end)) = self.entity_at(self.at).filter(|(table, _)| {
            let mention = self.links.name_at(self.at);
            let column = mention.is_some_and(|mention| {
                mention
                    .columns
                    .iter()
                    .any(|(id, tier)| *tier <= 2 && Some(id.table) == self.owner)
            });
            Some(*table) != self.owner
                && !column
                && matches!(
                    self.tokens
                        .get(self.at - 1)
                        .map(|token| token.lower.as_str()),
                    Some("most" | "fewest" | "least")
                )
        }) {
            self.at = end;
            self.note_table(table);
            self.owner = Some(table);
            RankBy::Count(table)
        } else {
            match self.measure(is_amount) {
                Ok(by) => by,
                Err(_) => {
                    self.at = before;
                    return Ok(false);
                }
            }
        };
        let counted = self
            .request
            .targets
            .iter()
            .any(|target| matches!(target, Target::Count(_) | Target::Aggregate { .. }));
        if counted && self.request.groups.is_empty() && self.request.targets.len() == 1 {
            return Err(Stop::Unanswerable(
                "an aggregate over the rows with the most of something needs a model".to_owned(),
            ));
        }
        if let Some(owner) = owner.filter(|owner| {
            self.request
                .subject
                .is_some_and(|subject| subject != *owner)
        }) {
            match self.ranks_owner(owner, &by) {
                Some(true) if limit.is_none() => {
                    self.request.conditions.push(Condition {
                        owner: Some(owner),
                        is_negated: false,
                        kind: ConditionKind::Extreme { by, is_descending },
                    });
                    return Ok(true);
                }
                Some(false) => {}
                _ => {
                    return Err(Stop::Unanswerable(
                        "it is not clear which rows the superlative applies to".to_owned(),
                    ));
                }
            }
        }
        self.request.rank = Some(Rank { by, is_descending });
        self.request.limit = limit.or(self.request.limit).or(Some(1));
        Ok(true)
    }

    /// "the most cancelled orders": rows with a condition before their noun. The word alone may be a
    /// column, but before the noun it is not a measure.
    fn attributed_rows(&mut self, is_descending: bool) -> Result<Option<usize>, Stop> {
        let name = self.links.name_at(self.at);
        let value = self.links.value_at(self.at);
        if name.is_some_and(|name| !name.best_tables().is_empty()) {
            return Ok(None);
        }
        let ends = [name, value].into_iter().flatten().map(|found| found.end);
        let Some((end, table, after)) = ends
            .filter_map(|end| {
                let (table, after) = self.entity_at(end)?;
                Some((end, table, after))
            })
            .max()
        else {
            return Ok(None);
        };
        let is_flag = |mention: &&Mention| {
            mention.end == end
                && mention.columns.iter().any(|(id, _)| {
                    let column = self
                        .tables
                        .get(id.table)
                        .and_then(|table| table.columns.get(id.column));
                    id.table == table
                        && column.is_some_and(|column| column.category == TypeCategory::Boolean)
                })
        };
        let holds = |mention: &&Mention| {
            mention.end == end && mention.values.iter().any(|link| link.column.table == table)
        };
        let kind = match (name.filter(is_flag), value.filter(holds)) {
            (Some(flag), _) => ConditionKind::Boolean {
                column: flag.clone(),
            },
            (None, Some(value)) => ConditionKind::Value {
                alternatives: vec![value.clone()],
            },
            (None, None) => return self.unplaced(),
        };
        if !is_descending {
            return Err(Stop::Unanswerable(
                "rows with none at all would be left out".to_owned(),
            ));
        }
        self.at = after;
        self.note_table(table);
        self.owner = Some(table);
        self.request.conditions.push(Condition {
            owner: Some(table),
            is_negated: false,
            kind,
        });
        Ok(Some(table))
    }
}
