//! Copies of what the question counts or averages: rows that a join repeats although nobody asks for the joined table, and
//! things that are counted once for each row that refers to them. A list with copies is no fault that could be proved:
//! of the practice questions that a join answers, 40 accept one.

use std::collections::HashSet;
use std::sync::Arc;

use sqlparser::ast::{GroupByExpr, JoinConstraint, JoinOperator, SelectItem, SetExpr};
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{ForeignKey, Table};
use text2sql_domain::words;
use text2sql_language::names::plural;
use text2sql_language::numbers::of_folded;
use text2sql_language::terms::is_function_word;
use text2sql_phrases::say;
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::walk::grouped_expressions;
use text2sql_sql::tree::{Aggregate, Block, Reference, Rows, Source, Tree, aggregates, parse};

use super::fan_out::{called, repetition_query};
use super::said::{Asked, Said};
use super::{Check, Finding, Probe, Severity};

pub(super) fn find(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    values: &[(String, ValueHit)],
) -> Vec<Finding> {
    let counted = Counted::of(said);
    let mut found = averaged(tree, said);
    found.extend(counted_rows(tree, said, &counted, values));
    found.extend(counted_references(tree, tables, said, &counted));
    found
}

fn name_of(source: &Source<'_>) -> String {
    called(&source.name, source.table().map(|table| table.sql_name()))
}

fn repeats(others: &str, owner: &str, call: &str) -> String {
    say!(
        "The join with {others} repeats rows of {owner_name} in this data, and {call} takes each of them more than once.",
        others,
        owner_name = owner,
        call
    )
}

/// The terms of a table's name and synonyms that no other table of the block is called by.
fn own_terms(block: &Block<'_>, place: usize, said: &Said<'_>) -> Vec<String> {
    let terms = |source: &Source<'_>| -> Vec<String> {
        let table = source.table().into_iter();
        let names = table.flat_map(|table| std::iter::once(&table.name).chain(&table.synonyms));
        names
            .flat_map(|name| said.analyzer.terms_of_name(name).to_vec())
            .collect()
    };
    let others: HashSet<String> = block
        .sources
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != place)
        .flat_map(|(_, source)| terms(source))
        .collect();
    let own = block.sources.get(place).map(terms).unwrap_or_default();
    own.into_iter()
        .filter(|term| !others.contains(term) && !is_function_word(term))
        .collect()
}

/// Whether a table of the block only takes part in one join, with one other table, and the question has no word for it:
/// nothing of the answer comes from its rows.
fn is_idle(tree: &Tree<'_>, position: usize, place: usize, said: &Said<'_>) -> bool {
    let Some(block) = tree.block(position) else {
        return false;
    };
    let of_it = |column: &Reference| column.block == position && column.source == place;
    let shows_all = block.select.projection.iter().any(|item| {
        matches!(
            item,
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
        )
    });
    let mut used = grouped_expressions(block.select, block.query);
    used.extend(&block.select.selection);
    if let GroupByExpr::Expressions(groups, _) = &block.select.group_by {
        used.extend(
            groups
                .iter()
                .map(|group| meant_by(group, &block.select.projection)),
        );
    }
    let is_used = used
        .iter()
        .any(|part| tree.columns_in(position, part).iter().any(of_it));
    let mut partners: HashSet<usize> = HashSet::new();
    for (other, source) in block.sources.iter().enumerate() {
        for (left, _) in &source.shared {
            if other == place {
                partners.insert(*left);
            } else if *left == place {
                partners.insert(other);
            }
        }
        for condition in &source.conditions {
            let columns = tree.columns_in(position, condition);
            if columns.iter().any(of_it) {
                partners.extend(columns.iter().map(|column| column.source));
            }
        }
    }
    partners.remove(&place);
    let own = own_terms(block, place, said);
    // "Tracks" are no `playlisttracks`, where tracks are read as well.
    let others = block.sources.iter().enumerate();
    let others: Vec<String> = others
        .filter(|(other, _)| *other != place)
        .filter_map(|(_, source)| source.table())
        .flat_map(|table| said.analyzer.terms_of_name(&table.name).to_vec())
        .collect();
    !shows_all
        && !is_used
        && partners.len() == 1
        && !own.is_empty()
        && !own.iter().any(|term| said.has_term_beside(term, &others))
}

/// An average over rows that a join repeats, of tables that nobody asks for: there is nothing of which each could be meant
/// once.
fn averaged(tree: &Tree<'_>, said: &Said<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (position, block) in tree.blocks.iter().enumerate() {
        for call in aggregates(block.select, block.query) {
            if call.name == "avg" {
                found.extend(averaged_here(tree, position, &call, said));
                found.extend(averaged_below(tree, position, &call, said));
            }
        }
    }
    found
}

