//! The things asked for: columns, tables, counts and aggregates.

use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::Repeats;
use crate::parsing::request::{Condition, ConditionKind, Target};
use text2sql_domain::schema::TypeCategory;
use text2sql_language::english::lexicon::{self, Aggregate};
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    pub(crate) fn targets(&mut self) -> Result<(), Stop> {
        loop {
            self.target()?;
            self.owner_of_targets()?;
            let before = self.at;
            let joined = self.separator();
            if !joined || !self.begins_target() {
                self.at = before;
                return Ok(());
            }
        }
    }

    /// "… of the customers", "… of each department": the owner of the columns named so far.
    pub(crate) fn owner_of_targets(&mut self) -> Result<(), Stop> {
        let before = self.at;
        let waits = self.request.targets.iter().any(|target| {
            matches!(
                target,
                Target::Named { owner: None, .. } | Target::Aggregate { owner: None, .. }
            )
        });
        if !waits || !self.eat_any(&["of", "for", "from", "in"]) {
            return Ok(());
        }
        let mut each = false;
        while self.eat_one_of(lexicon::EMPTY)
            || self.eat_one_of(lexicon::DISTINCT_WORDS)
            || self.eat_one_of(lexicon::EACH_WORDS)
        {
            if self
                .tokens
                .get(self.at.wrapping_sub(1))
                .is_some_and(|token| lexicon::DISTINCT_WORDS.contains(&token.lower.as_str()))
            {
                self.request.repeats = Repeats::Once;
            }
            each |= self
                .tokens
                .get(self.at.wrapping_sub(1))
                .is_some_and(|token| lexicon::EACH_WORDS.contains(&token.lower.as_str()));
        }
        let aggregated = self
            .request
            .targets
            .iter()
            .any(|target| matches!(target, Target::Aggregate { .. }));
        if each && aggregated {
            self.at = before;
            return Ok(());
        }
        let targets = self.request.targets.len();
        let entity = if self.ranked_entity()? || self.value_before_entity()? {
            self.request.targets.truncate(targets);
            self.owner
        } else {
            self.entity_at(self.at).map(|(table, end)| {
                self.at = end;
                self.enter(table);
                self.entity_name();
                table
            })
        };
        let Some(table) = entity else {
            self.at = before;
            return Ok(());
        };
        for target in &mut self.request.targets {
            if let Target::Named { owner, .. } | Target::Aggregate { owner, .. } = target {
                owner.get_or_insert(table);
            }
        }
        Ok(())
    }

    /// `,` and "and" between things of one kind.
    pub(crate) fn separator(&mut self) -> bool {
        let comma = self
            .token(0)
            .is_some_and(|token| token.kind == TokenKind::Comma);
        self.at += usize::from(comma);
        let word = self.eat_any(&[
            "as well as",
            "along with",
            "together with",
            "and also",
            "and",
            "plus",
        ]);
        comma || word
    }

    pub(crate) fn begins_target(&mut self) -> bool {
        let before = self.at;
        self.skip(lexicon::EMPTY);
        self.eat_one_of(lexicon::PRONOUNS);
        let found = self.is_count_phrase()
            || lexicon::aggregate(self.lower(0)).is_some()
            || lexicon::DISTINCT_WORDS.contains(&self.lower(0))
            || self.links.name_at(self.at).is_some_and(|mention| {
                let next = self
                    .tokens
                    .get(mention.end)
                    .map_or("", |token| token.lower.as_str());
                !matches!(next, "is" | "are" | "was" | "were" | "=")
            });
        self.at = before;
        found
    }

    pub(crate) fn is_count_phrase(&self) -> bool {
        self.is_at(&["number", "of"])
            || self.is_at(&["numbers", "of"])
            || self.is_at(&["count", "of"])
            || self.is_at(&["total", "number", "of"])
            || self.is_at(&["total", "count", "of"])
            || self.is_at(&["how", "many"])
            || (self.is_at(&["count"]) && self.at == 0)
    }

    /// "all the information about customers": every column.
    pub(crate) fn all_columns(&mut self) -> bool {
        let before = self.at;
        self.skip(&["all", "the", "full", "complete"]);
        if self.eat_any(&[
            "information",
            "info",
            "details",
            "data",
            "columns",
            "fields",
            "attributes",
        ]) && self.eat_any(&["about", "of", "on", "for", "regarding"])
        {
            self.skip(lexicon::EMPTY);
            if let Some((table, end)) = self.entity_at(self.at) {
                self.at = end;
                self.enter(table);
                self.request.targets.push(Target::All(table));
                self.entity_name();
                return true;
            }
        }
        self.at = before;
        self.skip(&["all", "the", "full", "complete", "of"]);
        let longest = self.links.name_at(self.at).map(|mention| mention.end);
        if let Some((table, end)) = self
            .entity_at(self.at)
            .filter(|(_, end)| Some(*end) == longest)
        {
            self.at = end;
            if self
                .token(0)
                .is_some_and(|token| token.kind == TokenKind::Possessive)
            {
                self.at += 1;
            }
            if self.eat_any(&["information", "info", "details", "data"])
                && end == self.at.saturating_sub(1)
            {
                self.enter(table);
                self.request.targets.push(Target::All(table));
                let start = self.at;
                if self.eat_any(&["of", "for", "about", "on"]) {
                    self.skip(lexicon::EMPTY);
                    match self.entity_at(self.at).filter(|(same, _)| *same == table) {
                        Some((_, end)) => self.at = end,
                        None => self.at = start,
                    }
                }
                return true;
            }
        }
        self.at = before;
        false
    }

    pub(crate) fn target(&mut self) -> Result<(), Stop> {
        if self.all_columns() {
            return Ok(());
        }
        self.skip(lexicon::EMPTY);
        self.eat_one_of(lexicon::PRONOUNS);
        self.skip(lexicon::EMPTY);
        if self.is_count_phrase() {
            return self.count_target();
        }
        if self.share_target() {
            return Ok(());
        }
        if self.distinct_words() {
            self.request.is_distinct = true;
        }
        if self.term_measure()? || self.aggregates()? || self.ranked_entity()? {
            return Ok(());
        }
        self.skip(lexicon::EMPTY);
        if let Some((table, end)) = self.entity_at(self.at)
            && self
                .tokens
                .get(end)
                .is_some_and(|token| token.kind == TokenKind::Possessive)
        {
            self.at = end + 1;
            self.note_table(table);
            self.request.subject.get_or_insert(table);
            self.skip(lexicon::EMPTY);
            let Some(mention) = self.links.name_at(self.at) else {
                return self.unplaced();
            };
            self.at = mention.end;
            self.skip_form_noun(mention);
            self.request.targets.push(Target::Named {
                mention: mention.clone(),
                owner: Some(table),
            });
            return Ok(());
        }
        if self.value_before_entity()? {
            return Ok(());
        }
        let Some(mention) = self.links.name_at(self.at) else {
            return self.unplaced();
        };
        if let ([table], Some(name)) = (
            mention.best_tables().as_slice(),
            self.links
                .name_at(mention.end)
                .filter(|name| name.is_name_word && name.end == mention.end + 1),
        ) {
            self.at = name.end;
            self.note_table(*table);
            self.owner = Some(*table);
            let mut name = name.clone();
            name.columns.clear();
            name.tables.clear();
            self.request.targets.push(Target::Named {
                mention: name,
                owner: Some(*table),
            });
            return Ok(());
        }
        self.at = mention.end;
        self.skip_form_noun(mention);
        self.push_named(mention.clone());
        Ok(())
    }

    pub(crate) fn distinct_words(&mut self) -> bool {
        let mut found = false;
        while self.eat_one_of(lexicon::DISTINCT_WORDS) {
            found = true;
            self.skip(&["of", "the"]);
        }
        found
    }

    /// A name that can only be a table is the subject at once; others wait for their owner.
    pub(crate) fn push_named(&mut self, mention: Mention) {
        let column = mention
            .columns
            .iter()
            .any(|(_, tier)| *tier <= names::SPELLED_OUT);
        let best = mention.best_tables();
        if let ([table], false) = (best.as_slice(), column) {
            let only_table = mention.tables.iter().any(|(_, tier)| *tier <= names::HEAD);
            if only_table {
                self.enter(*table);
                self.request.targets.push(Target::Entity(*table));
                return;
            }
        }
        if let [table] = best.as_slice()
            && self.request.subject.is_none()
        {
            self.owner = Some(*table);
        }
        self.request.targets.push(Target::Named {
            mention,
            owner: None,
        });
    }

    /// "average, minimum and maximum price".
    pub(crate) fn aggregates(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let mut functions: Vec<Aggregate> = Vec::new();
        while let Some(function) = lexicon::aggregate(self.lower(0)) {
            let is_column = !functions.is_empty()
                && self.links.name_at(self.at).is_some_and(|mention| {
                    mention
                        .columns
                        .iter()
                        .any(|(_, tier)| *tier == names::EXACT)
                })
                && self
                    .links
                    .name_at(self.at + 1)
                    .is_none_or(|next| next.columns.is_empty());
            if self.is_long_name() || is_column {
                break;
            }
            functions.push(function);
            self.at += 1;
            let separated = self.separator();
            self.skip(&["the", "of"]);
            if separated && lexicon::aggregate(self.lower(0)).is_none() {
                self.at = before;
                return Ok(false);
            }
        }
        if functions.is_empty() {
            return Ok(false);
        }
        self.eat_any(&["of", "for"]);
        self.skip(lexicon::EMPTY);
        let mut owner = None;
        if let Some((table, end)) = self.entity_at(self.at)
            && self
                .tokens
                .get(end)
                .is_some_and(|token| token.kind == TokenKind::Possessive)
        {
            self.at = end + 1;
            self.enter(table);
            owner = Some(table);
        }
        let names_rows = self.links.name_at(self.at).is_some_and(|mention| {
            let mut columns = mention.columns.iter();
            mention.best_tables().len() == 1
                && !columns.any(|(_, tier)| *tier <= names::SPELLED_OUT)
        });
        match self.links.name_at(self.at).filter(|_| !names_rows) {
            Some(mention) if mention.columns.iter().any(|(_, tier)| *tier <= names::HEAD) => {
                self.at = mention.end;
                let with = self.arithmetic();
                for function in functions {
                    self.request.targets.push(Target::Aggregate {
                        function,
                        mention: mention.clone(),
                        owner,
                        with: with.clone(),
                    });
                }
                Ok(true)
            }
            _ => {
                let rows = self.links.name_at(self.at).cloned();
                if rows.is_some_and(|rows| self.measure_of_rows(&functions, &rows)) {
                    return Ok(true);
                }
                self.at = before;
                self.total_of_rows()
            }
        }
    }

    /// "the average payment": of the only number that a payment has.
    fn measure_of_rows(&mut self, functions: &[Aggregate], rows: &Mention) -> bool {
        let table = match rows.best_tables().as_slice() {
            [table] => *table,
            _ => return false,
        };
        let id = self.only_measure(table);
        // The latest order is no number, and the total of payments may be how many there are.
        let is_mean =
            |function: &Aggregate| matches!(function, Aggregate::Average | Aggregate::Median);
        let Some(id) = id.filter(|_| functions.iter().all(is_mean)) else {
            return false;
        };
        self.at = rows.end;
        let mention = Mention {
            tables: Vec::new(),
            // The answer says which column it is, as for the last word of a name.
            columns: vec![(id, names::HEAD)],
            ..rows.clone()
        };
        let targets = functions.iter().map(|function| Target::Aggregate {
            function: *function,
            mention: mention.clone(),
            owner: Some(table),
            with: None,
        });
        self.request.targets.extend(targets);
        true
    }

    /// "the total of the orders" for a numeric column "total" of orders: its sum, not a list of totals. Without such a
    /// column, asks for the total of what.
    fn total_of_rows(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        if lexicon::aggregate(self.lower(0)) != Some(Aggregate::Sum) {
            return Ok(false);
        }
        self.at += 1;
        let is_of = self.eat("of");
        self.skip(&["the", "all", "our"]);
        let table = self.entity_at(self.at).map(|(table, _)| table);
        self.at = before;
        let Some(table) = table.filter(|_| is_of) else {
            return Ok(false);
        };
        let mention = self
            .links
            .name_at(before)
            .filter(|found| found.end == before + 1);
        let is_column = |(id, tier): &(ColumnId, u8)| {
            *tier == names::EXACT && id.table == table && self.is_numeric(*id)
        };
        match mention.cloned() {
            Some(mention) if mention.columns.iter().any(is_column) => {
                self.at = mention.end;
                self.request.targets.push(Target::Aggregate {
                    function: Aggregate::Sum,
                    mention,
                    owner: Some(table),
                    with: None,
                });
                Ok(true)
            }
            _ => self.ask_total_of_what(before, table),
        }
    }

    /// Asks which number of the table's rows is added up, or whether the rows are counted.
    fn ask_total_of_what(&self, at: usize, index: usize) -> Result<bool, Stop> {
        const MAX_READINGS: usize = 3;
        let measures: Vec<String> = self
            .measures(index)
            .iter()
            .filter_map(|id| self.tables.get(index)?.columns.get(id.column))
            .take(MAX_READINGS)
            .map(|column| readable(&column.name))
            .collect();
        if measures.is_empty() {
            return Ok(false);
        }
        let what = [measures.clone(), vec!["number".to_owned()]].concat();
        let totals = measures.iter().map(|measure| format!("total {measure}"));
        Err(Stop::Ambiguous {
            question: format!("the total of what: {}?", what.join(" or ")),
            start: at,
            end: at + 1,
            replacements: totals.chain(["number".to_owned()]).collect(),
        })
    }

    /// "… times unit price", "… minus cost".
    fn arithmetic(&mut self) -> Option<(&'static str, Mention)> {
        const SIGNS: [(&str, &str); 6] = [
            ("times", "*"),
            ("multiplied by", "*"),
            ("minus", "-"),
            ("plus", "+"),
            ("divided by", "/"),
            ("*", "*"),
        ];
        let before = self.at;
        for (words, sign) in SIGNS {
            if self.eat(words) {
                self.skip(lexicon::EMPTY);
                if let Some(second) = self
                    .links
                    .name_at(self.at)
                    .filter(|second| !second.columns.is_empty())
                {
                    self.at = second.end;
                    return Some((sign, second.clone()));
                }
                self.at = before;
            }
        }
        None
    }

    /// "active customers": a yes-or-no column right before its table.
    pub(crate) fn flag_before_entity(&mut self) -> bool {
        let Some(flag) = self.links.name_at(self.at).cloned() else {
            return false;
        };
        let Some((table, end)) = self.entity_at(flag.end) else {
            return false;
        };
        let is_flag = flag.best_tables().is_empty()
            && flag.columns.iter().any(|(id, _)| {
                id.table == table
                    && self
                        .tables
                        .get(id.table)
                        .and_then(|table| table.columns.get(id.column))
                        .is_some_and(|column| column.category == TypeCategory::Boolean)
            });
        if is_flag {
            self.at = end;
            self.enter(table);
            self.request.targets.push(Target::Entity(table));
            self.request.conditions.push(Condition {
                owner: Some(table),
                is_negated: false,
                kind: ConditionKind::Boolean { column: flag },
            });
        }
        is_flag
    }

    /// "Biology students", "German customers": a stored value right before a table.
    pub(crate) fn value_before_entity(&mut self) -> Result<bool, Stop> {
        if self.term_before_entity() || self.flag_before_entity() {
            return Ok(true);
        }
        let Some(value) = self.links.value_at(self.at) else {
            return Ok(false);
        };
        if self
            .links
            .name_at(self.at)
            .is_some_and(|name| name.end >= value.end && !name.best_tables().is_empty())
        {
            return Ok(false);
        }
        let Some((table, end)) = self.entity_at(value.end) else {
            return Ok(false);
        };
        let fits =
            value.values.iter().any(|link| link.column.table == table) || !value.values.is_empty();
        if !fits
            || self
                .tokens
                .get(end)
                .is_some_and(|token| token.kind == TokenKind::Possessive)
        {
            return Ok(false);
        }
        self.at = end;
        self.enter(table);
        self.request.targets.push(Target::Entity(table));
        self.request.conditions.push(Condition {
            owner: Some(table),
            is_negated: false,
            kind: ConditionKind::Value {
                alternatives: vec![value.clone()],
            },
        });
        Ok(true)
    }
}
