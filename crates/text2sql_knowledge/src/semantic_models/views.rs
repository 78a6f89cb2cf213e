//! What Cube and LookML have in common: views of tables with dimensions, measures and joins, and how these become
//! definitions.
//!
//! References are replaced by what they refer to, until only columns are left. A measure that reads columns of other
//! tables becomes a definition over the joins that lead there.

use std::collections::BTreeSet;

use text2sql_domain::object_name;
use text2sql_domain::schema::{quote_identifier, quote_literal};

use super::super::dbt::{Lesson, Manifest};
use super::super::join_path::{self, Written};

/// Maximum number of references within references.
const MAX_DEPTH: usize = 16;

/// Maximum length of the SQL of a definition.
const MAX_SQL_BYTES: usize = 20_000;

/// Names that nearly every view has, and that say nothing without it.
const GENERIC: [&str; 8] = [
    "count", "total", "sum", "average", "avg", "number", "amount", "value",
];

/// A view of a table.
#[derive(Debug)]
pub(super) struct View {
    pub(super) name: String,
    /// The parts of the table's name, or why there is none.
    pub(super) table: Result<Vec<String>, String>,
    pub(super) description: Option<String>,
    pub(super) members: Vec<Member>,
}

/// A dimension, a measure, or a condition.
#[derive(Debug, Default)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) label: Option<String>,
    pub(super) description: Option<String>,
    pub(super) kind: Kind,
    pub(super) sql: Option<String>,
    pub(super) filters: Vec<Filter>,
    /// Why it cannot be used, whatever its SQL.
    pub(super) problem: Option<String>,
}

/// The kind of a member.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A value of a row.
    #[default]
    Dimension,
    /// A time of a row.
    Time,
    /// A condition on a row.
    Condition,
    /// An aggregate of this type.
    Measure(String),
}

/// A condition of a measure.
#[derive(Debug)]
pub(super) enum Filter {
    Sql(String),
    /// A dimension and the values that it may have, as Looker writes them.
    Values(String, String),
}

/// A join of two views.
#[derive(Debug)]
pub(super) struct Join {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) sql: Option<String>,
    /// Whether a row of `from` has at most one of `to`, and the reverse.
    pub(super) is_to_one: bool,
    pub(super) is_from_one: bool,
}

/// The models of a project.
#[derive(Debug, Default)]
pub(super) struct Project {
    pub(super) views: Vec<View>,
    pub(super) joins: Vec<Join>,
    pub(super) left_out: Vec<(String, String)>,
}

/// Columns that are equal, of one view and of the other.
type ColumnPairs = Vec<(String, String)>;

/// A join as columns: from, to, and pairs of their names.
struct Edge {
    from: usize,
    to: usize,
    columns: ColumnPairs,
    is_to_one: bool,
}

impl Project {
    /// What can be stored of it, and what cannot.
    pub(super) fn lessons(mut self) -> Manifest {
        let mut manifest = Manifest::default();
        manifest.left_out.append(&mut self.left_out);
        let edges = self.edges(&mut manifest);
        for (place, view) in self.views.iter().enumerate() {
            let table = match &view.table {
                Ok(table) => object_name::join(table),
                Err(why) => {
                    manifest.left_out.push((view.name.clone(), why.clone()));
                    continue;
                }
            };
            if let Some(text) = &view.description {
                manifest.lessons.push(Lesson::Description {
                    object: table.clone(),
                    text: text.clone(),
                });
            }
            for member in &view.members {
                match self.lesson(&edges, place, &table, member) {
                    Ok(lesson) => manifest.lessons.extend(lesson),
                    Err(why) => {
                        let subject = format!("{}.{}", view.name, member.name);
                        manifest.left_out.push((subject, why));
                    }
                }
            }
        }
        manifest
    }