fn averaged_here(
    tree: &Tree<'_>,
    position: usize,
    call: &Aggregate<'_>,
    said: &Said<'_>,
) -> Option<Finding> {
    let block = tree.block(position)?;
    let sources = tree.sources_in(position, call.argument?);
    let [place] = sources.as_slice() else {
        return None;
    };
    repeated_by_idle(tree, position, block, *place, &call.call.to_string(), said)
}

/// `avg(x.a)` where the CTE or sub-query `x` joins a table that nobody asks for.
fn averaged_below(
    tree: &Tree<'_>,
    position: usize,
    call: &Aggregate<'_>,
    said: &Said<'_>,
) -> Option<Finding> {
    let columns = tree.columns_in(position, call.argument?);
    let [column] = columns.as_slice() else {
        return None;
    };
    let (below, place) = tree.passed_on(column)?.repeated.first().copied()?;
    let inner = tree.block(below)?;
    repeated_by_idle(tree, below, inner, place, &call.call.to_string(), said)
}

fn repeated_by_idle(
    tree: &Tree<'_>,
    position: usize,
    block: &Block<'_>,
    place: usize,
    call: &str,
    said: &Said<'_>,
) -> Option<Finding> {
    let (idle, others): (Vec<usize>, Vec<usize>) = tree
        .not_determined(position, place, &[])
        .into_iter()
        .partition(|other| is_idle(tree, position, *other, said));
    let first = *idle.first()?;
    let owner = block.sources.get(place)?;
    let by_key = || {
        // Where another table is meant to repeat the rows, a row of both must not be repeated again.
        let mut together = Vec::new();
        for other in others {
            let key = block.sources.get(other)?.keys().into_iter().next()?;
            together.extend(key.into_iter().map(|column| Reference {
                block: position,
                source: other,
                column,
            }));
        }
        let keys = owner.keys();
        repetition_query(tree, position, place, keys.first()?, &together)
    };
    let sql = by_key().or_else(|| both_ways(block, first))?;
    let joined = name_of(block.sources.get(first)?);
    let evidence = repeats(&joined, &name_of(owner), call);
    let fix = say!("leave out the join with {table}", table = joined);
    Some(Finding::asked_of_data(
        Check::JoinFanOut,
        sql,
        evidence,
        fix,
    ))
}

/// A query that returns a row if there are more rows with the join than with EXISTS in its place.
fn both_ways(block: &Block<'_>, place: usize) -> Option<String> {
    let source = block.sources.get(place)?;
    let mut from = block.select.from.clone();
    let joins = block.select.from.iter().enumerate();
    let (item, at) = joins
        .filter_map(|(item, tables)| {
            let mut joins = tables.joins.iter();
            let at = joins.position(|join| std::ptr::eq(&join.relation, source.factor))?;
            Some((item, at))
        })
        .next()?;
    let join = from.get_mut(item)?.joins.remove(at);
    let (JoinOperator::Join(JoinConstraint::On(on)) | JoinOperator::Inner(JoinConstraint::On(on))) =
        join.join_operator
    else {
        return None;
    };
    let (with, many) = block.frame();
    let (filter, before) = match &block.select.selection {
        Some(condition) => (format!(" WHERE {condition}"), format!("({condition}) AND ")),
        None => (String::new(), String::new()),
    };
    let from: Vec<String> = from.iter().map(ToString::to_string).collect();
    Some(format!(
        "{with}SELECT 1 FROM (SELECT count(*) AS n {many}{filter}) AS many, (SELECT count(*) AS n FROM {} \
         WHERE {before}EXISTS (SELECT 1 FROM {} WHERE {on})) AS once WHERE many.n > once.n",
        from.join(", "),
        join.relation
    ))
}

/// Words before "number of" where it counts.
const BEFORE_NUMBER: &[&str] = words!(
    "by, the, a, total, corresponding, and, with, find, show, largest, smallest, highest, \
     lowest, greatest, least, most, maximum"
);

/// What a question counts: the places of its words where the name of it begins.
pub(super) struct Counted(Vec<usize>);

