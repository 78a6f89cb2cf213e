//! "how many orders", "top ten products by price": counts and ranks among the things asked for.

use crate::linking::business_terms::TermKind;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Group, Rank, RankBy, Target};
use text2sql_language::english::lexicon::{self, Aggregate};
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    pub(crate) fn count_target(&mut self) -> Result<(), Stop> {
        self.eat("total");
        let opening = self.eat_any(&["number of", "numbers of", "count of", "how many", "count"]);
        if !opening {
            return self.unplaced();
        }
        self.eat_any(&["the number of", "of"]);
        self.skip(&["the", "all", "total", "of", "there", "are", "overall"]);
        let is_distinct = self.distinct_words();
        if self.value_before_entity()? {
            let Some(Target::Entity(table)) = self.request.targets.pop() else {
                return self.unplaced();
            };
            self.request.targets.push(Target::Count(table));
        } else {
            let Some(mention) = self.links.name_at(self.at) else {
                return self.unplaced();
            };
            let certain: Vec<usize> = mention.best_tables();
            if let [table] = certain.as_slice()
                && !(is_distinct
                    && mention
                        .columns
                        .iter()
                        .any(|(_, tier)| *tier == names::EXACT)
                    && !mention.tables.iter().any(|(_, tier)| *tier == names::EXACT))
            {
                self.at = mention.end;
                self.enter(*table);
                self.request.targets.push(Target::Count(*table));
            } else if is_distinct && certain.is_empty() {
                self.at = mention.end;
                self.request.targets.push(Target::CountDistinct {
                    mention: mention.clone(),
                });
            } else {
                return self.unplaced();
            }
        }
        self.count_tail()
    }

    /// "percentage of customers …", "share of the orders …".
    pub(crate) fn share_target(&mut self) -> bool {
        let before = self.at;
        let is_percent = self.eat_any(&["percentage of", "percent of"]);
        if is_percent || self.eat_any(&["share of", "proportion of", "fraction of"]) {
            self.skip(lexicon::EMPTY);
            if let Some((table, end)) = self.entity_at(self.at) {
                self.at = end;
                self.enter(table);
                self.request
                    .targets
                    .push(Target::Share { table, is_percent });
                return true;
            }
        }
        self.at = before;
        false
    }

    /// "… are there", "… do we have", "… does each X have".
    pub(crate) fn count_tail(&mut self) -> Result<(), Stop> {
        let before = self.at;
        self.skip(lexicon::AUXILIARIES);
        if self.eat_any(&["there", "we have", "you have"]) {
            self.skip(&["total", "overall", "altogether"]);
            self.eat_any(&["in total", "in all", "in the database", "in our database"]);
            return Ok(());
        }
        if self.at > before
            && (lexicon::EACH_WORDS.contains(&self.lower(0))
                || matches!(self.lower(0), "the" | "a"))
        {
            let each = self.eat_one_of(lexicon::EACH_WORDS);
            self.skip(lexicon::EMPTY);
            if each && let Some(mention) = self.links.name_at(self.at) {
                let end = mention.end;
                if self.tokens.get(end).is_some_and(|token| {
                    matches!(
                        token.lower.as_str(),
                        "have" | "has" | "contain" | "contains" | "include" | "offer" | "own"
                    )
                }) {
                    self.request.groups.push(Group::Named(mention.clone()));
                    self.at = end + 1;
                    return Ok(());
                }
            }
        }
        self.at = before;
        self.inhabitants();
        Ok(())
    }

    /// "… do customers live in": the table whose column values are counted.
    fn inhabitants(&mut self) {
        let before = self.at;
        let counts_column = matches!(
            self.request.targets.last(),
            Some(Target::CountDistinct { .. })
        );
        self.eat_any(&["that", "where", "which"]);
        self.skip(lexicon::AUXILIARIES);
        self.skip(lexicon::EMPTY);
        let Some((table, end)) = self.entity_at(self.at).filter(|_| counts_column) else {
            self.at = before;
            return;
        };
        self.at = end;
        let verb = self.eat_one_of(lexicon::LINKING_VERBS) || self.eat_one_of(lexicon::AUXILIARIES);
        if verb && (self.eat("in") || self.eat("from") || self.is_end() || self.is_sentence_end()) {
            self.enter(table);
        } else {
            self.at = before;
        }
    }

    /// "top five products", "the three most expensive products", "oldest employee", "5 customers".
    pub(crate) fn ranked_entity(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        if self.common_entity()? || self.recent_entity()? {
            return Ok(true);
        }
        let top = match self.lower(0) {
            "top" => Some(true),
            "bottom" => Some(false),
            _ => None,
        };
        self.at += usize::from(top.is_some());
        let mut limit = None;
        if let Some(number) = self.token(0).and_then(|token| token.number.as_ref())
            && let Ok(count) = number.parse::<u64>()
            && count > 0
        {
            limit = Some(count);
            self.at += 1;
        }
        let mut rank = None;
        let most = usize::from(matches!(self.lower(0), "most" | "least"));
        if let Some((upper, dimension)) = lexicon::adjective(self.lower(most))
            && (most == 0) != lexicon::needs_more(self.lower(most))
        {
            let is_descending = upper != (self.lower(0) == "least");
            self.at += 1 + most;
            rank = Some(Rank {
                by: RankBy::Dimension(dimension),
                is_descending,
            });
        }
        self.skip(lexicon::EMPTY);
        let entity = self
            .entity_at(self.at)
            .filter(|_| top.is_some() || limit.is_some() || rank.is_some());
        let Some((table, end)) = entity else {
            if top.is_some()
                && let Some(mention) = self.links.name_at(self.at).filter(|_| limit.is_some())
            {
                self.at = mention.end;
                self.push_named(mention.clone());
                self.request.limit = limit;
                self.request.rank = None;
                return self.rank_of_top(true);
            }
            if let (None, Some(_), None) = (top, limit, &rank)
                && let Some(mention) = self
                    .links
                    .name_at(self.at)
                    .filter(|mention| mention.best_tables().is_empty())
            {
                self.at = mention.end;
                self.push_named(mention.clone());
                self.request.limit = limit;
                return Ok(true);
            }
            self.at = before;
            return Ok(false);
        };
        let single = self
            .tokens
            .get(end.saturating_sub(1))
            .is_some_and(|token| token.lower == token.stem);
        self.at = end;
        if rank.is_some() {
            self.request.rank = rank;
            self.request.limit = limit.or(single.then_some(1)).or(Some(1));
        }
        if limit.is_some() {
            self.request.limit = limit;
        }
        self.push_entity(end, table);
        if let Some(Rank {
            by: RankBy::Dimension(_),
            is_descending,
        }) = self.request.rank
        {
            let start = self.at;
            if self.eat_any(&["by", "in terms of", "based on"]) {
                match self.measure(false) {
                    Ok(RankBy::Column { mention, .. })
                        if !mention.columns.iter().any(|(id, tier)| {
                            *tier <= names::SPELLED_OUT && self.is_numeric(*id)
                        }) =>
                    {
                        self.at = start;
                    }
                    Ok(by) => self.request.rank = Some(Rank { by, is_descending }),
                    Err(_) => self.at = start,
                }
            }
        }
        if top.is_some() && self.request.rank.is_none() {
            return self.rank_of_top(top == Some(true));
        }
        Ok(true)
    }

    pub(crate) fn push_entity(&mut self, end: usize, table: usize) {
        if self
            .tokens
            .get(end)
            .is_some_and(|token| token.kind == TokenKind::Possessive)
        {
            self.at = end + 1;
            self.enter(table);
            if let Some(mention) = self.links.name_at(self.at) {
                self.at = mention.end;
                self.request.targets.push(Target::Named {
                    mention: mention.clone(),
                    owner: Some(table),
                });
            }
            return;
        }
        self.enter(table);
        self.request.targets.push(Target::Entity(table));
    }

    /// "top 10 customers by number of orders": the measure is required.
    pub(crate) fn rank_of_top(&mut self, is_descending: bool) -> Result<bool, Stop> {
        if !self.eat_any(&[
            "by",
            "in terms of",
            "ranked by",
            "based on",
            "according to",
            "ordered by",
            "sorted by",
        ]) {
            return Err(Stop::Unanswerable(
                "the question does not say by what the top is measured".to_owned(),
            ));
        }
        let by = self.measure(true)?;
        self.request.rank = Some(Rank { by, is_descending });
        Ok(true)
    }

    /// "number of orders", "total amount", "price".
    pub(crate) fn measure(&mut self, is_amount: bool) -> Result<RankBy, Stop> {
        self.skip(lexicon::EMPTY);
        let counted = self.eat_any(&["total number of", "number of", "count of", "amount of"]);
        self.skip(lexicon::EMPTY);
        if counted {
            return match self.entity_at(self.at) {
                Some((table, end)) => {
                    self.at = end;
                    self.note_table(table);
                    Ok(RankBy::Count(table))
                }
                None => self.unplaced(),
            };
        }
        if let Some((term, table, end)) = self
            .term_at(self.at)
            .filter(|(_, term, _)| term.kind == TermKind::Aggregate)
            .map(|(index, term, mention)| (index, term.table, mention.end))
        {
            self.at = end;
            self.note_table(table);
            return Ok(RankBy::Defined(term));
        }
        let function = if self.is_long_name() {
            None
        } else {
            lexicon::aggregate(self.lower(0))
        };
        self.at += usize::from(function.is_some());
        self.skip(&["of", "the"]);
        let Some(mention) = self.links.name_at(self.at) else {
            return self.unplaced();
        };
        let mut mention = mention.clone();
        if let (Some(function), [table], true) = (
            function,
            mention.best_tables().as_slice(),
            mention.columns.is_empty(),
        ) && matches!(
            function,
            Aggregate::Sum | Aggregate::Average | Aggregate::Median
        ) && let Some(id) = self.only_measure(*table)
        {
            self.refuse_total_of_rows(function, id, &mention)?;
            mention.columns = vec![(id, names::EXACT)];
        }
        self.at = mention.end;
        self.eat_one_of(&["sold", "ordered", "purchased"]);
        Ok(RankBy::Column {
            mention,
            function,
            is_amount,
        })
    }

    /// "by total payments" may be by their number or by what they add up to.
    fn refuse_total_of_rows(
        &self,
        function: Aggregate,
        id: ColumnId,
        rows: &Mention,
    ) -> Result<(), Stop> {
        let column = self
            .tables
            .get(id.table)
            .and_then(|table| table.columns.get(id.column));
        let (Some(column), Aggregate::Sum) = (column, function) else {
            return Ok(());
        };
        let measure = readable(&column.name);
        let words = self.tokens.get(rows.start..rows.end).unwrap_or_default();
        let words: Vec<&str> = words.iter().map(|token| token.surface.as_str()).collect();
        let words = words.join(" ");
        Err(Stop::Ambiguous {
            question: format!("is the total {measure} of {words} meant, or their number?"),
            start: rows.start.saturating_sub(1),
            end: rows.end,
            replacements: vec![format!("total {measure}"), format!("number of {words}")],
        })
    }
}
