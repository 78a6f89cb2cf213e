//! The state of an explanation: the steps so far, and the comments already quoted.
//! Each comment is quoted once, where its object is first mentioned.

use std::collections::HashSet;
use std::sync::Arc;
use text2sql_phrases::finished;
use text2sql_phrases::say;

use sqlparser::ast::Ident;

use super::Step;
use super::scope::{Relation, Scope, Source};
use text2sql_domain::schema::{Table, TableKind, quote_identifier};
use text2sql_language::english::shorten;
use text2sql_sql::tree::syntax::fold;

/// Maximum length of a quoted comment, in characters: three lines of a terminal.
const COMMENT_CHARACTERS: usize = 240;

/// Maximum length of a displayed SQL fragment, in characters.
const SNIPPET_CHARACTERS: usize = 160;

/// Maximum depth of expressions; deeper ones are shown as SQL. The parser permits about 50
/// levels of parentheses, but does not limit operator chains.
const MAX_DEPTH: usize = 80;

/// Explains a statement step by step.
pub(super) struct Narrator<'a> {
    /// The tables that the statement may read.
    pub tables: &'a [Arc<Table>],
    /// The steps so far.
    pub steps: Vec<Step>,
    /// Names of the CTEs being explained, outermost first.
    pub prefix: Vec<String>,
    /// Objects whose comment was already quoted: table OID and column number, 0 for the table itself.
    mentioned: HashSet<(u32, i16)>,
    /// Whether comments, aliases that are not used, and how tables are joined are left out.
    pub is_brief: bool,
    depth: usize,
}

impl<'a> Narrator<'a> {
    /// Creates a narrator without steps.
    pub fn new(tables: &'a [Arc<Table>]) -> Self {
        Self {
            tables,
            steps: Vec::new(),
            prefix: Vec::new(),
            mentioned: HashSet::new(),
            is_brief: false,
            depth: 0,
        }
    }

    /// Creates a narrator that leaves out comments, aliases that it does not use, and how tables are joined.
    pub fn brief(tables: &'a [Arc<Table>]) -> Self {
        Self {
            is_brief: true,
            ..Self::new(tables)
        }
    }

    /// Adds a step.
    pub fn push(&mut self, clause: &str, explanation: String) {
        let mut words = self.prefix.clone();
        words.push(clause.to_owned());
        self.steps.push(Step {
            clause: words.join(": "),
            explanation: finished(explanation),
        });
    }

    /// Explains a CTE: a header with the number of steps, then the steps under its name.
    pub fn push_nested(
        &mut self,
        clause: &str,
        name: &str,
        header: impl FnOnce(&str) -> String,
        explain: impl FnOnce(&mut Self),
    ) {
        let position = self.steps.len();
        self.push(clause, String::new());
        self.prefix.push(name.to_owned());
        explain(self);
        self.prefix.pop();
        let count = self.steps.len().saturating_sub(position + 1);
        let steps = if count == 1 {
            say!("the next step")
        } else {
            say!("the next {count} steps")
        };
        if let Some(step) = self.steps.get_mut(position) {
            step.explanation = finished(header(&steps));
        }
    }

    /// Runs `describe` one level deeper, or shows the SQL if the maximum depth is reached.
    pub fn deeper(
        &mut self,
        sql: &dyn std::fmt::Display,
        describe: impl FnOnce(&mut Self) -> String,
    ) -> String {
        if self.depth >= MAX_DEPTH {
            return unexplained(sql);
        }
        self.depth += 1;
        let words = describe(self);
        self.depth -= 1;
        words
    }

    /// The first mention of a relation in FROM: its name, its alias, its comment.
    pub fn introduce(&mut self, relation: &Relation, shows_alias: bool) -> String {
        let shows_alias = shows_alias && !self.is_brief;
        let Source::Table(table) = &relation.source else {
            return introduce_result(relation, shows_alias);
        };
        let name = table.sql_name();
        let name = match table.kind {
            TableKind::View => say!("the view {name}"),
            TableKind::MaterializedView => say!("the materialised view {name}"),
            TableKind::Table | TableKind::PartitionedTable => name,
        };
        let alias = quote_identifier(&relation.qualifier);
        let comment = self.first_comment(table.oid, 0, table.comment.as_deref());
        let has_alias = relation.qualifier != table.name;
        if has_alias && relation.label == alias {
            let comment = comment.map_or_else(String::new, |comment| format!(" ({comment})"));
            return say!(
                "{name}, called {alias} here",
                name = format!("{name}{comment}")
            );
        }
        let remarks: Vec<String> = (has_alias && shows_alias)
            .then(|| say!("alias {alias}"))
            .into_iter()
            .chain(comment)
            .collect();
        if remarks.is_empty() {
            name
        } else {
            format!("{name} ({})", remarks.join("; "))
        }
    }

    /// A column's name in a sentence, with its comment at the first mention.
    pub fn column(&mut self, scope: &Scope<'_>, name: &[Ident]) -> String {
        let parts: Vec<String> = name.iter().map(fold).collect();
        let (qualifier, column) = match parts.as_slice() {
            [column] => (None, column),
            [.., qualifier, column] => (Some(qualifier.as_str()), column),
            [] => return String::new(),
        };
        let Some(found) = scope.find(qualifier, column) else {
            let row = scope.find(Some(column), "");
            let is_table = row.is_some_and(|row| !matches!(row.relation.source, Source::Unknown));
            if qualifier.is_none() && is_table {
                return say!("the whole row of {name}", name = quote_identifier(column));
            }
            let quoted: Vec<String> = parts.iter().map(|part| quote_identifier(part)).collect();
            return quoted.join(".");
        };
        let quoted = quote_identifier(column);
        let words = if found.level > 0 && scope.is_label_taken(&found.relation.label, found.level) {
            let qualifier = quote_identifier(&found.relation.qualifier);
            say!("{qualifier}.{quoted} of the outer query")
        } else if (found.level == 0 && found.is_alone) || found.relation.label == quoted {
            quoted
        } else {
            format!("{}.{quoted}", found.relation.label)
        };
        let comment = found.relation.table().and_then(|table| {
            let column = table.column(column)?;
            self.first_comment(table.oid, column.number, column.comment.as_deref())
        });
        match comment {
            Some(comment) => format!("{words} ({comment})"),
            None => words,
        }
    }

    /// The comment of an object, unless it was already quoted.
    fn first_comment(&mut self, oid: u32, number: i16, comment: Option<&str>) -> Option<String> {
        let comment = comment.filter(|_| !self.is_brief)?;
        let comment = shorten(comment, COMMENT_CHARACTERS);
        let comment = comment.trim_end_matches(['.', ' ']).to_owned();
        (!comment.is_empty() && self.mentioned.insert((oid, number))).then_some(comment)
    }
}

fn introduce_result(relation: &Relation, shows_alias: bool) -> String {
    let name = relation.full_name.clone();
    let alias = quote_identifier(&relation.qualifier);
    if relation.qualifier == relation.base_name {
        name
    } else if relation.label == alias {
        say!("{name}, called {alias} here")
    } else if shows_alias {
        say!("{name} (alias {alias})")
    } else {
        name
    }
}

/// States that an SQL fragment cannot be explained, and shows it.
pub(super) fn unexplained(sql: &dyn std::fmt::Display) -> String {
    say!(
        "{snippet} (which is not explained yet)",
        snippet = snippet(sql)
    )
}

/// An SQL fragment on one line.
pub(super) fn snippet(sql: &dyn std::fmt::Display) -> String {
    format!("`{}`", shorten(&sql.to_string(), SNIPPET_CHARACTERS))
}
