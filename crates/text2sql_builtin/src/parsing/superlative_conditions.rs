//! Superlatives and aggregates inside a condition: "in the largest room", "departments whose
//! average salary is above 4000", "the most common genre".

use crate::joins::paths::Joins;
use crate::linking::column_types::is_date;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::no_answer::Stop;
use crate::parsing::alternatives::is_size;
use crate::parsing::parser::Parser;
use crate::parsing::request::{ConditionKind, Rank, RankBy, Target};
use text2sql_language::english::lexicon;

impl Parser<'_> {
    /// "whose average salary is above 4000", "with a total amount of more than 100".
    pub(crate) fn aggregate_condition(&mut self, negated: bool) -> Result<bool, Stop> {
        let before = self.at;
        let Some(function) = lexicon::aggregate(self.lower(0)).filter(|_| !self.is_long_name())
        else {
            return Ok(false);
        };
        self.at += 1;
        self.skip(&["of", "the"]);
        let Some(column) = self
            .links
            .name_at(self.at)
            .filter(|mention| !mention.columns.is_empty() && !mention.is_derived())
            .cloned()
        else {
            self.at = before;
            return Ok(false);
        };
        self.at = column.end;
        self.skip(&["is", "are", "was", "of"]);
        let Some(comparison) = self.comparison().filter(|comparison| is_size(*comparison)) else {
            self.at = before;
            return Ok(false);
        };
        self.skip(&["$", "€", "£"]);
        if let Some(number) = self.token(0).and_then(|token| token.number.clone()) {
            self.at += 1;
            self.push(
                negated,
                ConditionKind::Aggregated {
                    function,
                    column,
                    comparison,
                    number: Some(number),
                },
            );
            return Ok(true);
        }
        if let Some(same) = self.overall_aggregate(&column)?
            && same == function
        {
            self.push(
                negated,
                ConditionKind::Aggregated {
                    function,
                    column,
                    comparison,
                    number: None,
                },
            );
            return Ok(true);
        }
        self.at = before;
        Ok(false)
    }

    /// "in the most expensive procedure": the related rows with the highest or lowest measure.
    pub(crate) fn extreme_entity(&mut self, negated: bool) -> Result<bool, Stop> {
        let before = self.at;
        let most = usize::from(matches!(self.lower(0), "most" | "least"));
        let Some((upper, nouns)) = lexicon::adjective(self.lower(most)) else {
            return Ok(false);
        };
        if (most == 0) == lexicon::needs_more(self.lower(most)) {
            return Ok(false);
        }
        let is_descending = upper != (self.lower(0) == "least");
        let Some((table, end)) = self.entity_at(self.at + 1 + most) else {
            return Ok(false);
        };
        if self.request.subject.is_none_or(|subject| subject == table) || Some(table) == self.owner
        {
            return Ok(false);
        }
        self.at = end;
        self.note_table(table);
        self.push(negated, ConditionKind::Related { table });
        self.owner = Some(table);
        let Some(column) = self.dimension_of(nouns) else {
            self.at = before;
            return self.unplaced();
        };
        self.push(
            false,
            ConditionKind::Extreme {
                by: RankBy::Column {
                    mention: column,
                    function: None,
                    is_amount: false,
                },
                is_descending,
            },
        );
        Ok(true)
    }

    /// "the most recent order", "the latest three orders": by the only date of the rows.
    pub(crate) fn recent_entity(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let mut limit = self.small_number();
        let is_descending = if self.eat_any(&["most recent", "newest", "latest"]) {
            true
        } else if self.eat("earliest") {
            false
        } else {
            self.at = before;
            return Ok(false);
        };
        limit = limit.or_else(|| self.small_number());
        let Some((table, end)) = self.entity_at(self.at) else {
            self.at = before;
            return Ok(false);
        };
        let Some(mention) = self.only_date(table) else {
            self.at = before;
            return Ok(false);
        };
        let is_plural = self
            .tokens
            .get(end.wrapping_sub(1))
            .is_some_and(|token| token.lower != token.stem && token.lower.ends_with('s'));
        if self.request.rank.is_some() || (is_plural && limit.is_none()) {
            self.at = before;
            return self.unplaced();
        }
        self.at = end;
        self.push_entity(end, table);
        self.request.rank = Some(Rank {
            by: RankBy::Column {
                mention,
                function: None,
                is_amount: false,
            },
            is_descending,
        });
        self.request.limit = Some(limit.unwrap_or(1));
        Ok(true)
    }

    fn small_number(&mut self) -> Option<u64> {
        let number = self
            .token(0)?
            .number
            .as_ref()?
            .parse::<u64>()
            .ok()
            .filter(|count| *count > 0)?;
        self.at += 1;
        Some(number)
    }

    /// The only date column of a table, as an implicit mention.
    fn only_date(&self, table: usize) -> Option<Mention> {
        let columns = &self.tables.get(table)?.columns;
        let mut dates = (0..columns.len()).filter(|&i| columns.get(i).is_some_and(is_date));
        let column = dates.next()?;
        dates.next().is_none().then(|| Mention {
            start: self.at,
            end: self.at,
            columns: vec![(ColumnId { table, column }, names::EXACT)],
            ..Mention::default()
        })
    }

    /// Whether a ranking after the owner applies to the owner and not to the subject; `None` if it may be
    /// either.
    pub(crate) fn ranks_owner(&self, owner: usize, by: &RankBy) -> Option<bool> {
        let subject = self.request.subject?;
        let joins = Joins::of(self.tables);
        match by {
            RankBy::Count(table) => {
                let own = joins.path(owner, *table).ok()?;
                let subjects = joins.path(subject, *table).ok();
                if own.len() == 1
                    && subjects
                        .as_ref()
                        .is_none_or(|path| path.iter().any(|step| step.to == owner))
                {
                    Some(true)
                } else if subjects.is_some_and(|path| path.len() == 1) && own.len() > 1 {
                    Some(false)
                } else {
                    None
                }
            }
            RankBy::Column { mention, .. } => {
                let has = |table: usize| {
                    mention
                        .columns
                        .iter()
                        .any(|(id, tier)| id.table == table && *tier <= names::HEAD)
                };
                match (has(owner), has(subject)) {
                    (true, false) => Some(true),
                    (false, true) => Some(false),
                    _ => None,
                }
            }
            RankBy::Dimension(_) | RankBy::Defined(_) => None,
        }
    }

    /// "the most common genre", "the three least popular rooms [among reservations]".
    pub(crate) fn common_entity(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let mut limit = None;
        if let Some(count) = self
            .token(0)
            .and_then(|token| token.number.as_ref())
            .and_then(|number| number.parse::<u64>().ok())
            && count > 0
        {
            limit = Some(count);
            self.at += 1;
        }
        let Some(is_descending) = self.commonness() else {
            self.at = before;
            return Ok(false);
        };
        let Some(mention) = self.links.name_at(self.at).cloned() else {
            self.at = before;
            return Ok(false);
        };
        self.at = mention.end;
        let is_plural = self
            .tokens
            .get(mention.end.wrapping_sub(1))
            .is_some_and(|token| token.lower != token.stem && token.lower.ends_with('s'));
        if is_plural && limit.is_none() {
            // The question gives no number.
            return self.unplaced();
        }
        let entity = mention.best_tables();
        self.push_named(mention.clone());
        let table = match entity.as_slice() {
            [table] => Some(*table),
            _ => None,
        };
        self.rank_by_rows(
            table,
            &mention
                .columns
                .iter()
                .map(|(id, _)| id.table)
                .collect::<Vec<_>>(),
            is_descending,
            limit,
        )
    }

    /// "… is the most common [among all tracks]" after what is asked for.
    pub(crate) fn is_common(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        self.skip(&["that", "which", "is", "are", "was", "were", "the"]);
        if let Some(rank) = self.said_adjective() {
            self.request.rank = Some(rank);
            self.request.limit = Some(1);
            return Ok(true);
        }
        let Some(is_descending) = self.commonness() else {
            self.at = before;
            return Ok(false);
        };
        let [target] = self.request.targets.as_slice() else {
            return self.unplaced();
        };
        let (table, owners) = match target {
            Target::Entity(table) => (Some(*table), Vec::new()),
            Target::Named {
                mention,
                owner: None,
            } => match mention.best_tables().as_slice() {
                [table] => (Some(*table), Vec::new()),
                _ => (
                    None,
                    mention.columns.iter().map(|(id, _)| id.table).collect(),
                ),
            },
            Target::Named {
                mention,
                owner: Some(owner),
            } if mention.is_name_word || !mention.columns.is_empty() => (Some(*owner), Vec::new()),
            _ => return self.unplaced(),
        };
        self.rank_by_rows(table, &owners, is_descending, None)
    }

    /// "… is the most expensive" at the end of the question.
    fn said_adjective(&mut self) -> Option<Rank> {
        if self.request.rank.is_some() || self.owner != self.request.subject {
            return None;
        }
        let most = usize::from(matches!(self.lower(0), "most" | "least"));
        let (upper, nouns) = lexicon::adjective(self.lower(most))?;
        let ends = self
            .token(most + 1)
            .is_none_or(|token| token.kind == text2sql_language::words::TokenKind::Stop);
        if !ends || (most == 0) == lexicon::needs_more(self.lower(most)) {
            return None;
        }
        let is_descending = upper != (self.lower(0) == "least");
        self.at += most + 1;
        Some(Rank {
            by: RankBy::Dimension(nouns),
            is_descending,
        })
    }

    fn commonness(&mut self) -> Option<bool> {
        let is_descending = match self.lower(0) {
            "most" => true,
            "least" => false,
            _ => return None,
        };
        if !matches!(
            self.lower(1),
            "common" | "popular" | "frequent" | "commonly" | "frequently"
        ) {
            return None;
        }
        self.has_popular = matches!(self.lower(1), "popular");
        self.at += 2;
        self.eat_any(&["used", "occurring", "seen", "found"]);
        Some(is_descending)
    }

    fn rank_by_rows(
        &mut self,
        table: Option<usize>,
        owners: &[usize],
        is_descending: bool,
        limit: Option<u64>,
    ) -> Result<bool, Stop> {
        if self.request.rank.is_some() {
            return self.unplaced();
        }
        let start = self.at;
        let mut counted = None;
        if self.eat_any(&["across", "among", "amongst", "in", "of", "for", "over"]) {
            self.skip(lexicon::EMPTY);
            match self.entity_at(self.at) {
                Some((rows, end)) if Some(rows) != table => {
                    self.at = end;
                    self.note_table(rows);
                    counted = Some(rows);
                }
                _ => self.at = start,
            }
        }
        let counted = match (counted, table) {
            (Some(counted), _) => Some(counted),
            // "popular" does not necessarily mean "with many rows".
            (None, Some(_)) if self.has_popular => None,
            (None, Some(table)) => self.only_child(table),
            (None, None) => match owners {
                [only] => Some(*only),
                _ => None,
            },
        };
        let Some(counted) = counted else {
            return Err(Stop::Unanswerable(
                "the question does not say among which rows it is most common".to_owned(),
            ));
        };
        self.request.rank = Some(Rank {
            by: RankBy::Count(counted),
            is_descending,
        });
        self.request.limit = Some(limit.unwrap_or(1));
        if let Some(table) = table {
            self.request.subject.get_or_insert(table);
        }
        Ok(true)
    }

    /// The only table that references this one.
    fn only_child(&self, table: usize) -> Option<usize> {
        let oid = self.tables.get(table)?.oid;
        let mut children = (0..self.tables.len()).filter(|&child| {
            child != table
                && self
                    .tables
                    .get(child)
                    .is_some_and(|child| child.foreign_keys.iter().any(|key| key.target == oid))
        });
        let first = children.next()?;
        children.next().is_none().then_some(first)
    }
}
