//! "or", "both … and …", "but not": conditions that are not simply joined by "and".

use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Comparison, Condition, ConditionKind};

impl Parser<'_> {
    /// "… or …" after the only condition so far.
    pub(crate) fn alternative(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        if !self.eat("or") {
            return Ok(false);
        }
        let [first] = self.request.conditions.as_slice() else {
            self.at = before;
            return Ok(false);
        };
        let first = first.clone();
        let is_plain = matches!(
            first.kind,
            ConditionKind::Compare { .. }
                | ConditionKind::Value { .. }
                | ConditionKind::Period { .. }
                | ConditionKind::Null { .. }
                | ConditionKind::Boolean { .. }
                | ConditionKind::Count { .. }
                | ConditionKind::Label { .. }
                | ConditionKind::Any { .. }
                | ConditionKind::Average { .. }
        );
        if !is_plain || first.is_negated {
            self.at = before;
            return Ok(false);
        }
        self.owner = first.owner.or(self.owner);
        if !(self.same_column(&first)?
            || self.relative()?
            || self.preposition()?
            || self.condition()?)
        {
            self.at = before;
            return Ok(false);
        }
        let mut others = self.request.conditions.split_off(1);
        let (Some(second), true) = (others.pop(), others.is_empty()) else {
            return self.unplaced();
        };
        let mut alternatives = match first.kind {
            ConditionKind::Any { alternatives } => alternatives,
            _ => vec![first],
        };
        alternatives.push(second);
        self.request.conditions = vec![Condition {
            owner: self.owner,
            is_negated: false,
            kind: ConditionKind::Any { alternatives },
        }];
        Ok(true)
    }

    /// "… lower than 600 or higher than 900": the column is not repeated.
    fn same_column(&mut self, first: &Condition) -> Result<bool, Stop> {
        let column = match &first.kind {
            ConditionKind::Compare { column, .. } => column.clone(),
            ConditionKind::Any { alternatives } => match alternatives.last().map(|last| &last.kind)
            {
                Some(ConditionKind::Compare { column, .. }) => column.clone(),
                _ => return Ok(false),
            },
            _ => return Ok(false),
        };
        let before = self.at;
        self.skip(&["is", "are", "was", "were"]);
        let Some(comparison) = self.comparison() else {
            self.at = before;
            return Ok(false);
        };
        self.skip(&["the", "$", "€", "£"]);
        let Some(literals) = self.literals(&column, Some(comparison), true) else {
            self.at = before;
            return Ok(false);
        };
        self.push_compare(false, column, comparison, literals);
        Ok(true)
    }

    /// "both Latin and Pop": one row of each.
    pub(crate) fn both(&mut self, negated: bool) -> Result<bool, Stop> {
        let before = self.at;
        if negated || !self.eat("both") {
            return Ok(false);
        }
        const BETWEEN: &[&str] = &[
            "the", "in", "of", "from", "with", "by", "to", "for", "a", "an",
        ];
        self.skip(BETWEEN);
        let mut values = Vec::new();
        if let Some(value) = self.links.value_at(self.at).cloned() {
            self.at = value.end;
            values.push(value);
            if self.eat("and") {
                self.skip(BETWEEN);
                if let Some(value) = self.links.value_at(self.at).cloned() {
                    self.at = value.end;
                    values.push(value);
                }
            }
        }
        if values.len() != 2 {
            self.at = before;
            return Ok(false);
        }
        let mut owner = self.owner;
        if let Some((table, end)) = self.entity_at(self.at) {
            self.at = end;
            self.note_table(table);
            owner = Some(table);
        } else if let Some(column) = self.links.name_at(self.at)
            && column.columns.iter().any(|(id, _)| {
                values
                    .iter()
                    .flat_map(|value| &value.values)
                    .any(|link| link.column == *id)
            })
        {
            self.at = column.end;
        }
        for value in values {
            self.push_independent(
                owner,
                false,
                ConditionKind::Value {
                    alternatives: vec![value],
                },
            );
        }
        Ok(true)
    }

    /// "… but not in the Psychology department".
    pub(crate) fn but_not(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        self.eat(",");
        if !self.eat_any(&["but not", "and not", "but no", "but never"]) {
            self.at = before;
            return Ok(false);
        }
        let known = self.request.conditions.len();
        if known == 0 {
            return self.unplaced();
        }
        self.skip(&[
            "in", "by", "with", "from", "to", "of", "for", "the", "a", "an", "any",
        ]);
        if self.links.name_at(self.at).is_some_and(|name| {
            name.best_tables().is_empty() && self.links.value_at(name.end).is_some()
        }) && self.column_condition(true)?
        {
            return Ok(true);
        }
        let Some(value) = self.links.value_at(self.at).cloned() else {
            return self.unplaced();
        };
        self.at = value.end;
        let mut owner = self.owner;
        if let Some((table, end)) = self.entity_at(self.at) {
            self.at = end;
            self.note_table(table);
            owner = Some(table);
        } else if let Some(column) = self.links.name_at(self.at)
            && column
                .columns
                .iter()
                .any(|(id, _)| value.values.iter().any(|link| link.column == *id))
        {
            self.at = column.end;
        }
        self.push_independent(
            owner,
            true,
            ConditionKind::Value {
                alternatives: vec![value],
            },
        );
        Ok(true)
    }

    fn push_independent(&mut self, owner: Option<usize>, is_negated: bool, kind: ConditionKind) {
        let inner = Condition {
            owner,
            is_negated: false,
            kind,
        };
        self.request.conditions.push(Condition {
            owner,
            is_negated,
            kind: ConditionKind::Independent {
                condition: Box::new(inner),
            },
        });
    }
}

/// Whether the comparison is by size.
pub(crate) fn is_size(comparison: Comparison) -> bool {
    matches!(
        comparison,
        Comparison::More
            | Comparison::AtLeast
            | Comparison::Less
            | Comparison::AtMost
            | Comparison::Equal
            | Comparison::NotEqual
    )
}