    /// The joins on equal columns, in the directions in which they keep rows as they are.
    fn edges(&self, manifest: &mut Manifest) -> Vec<Edge> {
        let mut edges = Vec::new();
        for join in &self.joins {
            match self.edge(join) {
                Ok((from, to, columns)) => {
                    if let ([(own, other)], true) = (columns.as_slice(), join.is_to_one) {
                        self.learn_join(manifest, (from, own), (to, other));
                    }
                    let back = columns
                        .iter()
                        .map(|(a, b)| (b.clone(), a.clone()))
                        .collect();
                    edges.push(Edge {
                        from: to,
                        to: from,
                        columns: back,
                        is_to_one: join.is_from_one,
                    });
                    edges.push(Edge {
                        from,
                        to,
                        columns,
                        is_to_one: join.is_to_one,
                    });
                }
                Err(why) => manifest
                    .left_out
                    .push((format!("join {} -> {}", join.from, join.to), why)),
            }
        }
        edges
    }

    fn learn_join(&self, manifest: &mut Manifest, from: (usize, &String), to: (usize, &String)) {
        let name = |(view, column): (usize, &String)| {
            let table = self.views.get(view)?.table.as_ref().ok()?;
            Some(format!(
                "{}.{}",
                object_name::join(table),
                quote_identifier(column)
            ))
        };
        if let (Some(column), Some(target)) = (name(from), name(to)) {
            manifest.lessons.push(Lesson::Join {
                column,
                target,
                is_unique: false,
            });
        }
    }

    fn edge(&self, join: &Join) -> Result<(usize, usize, ColumnPairs), String> {
        let find = |name: &str| {
            let found = self.views.iter().position(|view| view.name == name);
            found.ok_or_else(|| format!("the view \"{name}\" is not there"))
        };
        let (from, to) = (find(&join.from)?, find(&join.to)?);
        let sql = join.sql.as_deref().ok_or("it has no condition")?;
        let mut resolver = Resolver::new(self, true);
        let sql = resolver.resolve(from, sql, false)?;
        let equal = || "its condition is not an equality of columns".to_owned();
        let Ok(Written::Columns(pairs)) = join_path::read(&sql.replace(['(', ')'], "")) else {
            return Err(equal());
        };
        let [own, other] = [from, to].map(|view| {
            let table = self
                .views
                .get(view)
                .and_then(|view| view.table.as_ref().ok());
            table.cloned().unwrap_or_default()
        });
        let mut columns = Vec::new();
        for (one, two) in pairs {
            let split = |name: &str| {
                let mut parts = object_name::split(name)?;
                let column = parts.pop()?;
                Some((parts, column))
            };
            let (Some(one), Some(two)) = (split(&one), split(&two)) else {
                return Err(equal());
            };
            columns.push(
                match (
                    one.0 == own && two.0 == other,
                    one.0 == other && two.0 == own,
                ) {
                    (true, _) => (one.1, two.1),
                    (_, true) => (two.1, one.1),
                    _ => return Err(equal()),
                },
            );
        }
        Ok((from, to, columns))
    }

    fn lesson(
        &self,
        edges: &[Edge],
        place: usize,
        table: &str,
        member: &Member,
    ) -> Result<Option<Lesson>, String> {
        if let Some(problem) = &member.problem {
            return Err(problem.clone());
        }
        if matches!(member.kind, Kind::Dimension | Kind::Time) {
            let own = member.sql.as_deref().unwrap_or(&member.name);
            let own = own
                .trim()
                .strip_prefix("${TABLE}.")
                .or_else(|| own.trim().strip_prefix("{CUBE}."));
            let own = own
                .unwrap_or(member.sql.as_deref().unwrap_or(&member.name))
                .trim();
            if is_identifier(own) {
                // A column: it has a name already.
                return Ok(member.description.as_ref().map(|text| Lesson::Description {
                    object: format!("{table}.{}", quote_identifier(own.trim_matches('"'))),
                    text: text.clone(),
                }));
            }
        }
        let mut resolver = Resolver::new(self, false);
        let sql = resolver.member(place, member)?;
        let joins = self.path(edges, place, &resolver.used)?;
        let mut plain = member.name.replace('_', " ");
        if GENERIC.contains(&plain.as_str()) {
            let view = self.views.get(place).map_or("", |view| view.name.as_str());
            plain = format!("{} {plain}", view.replace('_', " "));
        }
        let term = member.label.clone().unwrap_or_else(|| plain.clone());
        let synonyms = match term.to_lowercase() == plain.to_lowercase() {
            true => Vec::new(),
            false => vec![plain],
        };
        Ok(Some(Lesson::Definition {
            meaning: member.description.clone().unwrap_or_else(|| term.clone()),
            term,
            synonyms,
            table: table.to_owned(),
            sql_expression: sql,
            joins,
        }))
    }

