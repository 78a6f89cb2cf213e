//! One condition as SQL, in the scope where its table is joined.

use crate::binding::binder::Binder;
use crate::binding::scope::Scope;
use crate::linking::column_types::is_number;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names::label_columns;
use crate::linking::names::words_of;
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use crate::parsing::request::{Comparison, Condition, ConditionKind, Literal};
use text2sql_domain::schema::{Column, TypeCategory, quote_identifier, quote_literal};
use text2sql_language::english::lexicon;

impl Binder<'_> {
    pub(crate) fn apply_condition(
        &mut self,
        scope: &mut Scope,
        owner: usize,
        condition: &Condition,
    ) -> Result<(), Stop> {
        let negated = condition.is_negated;
        match &condition.kind {
            ConditionKind::Related { .. } => Ok(()),
            ConditionKind::Any { alternatives } => self.apply_any(scope, owner, alternatives),
            ConditionKind::Independent { condition: inner } => {
                self.apply_independent(scope, owner, inner, negated)
            }
            ConditionKind::Aggregated {
                function,
                column,
                comparison,
                number,
            } => self.apply_aggregated(
                scope,
                owner,
                (*function, column),
                (*comparison, negated),
                number.as_deref(),
            ),
            ConditionKind::Extreme { by, is_descending } => {
                self.apply_extreme(scope, owner, by, *is_descending)
            }
            ConditionKind::Count {
                table,
                comparison,
                number,
                period,
            } => {
                if matches!(comparison, Comparison::Less | Comparison::AtMost) && !negated {
                    return Err(Stop::Unanswerable(format!(
                        "it is not clear whether rows without any {} are meant too",
                        readable(&self.table(*table)?.name)
                    )));
                }
                let multiplies = self
                    .path(owner, *table)?
                    .iter()
                    .filter(|step| !step.is_to_one)
                    .count();
                let during = period.map(|((from, to), at)| Condition {
                    owner: Some(*table),
                    is_negated: false,
                    kind: ConditionKind::Period {
                        column: None,
                        at,
                        from,
                        to,
                    },
                });
                let inner = self.correlated(scope, owner, *table, during.as_slice())?;
                let counted = match (multiplies, self.table(*table)?.primary_key.as_slice()) {
                    (0, _) => {
                        return Err(Stop::Unanswerable(
                            "there can be at most one such row".to_owned(),
                        ));
                    }
                    (1, _) => "count(*)".to_owned(),
                    (_, [key]) => {
                        let alias = self.aliases.last().cloned().unwrap_or_default();
                        format!("count(DISTINCT {alias}.{})", quote_identifier(key))
                    }
                    _ => {
                        return Err(Stop::Unanswerable(
                            "the rows cannot be counted once each".to_owned(),
                        ));
                    }
                };
                let sign = sign(*comparison, negated)?;
                scope
                    .wheres
                    .push(format!("(SELECT {counted} {inner}) {sign} {number}"));
                Ok(())
            }
            ConditionKind::Value { alternatives } => {
                self.apply_value(scope, owner, alternatives, condition)
            }
            ConditionKind::Key { number } => {
                let table = self.table(owner)?;
                let [key] = table.primary_key.as_slice() else {
                    return Err(Stop::Unanswerable(format!(
                        "{} has no single key",
                        table.name
                    )));
                };
                let position = table
                    .columns
                    .iter()
                    .position(|column| column.name == *key)
                    .unwrap_or_default();
                let id = ColumnId {
                    table: owner,
                    column: position,
                };
                let literal = if is_number(self.column(id)?) {
                    number.clone()
                } else {
                    quote_literal(number)
                };
                let sql = self.column_sql(scope, id)?;
                scope.wheres.push(format!("{sql} = {literal}"));
                Ok(())
            }
            ConditionKind::Label { text } => {
                let predicate = self.is_named(scope, owner, text, negated)?;
                scope.wheres.push(predicate);
                Ok(())
            }
            ConditionKind::Period {
                column,
                at,
                from,
                to,
            } => {
                if column.is_none()
                    && let Some(year) = self.year_column(owner)?
                {
                    return self.apply_years(scope, owner, year, (*from, *to), negated);
                }
                let id = match column {
                    Some(mention) => self.resolve(mention, Some(owner))?,
                    None => self.event_date_column(owner, *at)?,
                };
                if let Some(mention) = column
                    && !negated
                    && self.is_event_of_verb(scope, owner, id, mention)?
                {
                    let during = Condition {
                        owner: Some(id.table),
                        ..condition.clone()
                    };
                    return self.exists(scope, owner, id.table, false, &[during]);
                }
                let place = self.place(scope, owner, id)?;
                self.note_period(id, *from, *to)?;
                let mut parts = Vec::new();
                parts.extend(from.map(|from| format!("{place} >= DATE '{from}'")));
                parts.extend(to.map(|to| format!("{place} < DATE '{to}'")));
                let both = parts.join(" AND ");
                scope.wheres.push(if negated {
                    format!("NOT ({both})")
                } else {
                    both
                });
                Ok(())
            }
            ConditionKind::Null { column } => {
                let id = self.resolve(column, Some(owner))?;
                if self.column(id)?.category == TypeCategory::Array {
                    return Err(Stop::Unanswerable(
                        "an empty list is not a missing one".to_owned(),
                    ));
                }
                let place = self.place(scope, owner, id)?;
                scope.wheres.push(format!(
                    "{place} IS {}NULL",
                    if negated { "NOT " } else { "" }
                ));
                Ok(())
            }
            ConditionKind::Columns {
                left,
                comparison,
                right,
            } => self.apply_columns(scope, owner, (left, right), (*comparison, negated)),
            ConditionKind::Defined { term } => {
                let sql = self.term_sql(scope, *term)?;
                let not = if negated { "NOT " } else { "" };
                scope.wheres.push(format!("{not}({sql})"));
                Ok(())
            }
            ConditionKind::Boolean { column } => {
                let mut column = column.clone();
                column.columns.retain(|(id, _)| {
                    self.column(*id)
                        .is_ok_and(|column| column.category == TypeCategory::Boolean)
                });
                let column = &column;
                let id = self.resolve(column, Some(owner))?;
                if self.column(id)?.category != TypeCategory::Boolean {
                    return Err(Stop::Unplaced(column.start));
                }
                if negated {
                    self.check_missing(self.column(id)?)?;
                }
                let place = self.place(scope, owner, id)?;
                scope.wheres.push(if negated {
                    format!("NOT {place}")
                } else {
                    place
                });
                Ok(())
            }
            ConditionKind::Average {
                column,
                comparison,
                function,
            } => {
                let id = self.resolve(column, Some(owner))?;
                let place = self.place(scope, owner, id)?;
                let (table, name) = (
                    self.table(id.table)?.sql_name(),
                    quote_identifier(&self.column(id)?.name),
                );
                let sign = sign(*comparison, negated)?;
                scope.wheres.push(format!(
                    "{place} {sign} (SELECT {} FROM {table})",
                    function.call(&name)
                ));
                Ok(())
            }
            ConditionKind::Compare {
                column,
                comparison,
                literals,
            } => {
                let id = self.resolve(&holding(column, literals), Some(owner))?;
                if id.table != owner
                    && self
                        .path(owner, id.table)?
                        .iter()
                        .any(|step| !step.is_to_one)
                {
                    let mut inner = condition.clone();
                    inner.owner = Some(id.table);
                    inner.is_negated = false;
                    if !negated {
                        self.refuse_repeats(owner, id.table, std::slice::from_ref(&inner))?;
                    }
                    return self.exists(scope, owner, id.table, negated, &[inner]);
                }
                if let Some(parent) = self.parent_named_by(id, literals)? {
                    self.reach(scope, owner, id.table)?;
                    self.reach(scope, id.table, parent.table)?;
                    let place = self.column_sql(scope, parent)?;
                    let predicate = self.compare(&place, parent, *comparison, literals, negated)?;
                    scope.wheres.push(predicate);
                    return Ok(());
                }
                let place = self.place(scope, owner, id)?;
                let predicate = self.compare(&place, id, *comparison, literals, negated)?;
                scope.wheres.push(predicate);
                Ok(())
            }
        }
    }

    /// "category Tents" for a row with `category_id`: the label of the referenced row.
    fn parent_named_by(
        &self,
        id: ColumnId,
        literals: &[Literal],
    ) -> Result<Option<ColumnId>, Stop> {
        let (table, column) = (self.table(id.table)?, self.column(id)?);
        if !is_number(column) || literals.iter().any(|literal| literal.is_number) {
            return Ok(None);
        }
        let mut targets = table
            .foreign_keys
            .iter()
            .filter(|key| key.columns == [column.name.clone()])
            .filter_map(|key| self.tables.iter().position(|table| table.oid == key.target));
        let Some(target) = targets.next() else {
            return Ok(None);
        };
        let direct = self
            .path(id.table, target)
            .is_ok_and(|path| path.len() == 1);
        Ok(match label_columns(self.table(target)?).as_slice() {
            [label] if direct => Some(ColumnId {
                table: target,
                column: *label,
            }),
            _ => None,
        })
    }

    /// The date column that a period without a column refers to. Customers of 2025 may be those who joined
    /// in that year, or all who were customers then: a creation date only gives the beginning.
    fn event_date_column(&self, owner: usize, at: usize) -> Result<ColumnId, Stop> {
        let id = self.date_column(owner, at)?;
        let words = words_of(&self.column(id)?.name);
        let is_beginning = words
            .iter()
            .any(|word| matches!(word.as_str(), "created" | "creation" | "crt" | "birth"));
        if is_beginning {
            return Err(Stop::Unanswerable(format!(
                "it is not clear whether {} that began in the period are meant, or all that were there",
                readable(&self.table(owner)?.name)
            )));
        }
        Ok(id)
    }

    /// "How many customers ordered in 2025": the verb has the root of a table that references the
    /// customers, so those with such a row are counted. This holds only if the customer is the only
    /// mandatory reference of that table: an order may also have a clerk. A list would leave open whether
    /// each is listed once.
    fn is_event_of_verb(
        &self,
        scope: &Scope,
        owner: usize,
        id: ColumnId,
        mention: &Mention,
    ) -> Result<bool, Stop> {
        if id.table == owner || scope.alias(id.table).is_some() || self.lists.get() {
            return Ok(false);
        }
        let path = self.path(owner, id.table)?;
        let [step] = path.as_slice() else {
            return Ok(false);
        };
        let table = words_of(&self.table(id.table)?.name);
        let verb = self.tokens.get(mention.start).map(|token| &token.lower);
        let is_verb = mention.end == mention.start + 1
            && verb.is_some_and(|word| word.ends_with("ed") && table == [lexicon::verb_root(word)]);
        let child = self.table(id.table)?;
        let mut doers = child.foreign_keys.iter().filter(|key| {
            key.columns
                .iter()
                .all(|name| child.column(name).is_some_and(|column| column.not_null))
        });
        let is_only_doer = match (doers.next(), doers.next()) {
            (Some(only), None) => only.target == self.table(owner)?.oid,
            _ => false,
        };
        Ok(is_verb && !step.is_to_one && is_only_doer)
    }

    pub(crate) fn place(
        &mut self,
        scope: &mut Scope,
        owner: usize,
        id: ColumnId,
    ) -> Result<String, Stop> {
        if id.table != owner
            && scope.alias(id.table).is_none()
            && self
                .path(owner, id.table)?
                .iter()
                .any(|step| !step.is_to_one)
        {
            return Err(Stop::Unanswerable(
                "a condition is on rows of which there may be several".to_owned(),
            ));
        }
        self.reach(scope, owner, id.table)?;
        self.column_sql(scope, id)
    }

    /// Declines a negation over a column that lacks values: whether rows without one count is not for SQL to decide.
    fn check_missing(&self, column: &Column) -> Result<(), Stop> {
        let statistics = column.statistics.as_ref();
        let lacks_values = statistics.is_some_and(|known| known.null_share > 0.0);
        match lacks_values && !column.not_null {
            true => Err(Stop::Unanswerable(format!(
                "some rows have no {}",
                readable(&column.name)
            ))),
            false => Ok(()),
        }
    }

    pub(crate) fn compare(
        &self,
        place: &str,
        id: ColumnId,
        comparison: Comparison,
        literals: &[Literal],
        negated: bool,
    ) -> Result<String, Stop> {
        let column = self.column(id)?;
        let mut values = Vec::new();
        let mut is_stored = true;
        for literal in literals {
            let stored = self.stored_text(id, literal)?;
            let text = stored.as_deref().unwrap_or(literal.text.as_str());
            is_stored &= stored.is_some() || !text.chars().any(char::is_alphabetic);
            let fits = match column.category {
                TypeCategory::Integer | TypeCategory::Number => literal.text.parse::<f64>().is_ok(),
                TypeCategory::Enum => column.enum_labels.iter().any(|label| label == text),
                TypeCategory::Text => {
                    !literal.is_number
                        || matches!(comparison, Comparison::Equal | Comparison::NotEqual)
                }
                _ => false,
            };
            if !fits {
                return Err(Stop::Unanswerable(format!(
                    "'{}' cannot be compared with {}",
                    literal.text,
                    readable(&column.name)
                )));
            }
            values.push(text.to_owned());
        }
        let folds = !is_stored
            && column.category == TypeCategory::Text
            && matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let folded = format!("lower({place})");
        let like_place = place;
        let place = if folds { folded.as_str() } else { place };
        let sql = |text: &String| {
            if folds {
                format!("lower({})", quote_literal(text))
            } else if is_number(column) {
                text.clone()
            } else {
                quote_literal(text)
            }
        };
        let like = |pattern: String| {
            let not = if negated { "NOT " } else { "" };
            if column.category != TypeCategory::Text {
                return Err(Stop::Unanswerable(format!(
                    "{} is not text",
                    readable(&column.name)
                )));
            }
            Ok(format!(
                "{like_place} {not}ILIKE {}",
                quote_literal(&pattern)
            ))
        };
        let is_other = matches!(
            (comparison, negated),
            (Comparison::Equal, true) | (Comparison::NotEqual, false)
        );
        if is_other {
            self.check_missing(column)?;
        }
        match (comparison, values.as_slice()) {
            (Comparison::Between, [low, high]) => {
                let not = if negated { "NOT " } else { "" };
                Ok(format!(
                    "{place} {not}BETWEEN {} AND {}",
                    sql(low),
                    sql(high)
                ))
            }
            (Comparison::Contains, [only]) => like(format!("%{}%", escape(only))),
            (Comparison::StartsWith, [only]) => like(format!("{}%", escape(only))),
            (Comparison::EndsWith, [only]) => like(format!("%{}", escape(only))),
            (Comparison::Equal, [_, _, ..]) => {
                let not = if negated { "NOT " } else { "" };
                Ok(format!(
                    "{place} {not}IN ({})",
                    values.iter().map(sql).collect::<Vec<_>>().join(", ")
                ))
            }
            (_, [only]) => Ok(format!(
                "{place} {} {}",
                sign(comparison, negated)?,
                sql(only)
            )),
            _ => Err(Stop::Unanswerable(
                "a comparison has too many values".to_owned(),
            )),
        }
    }
}

/// "rated PG": of the columns with that root, those that hold the value.
fn holding(column: &Mention, literals: &[Literal]) -> Mention {
    let mut holding = column.clone();
    let links = || literals.iter().flat_map(|literal| &literal.links);
    holding
        .columns
        .retain(|(id, _)| links().any(|link| link.column == *id));
    match column.is_derived() && !holding.columns.is_empty() {
        true => holding,
        false => column.clone(),
    }
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_")
}

pub(crate) fn sign(comparison: Comparison, negated: bool) -> Result<&'static str, Stop> {
    Ok(match (comparison, negated) {
        (Comparison::Equal, false) | (Comparison::NotEqual, true) => "=",
        (Comparison::NotEqual, false) | (Comparison::Equal, true) => "<>",
        (Comparison::More, false) | (Comparison::AtMost, true) => ">",
        (Comparison::AtLeast, false) | (Comparison::Less, true) => ">=",
        (Comparison::Less, false) | (Comparison::AtLeast, true) => "<",
        (Comparison::AtMost, false) | (Comparison::More, true) => "<=",
        _ => {
            return Err(Stop::Unanswerable(
                "the comparison is not one of size".to_owned(),
            ));
        }
    })
}