impl Counted {
    pub(super) fn of(said: &Said<'_>) -> Self {
        let words: Vec<&str> = said.words().iter().map(String::as_str).collect();
        let is_number =
            |word: &str| word.parse::<u32>().is_ok() || of_folded(word).is_some() || word == "one";
        let mut starts = Vec::new();
        for place in 0..words.len() {
            let rest = words.get(place..).unwrap_or_default();
            let before = place.checked_sub(1).and_then(|before| words.get(before));
            let length = match rest {
                ["how", "many", ..] | ["wie", "viele", ..] => 2,
                ["many", ..]
                    if before.is_none_or(|word| !["how", "as", "so", "too"].contains(word)) =>
                {
                    1
                }
                // "The phone number of" counts nothing.
                ["number" | "numbers" | "count", "of", ..]
                    if before.is_none_or(|word| BEFORE_NUMBER.contains(word)) =>
                {
                    2
                }
                ["at", "least" | "most", number, ..]
                | ["more" | "less" | "fewer", "than", number, ..]
                    if is_number(number) =>
                {
                    3
                }
                ["exactly" | "only", number, ..] if is_number(number) => 2,
                [number, "or", "more" | "fewer" | "less", ..] if is_number(number) => 3,
                ["most" | "fewest", ..] if before != Some(&"at") => 1,
                _ => continue,
            };
            starts.push(place + length);
        }
        Self(starts)
    }

    /// The place of the first word that is counted.
    pub(super) fn first(&self) -> Option<usize> {
        self.0.first().copied()
    }

    /// How many words of the name follow a place where something is counted, at once or after one word.
    fn names(&self, said: &Said<'_>, name: &str) -> Option<usize> {
        self.names_after(said, name, 0)
            .or_else(|| self.names_after(said, name, 1))
    }

    /// The same, after so many words.
    pub(super) fn names_after(&self, said: &Said<'_>, name: &str, words: usize) -> Option<usize> {
        let own = said.analyzer.terms_of_name(name);
        let is_at = |from: usize| {
            let run = said.words().get(from..from + own.len()).unwrap_or_default();
            let stems = run.iter().map(|word| said.analyzer.stem(word));
            stems.collect::<Vec<_>>() == *own
        };
        let is_named = !own.is_empty() && self.0.iter().any(|start| is_at(*start + words));
        is_named.then_some(own.len())
    }

    /// The stems of the words that are counted, and of the words after them.
    fn nouns(&self, said: &Said<'_>) -> Vec<String> {
        let words = said.words();
        let near = self.0.iter().flat_map(|start| {
            let end = words.len().min(start + 2);
            words.get(*start..end).unwrap_or_default()
        });
        near.filter(|word| !is_function_word(word))
            .map(|word| said.analyzer.stem(word))
            .collect()
    }
}