    /// The joins that lead from a view to all that are used, each to one row.
    fn path(
        &self,
        edges: &[Edge],
        from: usize,
        used: &BTreeSet<usize>,
    ) -> Result<Vec<String>, String> {
        let mut reached: Vec<(usize, Vec<usize>)> = vec![(from, Vec::new())];
        let mut next = 0;
        while let Some((here, path)) = reached.get(next).cloned() {
            next += 1;
            for (place, edge) in edges.iter().enumerate() {
                let is_new = !reached.iter().any(|(known, _)| *known == edge.to);
                if edge.from == here && edge.is_to_one && is_new {
                    let mut longer = path.clone();
                    longer.push(place);
                    reached.push((edge.to, longer));
                }
            }
        }
        let mut steps: Vec<usize> = Vec::new();
        for view in used.iter().filter(|view| **view != from) {
            let name = self.views.get(*view).map_or("", |view| view.name.as_str());
            let (_, path) = reached
                .iter()
                .find(|(known, _)| known == view)
                .ok_or_else(|| {
                    format!(
                        "no join to one row leads to \"{name}\", so rows would count more than once"
                    )
                })?;
            steps.extend(
                path.iter()
                    .filter(|step| !steps.contains(step))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        let name = |view: usize| {
            let table = self
                .views
                .get(view)
                .and_then(|view| view.table.as_ref().ok());
            table
                .map(|table| object_name::join(table))
                .unwrap_or_default()
        };
        Ok(steps
            .into_iter()
            .filter_map(|step| edges.get(step))
            .map(|edge| {
                let (from, to) = (name(edge.from), name(edge.to));
                let pairs = edge.columns.iter().map(|(own, other)| {
                    format!(
                        "{from}.{} = {to}.{}",
                        quote_identifier(own),
                        quote_identifier(other)
                    )
                });
                pairs.collect::<Vec<_>>().join(" AND ")
            })
            .collect())
    }
}

/// Replaces references by what they refer to.
struct Resolver<'a> {
    project: &'a Project,
    /// Whether tables are named with their schema.
    in_full: bool,
    /// The views whose columns are read.
    used: BTreeSet<usize>,
    depth: usize,
}

impl<'a> Resolver<'a> {
    fn new(project: &'a Project, in_full: bool) -> Self {
        Self {
            project,
            in_full,
            used: BTreeSet::new(),
            depth: 0,
        }
    }

    fn table(&mut self, view: usize) -> Result<String, String> {
        self.used.insert(view);
        let found = self.project.views.get(view).ok_or("a view is not there")?;
        let table = found.table.as_ref().map_err(Clone::clone)?;
        Ok(match self.in_full {
            true => object_name::join(table),
            false => quote_identifier(table.last().map_or("", String::as_str)),
        })
    }

    /// The SQL of a member.
    fn member(&mut self, view: usize, member: &Member) -> Result<String, String> {
        if let Some(problem) = &member.problem {
            return Err(problem.clone());
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!(
                "\"{}\" is made of itself, or of too much",
                member.name
            ));
        }
        let sql = match &member.kind {
            Kind::Dimension | Kind::Time => self.value(view, member),
            Kind::Condition => {
                let sql = member.sql.as_deref().ok_or("it has no SQL")?;
                self.resolve(view, sql, false)
            }
            Kind::Measure(function) => self.measure(view, member, function),
        };
        self.depth -= 1;
        let sql = sql?;
        match sql.len() <= MAX_SQL_BYTES {
            true => Ok(sql),
            false => Err(format!("its SQL has more than {MAX_SQL_BYTES} bytes")),
        }
    }

    fn value(&mut self, view: usize, member: &Member) -> Result<String, String> {
        let sql = member.sql.as_deref().unwrap_or(&member.name).trim();
        match is_identifier(sql) {
            true => {
                let column = quote_identifier(sql.trim_matches('"'));
                Ok(format!("{}.{column}", self.table(view)?))
            }
            false => {
                self.used.insert(view);
                self.resolve(view, sql, false)
            }
        }
    }

    fn measure(&mut self, view: usize, member: &Member, function: &str) -> Result<String, String> {
        self.used.insert(view);
        let operand = |resolver: &mut Self| -> Result<String, String> {
            let sql = member.sql.as_deref().ok_or("it has no SQL")?.trim();
            match is_identifier(sql) {
                true => {
                    let column = quote_identifier(sql.trim_matches('"'));
                    Ok(format!("{}.{column}", resolver.table(view)?))
                }
                false => resolver.resolve(view, sql, false),
            }
        };
        let call = match function {
            "count" if member.sql.is_none() => "count(*)".to_owned(),
            "count" => format!("count({})", operand(self)?),
            "count_distinct" | "countDistinct" | "count_distinct_approx" => {
                format!("count(DISTINCT {})", operand(self)?)
            }
            "sum" | "min" | "max" => format!("{function}({})", operand(self)?),
            "avg" | "average" => format!("avg({})", operand(self)?),
            "median" => format!(
                "percentile_cont(0.5) WITHIN GROUP (ORDER BY {})",
                operand(self)?
            ),
            "number" if member.filters.is_empty() => {
                let sql = member.sql.as_deref().ok_or("it has no SQL")?;
                return self.resolve(view, sql, true);
            }
            other => {
                return Err(format!(
                    "a measure of the type {other} depends on the query that asks for it"
                ));
            }
        };
        let mut conditions = Vec::new();
        for filter in &member.filters {
            conditions.push(match filter {
                Filter::Sql(sql) => format!("({})", self.resolve(view, sql, false)?),
                Filter::Values(field, values) => {
                    let value = self.reference(view, field, false)?;
                    condition(&value, values)?
                }
            });
        }
        Ok(match conditions.is_empty() {
            true => call,
            false => format!("{call} FILTER (WHERE {})", conditions.join(" AND ")),
        })
    }

    /// The SQL with its references replaced: `${…}`, or `{…}`.
    fn resolve(&mut self, view: usize, sql: &str, of_measures: bool) -> Result<String, String> {
        if sql.contains("{%") || sql.contains("{{") {
            return Err("its SQL is made by a template".to_owned());
        }
        let mut text = String::new();
        let mut rest = sql;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) = after.split_once('}').ok_or("a reference is not closed")?;
            text.push_str(before.strip_suffix('$').unwrap_or(before));
            text.push_str(&self.reference(view, name.trim(), of_measures)?);
            rest = behind;
        }
        text.push_str(rest);
        Ok(text.trim().to_owned())
    }

    fn reference(&mut self, view: usize, name: &str, of_measures: bool) -> Result<String, String> {
        let unknown = || format!("it refers to \"{name}\", which is not there");
        let (of, member) = match name.split_once('.') {
            Some((of, member)) => (self.view(view, of).ok_or_else(unknown)?, member),
            None => match self.view(view, name) {
                Some(of) => return self.table(of),
                None => (view, name),
            },
        };
        let project = self.project;
        let found = project.views.get(of).ok_or_else(unknown)?;
        let exact = found.members.iter().find(|known| known.name == member);
        if let Some(exact) = exact {
            if matches!(exact.kind, Kind::Measure(_)) {
                return match (of_measures, of == view) {
                    (false, _) => Err(format!("it refers to the measure \"{name}\"")),
                    (true, false) => Err("it is made of measures of several tables".to_owned()),
                    (true, true) => Ok(format!("({})", self.member(of, exact)?)),
                };
            }
            let sql = self.member(of, exact)?;
            return Ok(match is_column(&sql) {
                true => sql,
                false => format!("({sql})"),
            });
        }
        // A time with a grain: created_month.
        let (base, grain) = member.rsplit_once('_').ok_or_else(unknown)?;
        let time = found
            .members
            .iter()
            .find(|known| known.name == base && known.kind == Kind::Time)
            .ok_or_else(unknown)?;
        let sql = self.member(of, time)?;
        match grain {
            "raw" | "time" => Ok(sql),
            "date" => Ok(format!("({sql})::date")),
            "week" | "month" | "quarter" | "year" => Ok(format!("date_trunc('{grain}', {sql})")),
            _ => Err(unknown()),
        }
    }

    fn view(&self, own: usize, name: &str) -> Option<usize> {
        match name {
            "TABLE" | "CUBE" => Some(own),
            name => self.project.views.iter().position(|view| view.name == name),
        }
    }
}