/// The only block that counts, with its place.
fn counting<'t, 'q>(tree: &'t Tree<'q>) -> Option<(usize, &'t Block<'q>)> {
    let mut all = tree.blocks.iter().enumerate().filter(|(_, block)| {
        aggregates(block.select, block.query)
            .iter()
            .any(|call| call.name == "count")
    });
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// `count(*)` for "how many boats", where a join repeats the boats.
fn counted_rows(
    tree: &Tree<'_>,
    said: &Said<'_>,
    counted: &Counted,
    values: &[(String, ValueHit)],
) -> Option<Finding> {
    let (position, block) = counting(tree)?;
    let calls: Vec<Aggregate<'_>> = aggregates(block.select, block.query)
        .into_iter()
        .filter(|call| call.name == "count" && !call.is_distinct)
        .collect();
    let (position, block) = match counted_below(tree, block, &calls) {
        Some(below) => (below, tree.block(below)?),
        None => (position, block),
    };
    subject(block, said, counted)
        .and_then(|subject| counted_subject(tree, position, subject, &calls))
        .or_else(|| counted_by_idle(tree, position, said, counted, values, calls.first()?))
}

/// The block whose rows `count(*)` counts: those of a CTE or sub-query that passes on all of its own.
fn counted_below(tree: &Tree<'_>, block: &Block<'_>, calls: &[Aggregate<'_>]) -> Option<usize> {
    let [source] = block.sources.as_slice() else {
        return None;
    };
    let Rows::Result(result) = &source.rows else {
        return None;
    };
    let counts_rows = calls.iter().all(|call| call.argument.is_none());
    let below = tree.blocks.iter().position(|block| {
        let own = block.query.and_then(|query| tree.result_of(query));
        own.is_some_and(|own| Arc::ptr_eq(own, result))
    })?;
    let select = tree.block(below)?.select;
    let query = tree.block(below)?.query?;
    let is_grouped =
        !matches!(&select.group_by, GroupByExpr::Expressions(groups, _) if groups.is_empty());
    let passes_all = !is_grouped
        && select.distinct.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && matches!(&*query.body, SetExpr::Select(_))
        && block.select.selection.is_none();
    (counts_rows && passes_all).then_some(below)
}

fn counted_subject(
    tree: &Tree<'_>,
    position: usize,
    subject: usize,
    calls: &[Aggregate<'_>],
) -> Option<Finding> {
    let block = tree.block(position)?;
    let call = calls.iter().find(|call| {
        let of = call
            .argument
            .map(|argument| tree.sources_in(position, argument));
        of.is_none_or(|sources| sources == [subject])
    })?;
    // Where each group is of one row of the subject, something else is counted.
    let mut fixing = tree.fixing(position);
    fixing.fix_groups();
    let is_grouped_by = fixing
        .determined(&[])
        .get(subject)
        .copied()
        .unwrap_or(false);
    let others = tree.not_determined(position, subject, &[]);
    if is_grouped_by || others.is_empty() {
        return None;
    }
    let source = block.sources.get(subject)?;
    let keys = source.keys();
    let sql = repetition_query(tree, position, subject, keys.first()?, &[])?;
    let others: Vec<String> = others
        .into_iter()
        .filter_map(|other| block.sources.get(other))
        .map(name_of)
        .collect();
    let owner = name_of(source);
    let others = others.join(&format!(" {} ", say!("and")));
    let evidence = repeats(&others, &owner, &call.call.to_string());
    let fix = say!("count(DISTINCT …) of the key of {owner}", owner);
    Some(Finding::asked_of_data(
        Check::JoinFanOut,
        sql,
        evidence,
        fix,
    ))
}

/// A count whose rows a join repeats that nobody asks for, where the counted word belongs to another table than the joined
/// one.
fn counted_by_idle(
    tree: &Tree<'_>,
    position: usize,
    said: &Said<'_>,
    counted: &Counted,
    values: &[(String, ValueHit)],
    call: &Aggregate<'_>,
) -> Option<Finding> {
    let block = tree.block(position)?;
    let (idle, others): (Vec<usize>, Vec<usize>) =
        (0..block.sources.len()).partition(|place| is_idle(tree, position, *place, said));
    let [idle] = idle.as_slice() else {
        return None;
    };
    let counted_of = |place: usize| {
        let table = block.sources.get(place)?.table()?;
        let columns = table.columns.iter().map(|column| &column.name);
        let targets = table.foreign_keys.iter().map(|key| &key.target_name);
        let names = std::iter::once(&table.name).chain(columns).chain(targets);
        let terms: HashSet<String> = names
            .flat_map(|name| said.analyzer.terms_of_name(name).to_vec())
            .collect();
        let nouns = counted.nouns(said);
        // "How many yachts": a kind that the table has a column of.
        let is_kind = values
            .iter()
            .any(|(phrase, hit)| hit.table == table.oid && nouns == said.analyzer.terms(phrase));
        Some(is_kind || nouns.iter().any(|noun| terms.contains(noun)))
    };
    let is_named_in_full = |place: usize| {
        let table = block.sources.get(place).and_then(|source| source.table());
        table.is_some_and(|table| {
            let terms = said.analyzer.terms_of_name(&table.name);
            terms.iter().all(|term| said.has_term(term))
        })
    };
    let owner = others.iter().copied().find(|place| {
        counted_of(*place) == Some(true)
            && (counted_of(*idle) == Some(false) || is_named_in_full(*place))
    })?;
    repeated_by_idle(tree, position, block, owner, &call.call.to_string(), said)
}

/// The only source that is counted by the name of its table, or of its key; of several names at one place, the longest.
fn subject(block: &Block<'_>, said: &Said<'_>, counted: &Counted) -> Option<usize> {
    let mut named: Vec<(usize, usize)> = block
        .sources
        .iter()
        .enumerate()
        .filter_map(|(place, source)| {
            let name = &source.table()?.name;
            // `has_engine` is no engine.
            let parts = name.split('_').filter(|part| !part.is_empty()).count();
            let length = counted.names(said, name)?;
            (length >= parts).then_some((place, length))
        })
        .collect();
    // "How many allergies": rows of the table whose key is called so.
    if named.is_empty() {
        named = block
            .sources
            .iter()
            .enumerate()
            .filter_map(|(place, source)| {
                let [key] = source.table()?.primary_key.as_slice() else {
                    return None;
                };
                Some((place, counted.names(said, key)?))
            })
            .collect();
    }
    let longest = named.iter().map(|(_, length)| *length).max()?;
    named.retain(|(_, length)| *length == longest);
    match named.as_slice() {
        [(only, _)] => Some(*only),
        _ => None,
    }
}

/// `count(lender_id)` or `count(*)` of loans for "how many lenders", where a lender has several of them.
fn counted_references(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    counted: &Counted,
) -> Option<Finding> {
    let (position, block) = counting(tree)?;
    let calls = aggregates(block.select, block.query);
    let [call] = calls.as_slice() else {
        return None;
    };
    let is_read = |table: &Arc<Table>| {
        let mut sources = block.sources.iter().filter_map(|source| source.table());
        sources.any(|source| source.oid == table.oid)
    };
    // "How many teachers teach": of two names, the first.
    let named = |after: usize| -> Vec<&Arc<Table>> {
        let tables = tables.iter();
        tables
            .filter(|table| counted.names_after(said, &table.name, after).is_some())
            .collect()
    };
    let at_once = named(0);
    let targets = match at_once.is_empty() {
        true => named(1),
        false => at_once,
    };
    let [target] = targets.as_slice() else {
        return None;
    };
    if call.is_distinct || is_read(target) {
        return None;
    }
    let column = match call.argument {
        Some(argument) => tree.resolve(position, argument)?,
        None => {
            // Rows of a group may be what is meant: "the semester with the fewest students".
            let is_grouped = !matches!(&block.select.group_by, GroupByExpr::Expressions(groups, _) if groups.is_empty());
            let [source] = block.sources.as_slice() else {
                return None;
            };
            if is_grouped {
                return None;
            }
            let mut keys = source.table()?.foreign_keys.iter();
            let key = keys.find(|key| key.target == target.oid)?;
            Reference {
                block: position,
                source: 0,
                column: key.columns.first()?.clone(),
            }
        }
    };
    let (table, _) = tree.column(&column)?;
    // A captain is a member of staff: a reference to the staff may be one to a captain.
    let is_target = |oid: u32| {
        let own = &target.primary_key;
        let mut keys = target.foreign_keys.iter();
        oid == target.oid
            || keys.any(|key| {
                key.target == oid
                    && key.columns.len() == 1
                    && (own.is_empty() || *own == key.columns)
            })
    };
    let refers = table
        .foreign_keys
        .iter()
        .any(|key| is_target(key.target) && key.columns == [column.column.clone()]);
    let is_of_target = |key: &&ForeignKey| is_target(key.target);
    let is_only = table.foreign_keys.iter().filter(is_of_target).count() == 1;
    if !refers || !is_only {
        return None;
    }
    let sql = repetition_query(
        tree,
        position,
        column.source,
        std::slice::from_ref(&column.column),
        &[],
    )?;
    let evidence = say!(
        "The question counts rows of {target}, and {call} counts one of them as often as {column} refers to it.",
        target = target.sql_name(),
        call = call.call,
        column = tree.label(&column)
    );
    let fix = format!("count(DISTINCT {})", tree.sql(&column));
    Some(Finding::asked_of_data(Check::Repeated, sql, evidence, fix))
}

/// A sum over the rows of another table, where the question asks for it of all of those: "the credits of all classes". What
/// is said of repeated rows is then a warning.
pub fn allow_repetition(
    sql: &str,
    tables: &[Arc<Table>],
    asked: &Asked<'_>,
    found: &mut [Finding],
) {
    let Ok(Some(query)) = parse(sql) else {
        return;
    };
    let tree = Tree::read(&query, tables);
    let said = Said::of(asked.understanding);
    let names_all = |source: &Source<'_>| {
        source.table().is_some_and(|table| {
            let name = plural(&table.name.replace('_', " "));
            ["of all", "over all", "of all the", "of each of the"]
                .iter()
                .any(|before| said.has_phrase(&format!("{before} {name}")))
        })
    };
    let is_of_all = tree.blocks.iter().enumerate().any(|(position, block)| {
        let calls = aggregates(block.select, block.query);
        let mut summed = calls
            .iter()
            .filter(|call| call.name == "sum")
            .filter_map(|call| call.argument)
            .flat_map(|argument| tree.sources_in(position, argument));
        let others = summed
            .next()
            .map(|source| tree.not_determined(position, source, &[]))
            .unwrap_or_default();
        let is_named = |other: &usize| block.sources.get(*other).is_some_and(names_all);
        !others.is_empty() && others.iter().all(is_named)
    });
    for finding in found {
        if let (Check::JoinFanOut, Some(Probe::Rows { found, .. })) =
            (finding.check, &mut finding.probe)
            && is_of_all
        {
            found.severity = found.severity.min(Severity::Warning);
        }
    }
}