/// What Looker's filter says about a value: alternatives, numbers compared, yes or no.
fn condition(sql: &str, values: &str) -> Result<String, String> {
    let values = values.trim();
    match values {
        "yes" | "Yes" => return Ok(format!("({sql})")),
        "no" | "No" => return Ok(format!("NOT ({sql})")),
        "" | "NULL" => return Err(format!("its filter \"{values}\" is not understood")),
        _ => {}
    }
    let comparison = ["<>", "!=", ">=", "<=", ">", "<"]
        .into_iter()
        .find_map(|sign| Some((sign, values.strip_prefix(sign)?.trim())));
    if let Some((sign, number)) = comparison {
        return match number.parse::<f64>().is_ok_and(f64::is_finite) {
            true => Ok(format!("{sql} {sign} {number}")),
            false => Err(format!("its filter \"{values}\" is not understood")),
        };
    }
    if values.contains(['%', '^', '"', '[', '(']) || values.starts_with('-') {
        return Err(format!("its filter \"{values}\" is not understood"));
    }
    let words = [
        "before", "after", "ago", "last", "this", "next", "days", "months", "years", "not",
    ];
    let is_word = |word: &str| words.contains(&word.to_lowercase().as_str());
    if values.split_whitespace().count() > 1 && values.split_whitespace().any(is_word) {
        return Err(format!("its filter \"{values}\" is not understood"));
    }
    let list: Vec<String> = values
        .split(',')
        .map(|value| quote_literal(value.trim()))
        .collect();
    Ok(match list.as_slice() {
        [one] => format!("{sql} = {one}"),
        list => format!("{sql} IN ({})", list.join(", ")),
    })
}

/// Whether the text is one identifier.
fn is_identifier(text: &str) -> bool {
    let bare = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    match bare {
        Some(quoted) => !quoted.is_empty() && !quoted.contains('"'),
        None => {
            text.chars().all(|c| c.is_alphanumeric() || c == '_')
                && text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        }
    }
}

fn is_column(sql: &str) -> bool {
    object_name::split(sql).is_some()
        && sql
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '"'))
}

/// The parts of the name of a table, with its schema; the database before them is left away.
pub(super) fn table_parts(name: &str) -> Result<Vec<String>, String> {
    let name = name.trim().trim_end_matches(';').replace('`', "\"");
    let mut parts = object_name::split(&name).ok_or("its table is a query, not a name")?;
    let is_plain = |part: &String| !part.contains(char::is_whitespace) || name.contains('"');
    if !parts.iter().all(is_plain) {
        return Err("its table is a query, not a name".to_owned());
    }
    match parts.len() {
        1 => parts.insert(0, "public".to_owned()),
        3 => drop(parts.remove(0)),
        2 => {}
        _ => return Err("its table is a query, not a name".to_owned()),
    }
    Ok(parts)
}
