//! Reads the schema that DDL text defines: what people paste, of any of the dialects. Nothing of it is run.
//!
//! Tables, columns, keys, comments, values of enumerations and of `CHECK (… IN …)`, views, and the names of functions
//! are taken; everything else is skipped: settings, storage, rows, permissions, procedures. A parser of a dialect's
//! grammar would lose a whole table to one clause that it does not know; here a clause that is not known costs only
//! itself.

mod columns;
mod statements;
mod tokens;
mod type_category;
mod views;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use text2sql_domain::words;

use text2sql_domain::dialect::Dialect;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::interrupts;
use text2sql_domain::schema::{ForeignKey, Table, TableKind, TypeCategory};

use self::columns::{Draft, Reference, closing, name_of, qualified_name, text_of};
use self::statements::Statements;
use self::tokens::{Kind, Token};
use self::views::View;
use crate::dialects::rules_of;
pub use crate::given_schema::GivenSchema;

/// Maximum length of DDL text, in bytes. The schema of an ERP system with 3,000 tables has about that; it is read in
/// well under a second.
pub const MAX_SCHEMA_BYTES: usize = 2 * 1024 * 1024;

/// Maximum number of tables that DDL text may define: 5,000 describe any database that people know.
const MAX_TABLES: usize = 5_000;

/// Maximum number of columns of all tables.
const MAX_COLUMNS: usize = 100_000;

/// Maximum number of columns of one table: six times those of PostgreSQL. Lists of values and comments are compared
/// with each.
const MAX_COLUMNS_OF_TABLE: usize = 10_000;

/// Maximum number of labels of all columns whose types are enumerations: each column has a copy of them.
const MAX_LABELS: usize = 200_000;

/// Reads the schema that a text defines.
///
/// # Errors
/// [`ErrorKind::Limit`] for a text that is too large, [`ErrorKind::Setting`] for one that defines no table.
pub fn read(text: &str, dialect: Dialect) -> Result<GivenSchema, Error> {
    if text.len() > MAX_SCHEMA_BYTES {
        return Err(failure!(Limit, "the schema has {} bytes, and at most {MAX_SCHEMA_BYTES} are read",
                text.len())
        .with_hint("Pass the definitions alone, without rows: pg_dump --schema-only, mysqldump --no-data, sqlite3 .schema."));
    }
    let mut reader = Reader {
        text,
        dialect,
        tables: Vec::new(),
        by_name: HashMap::new(),
        columns: 0,
        labels: 0,
        enums: HashMap::new(),
        domains: HashMap::new(),
        functions: HashSet::new(),
        notes: Vec::new(),
    };
    let mut statements = Statements::new(text, dialect);
    while let Some(tokens) = statements.read_next()? {
        reader.read_statement(tokens)?;
    }
    reader.finish()
}

/// A table or view that is being read.
struct Relation {
    name: Vec<String>,
    kind: TableKind,
    draft: Draft,
    view: Option<View>,
}

struct Reader<'a> {
    text: &'a str,
    dialect: Dialect,
    tables: Vec<Relation>,
    by_name: HashMap<(String, String), usize>,
    columns: usize,
    labels: usize,
    enums: HashMap<String, Vec<String>>,
    domains: HashMap<String, String>,
    functions: HashSet<String>,
    notes: Vec<String>,
}

/// Words between CREATE and the kind of the object.
const MODIFIERS: usize = 30;

impl Reader<'_> {
    fn read_statement(&mut self, tokens: Vec<Token>) -> Result<(), Error> {
        let (comments, tokens): (Vec<Token>, Vec<Token>) =
            tokens.into_iter().partition(Token::is_comment);
        let Some((first, rest)) = tokens.split_first() else {
            return Ok(());
        };
        if first.is("create") {
            self.read_create(rest, &comments)?;
        } else if first.is("alter") {
            self.read_alter(rest);
        } else if first.is("comment") {
            self.read_comment(rest);
        } else if first.is_any(&["exec", "execute"]) {
            self.read_property(rest);
        }
        Ok(())
    }

    fn read_create(&mut self, tokens: &[Token], comments: &[Token]) -> Result<(), Error> {
        const KINDS: [&str; 10] = *words!(
            "table, view, type, domain, function, macro, index, procedure, trigger, sequence"
        );
        let kind = tokens
            .iter()
            .take(MODIFIERS)
            .position(|token| token.is_any(&KINDS));
        let Some((kind, modifiers, rest)) = kind.and_then(|place| {
            Some((
                tokens.get(place)?,
                tokens.get(..place)?,
                tokens.get(place + 1..)?,
            ))
        }) else {
            return Ok(());
        };
        let has = |word: &str| modifiers.iter().any(|token| token.is(word));
        let rest = behind_conditions(rest);
        if kind.is("table") {
            self.read_table(rest, comments)?;
        } else if kind.is("view") {
            let kind = match has("materialized") {
                true => TableKind::MaterializedView,
                false => TableKind::View,
            };
            self.read_view(rest, kind)?;
        } else if kind.is("type") {
            self.read_type(rest);
        } else if kind.is("domain") {
            let (name, length) = qualified_name(rest, self.dialect);
            let of_type = rest.get(length..).unwrap_or_default();
            let of_type = of_type.iter().find_map(|token| match &token.kind {
                Kind::Word(word) if !token.is("as") => Some(word.to_lowercase()),
                _ => None,
            });
            if let (Some(name), Some(base)) = (name.last(), of_type) {
                self.domains.insert(name.to_lowercase(), base);
            }
        } else if kind.is_any(&["function", "macro"]) {
            let (name, _) = qualified_name(rest, self.dialect);
            self.functions
                .extend(name.last().map(|name| name.to_lowercase()));
        } else if kind.is("index") && has("unique") {
            self.read_unique_index(rest);
        }
        Ok(())
    }

    fn read_table(&mut self, tokens: &[Token], comments: &[Token]) -> Result<(), Error> {
        let (name, length) = qualified_name(tokens, self.dialect);
        let is_temporary = name.last().is_none_or(|name| name.starts_with('#'));
        if is_temporary {
            return Ok(());
        }
        let rest = tokens.get(length..).unwrap_or_default();
        let as_query = rest.iter().position(|token| token.is("as"));
        let open = rest.iter().position(|token| token.is_sign('('));
        let mut draft = Draft::default();
        match (open, as_query) {
            (_, Some(as_query)) if open.is_none_or(|open| as_query < open) => {
                return self.add(Relation {
                    name,
                    kind: TableKind::Table,
                    draft,
                    view: View::of(rest.get(as_query + 1..).unwrap_or_default(), self.text),
                });
            }
            (Some(open), _) => {
                let list = rest.get(open..).unwrap_or_default();
                let end = closing(list);
                let inner = list.get(1..end.saturating_sub(1)).unwrap_or_default();
                read_items(&mut draft, inner, comments, self.text, self.dialect);
                let tail = list.get(end..).unwrap_or_default();
                draft.comment = option(tail, "comment");
                if let Some(place) = tail.iter().position(|token| token.is("inherits")) {
                    let (parent, _) =
                        qualified_name(tail.get(place + 2..).unwrap_or_default(), self.dialect);
                    draft.parents.push(parent);
                }
            }
            (None, _) => {}
        }
        // A partition: its rows are those of the parent.
        if let (Some(partition), true) = (
            rest.iter().position(|token| token.is("of")),
            rest.first().is_some_and(|token| token.is("partition")),
        ) {
            let (parent, _) =
                qualified_name(rest.get(partition + 1..).unwrap_or_default(), self.dialect);
            draft = Draft {
                parents: vec![parent],
                ..Draft::default()
            };
        }
        self.add(Relation {
            name,
            kind: TableKind::Table,
            draft,
            view: None,
        })
    }

    fn read_view(&mut self, tokens: &[Token], kind: TableKind) -> Result<(), Error> {
        let (name, length) = qualified_name(tokens, self.dialect);
        let rest = tokens.get(length..).unwrap_or_default();
        let Some(place) = rest.iter().position(|token| token.is("as")) else {
            return Ok(());
        };
        let head = rest.get(..place).unwrap_or_default();
        let names = match head.first() {
            Some(token) if token.is_sign('(') => columns::name_list(head, self.dialect).0,
            _ => Vec::new(),
        };
        let view = View::of(rest.get(place + 1..).unwrap_or_default(), self.text)
            .map(|view| View { names, ..view });
        self.add(Relation {
            name,
            kind,
            draft: Draft::default(),
            view,
        })
    }

    fn add(&mut self, relation: Relation) -> Result<(), Error> {
        self.count_columns(relation.draft.columns.len())?;
        if self.tables.len() >= MAX_TABLES {
            return Err(too_many(format!("more than {MAX_TABLES} tables")));
        }
        let key = self.key(&relation.name);
        match self
            .by_name
            .get(&key)
            .and_then(|place| self.tables.get_mut(*place))
        {
            // mysqldump defines each view twice, the last time rightly.
            Some(known) => *known = relation,
            None => {
                self.by_name.insert(key, self.tables.len());
                self.tables.push(relation);
            }
        }
        Ok(())
    }

    /// Adds the columns of a table, or those that it gets from others.
    fn count_columns(&mut self, count: usize) -> Result<(), Error> {
        self.columns += count;
        if count > MAX_COLUMNS_OF_TABLE {
            return Err(too_many(format!(
                "a table of more than {MAX_COLUMNS_OF_TABLE} columns"
            )));
        }
        match self.columns > MAX_COLUMNS {
            true => Err(too_many(format!("more than {MAX_COLUMNS} columns"))),
            false => Ok(()),
        }
    }

    /// Schema and name of a relation, as they are compared.
    fn key(&self, name: &[String]) -> (String, String) {
        let rules = rules_of(self.dialect);
        let (schema, table) = self.schema_and_name(name);
        (rules.stored(&schema), rules.stored(&table))
    }

    fn schema_and_name(&self, name: &[String]) -> (String, String) {
        let default = rules_of(self.dialect).default_schema;
        // The schema that another database uses by default: DDL is pasted across.
        let is_usual = |schema: &str| match self.dialect {
            Dialect::PostgreSql => false,
            Dialect::TSql => schema == "public",
            Dialect::Sqlite | Dialect::DuckDb | Dialect::MySql => {
                matches!(schema, "public" | "dbo" | "main")
            }
        };
        match name {
            [.., schema, table] if is_usual(schema) => (default.to_owned(), table.clone()),
            [.., schema, table] => (schema.clone(), table.clone()),
            [table] => (default.to_owned(), table.clone()),
            [] => (default.to_owned(), String::new()),
        }
    }

    fn draft(&mut self, name: &[String]) -> Option<&mut Draft> {
        let place = *self.by_name.get(&self.key(name))?;
        self.tables
            .get_mut(place)
            .map(|relation| &mut relation.draft)
    }

    fn read_type(&mut self, tokens: &[Token]) {
        let (name, length) = qualified_name(tokens, self.dialect);
        let rest = tokens.get(length..).unwrap_or_default();
        if rest.iter().take(3).any(|token| token.is("enum"))
            && let Some(name) = name.last()
        {
            let labels = rest.iter().filter_map(text_of).collect();
            self.enums.insert(name.to_lowercase(), labels);
        }
    }

    fn read_unique_index(&mut self, tokens: &[Token]) {
        // An index over a part of the rows is no key.
        if tokens.iter().any(|token| token.is("where")) {
            return;
        }
        let Some(on) = tokens.iter().position(|token| token.is("on")) else {
            return;
        };
        let skipped = usize::from(tokens.get(on + 1).is_some_and(|token| token.is("only")));
        let rest = tokens.get(on + 1 + skipped..).unwrap_or_default();
        let (table, length) = qualified_name(rest, self.dialect);
        let dialect = self.dialect;
        let rest = rest.get(length..).unwrap_or_default();
        let Some(open) = rest.iter().position(|token| token.is_sign('(')) else {
            return;
        };
        let list = rest.get(open..).unwrap_or_default();
        let is_plain = !list.iter().skip(1).any(|token| token.is_sign('('));
        let (names, _) = columns::name_list(list, dialect);
        if let Some(draft) = self.draft(&table).filter(|_| is_plain && !names.is_empty()) {
            draft.unique_keys.push(names);
        }
    }

    fn read_alter(&mut self, tokens: &[Token]) {
        let Some((first, rest)) = tokens.split_first() else {
            return;
        };
        if !first.is("table") {
            return;
        }
        let rest = behind_conditions(rest);
        let skipped = usize::from(rest.first().is_some_and(|token| token.is("only")));
        let rest = rest.get(skipped..).unwrap_or_default();
        let (table, length) = qualified_name(rest, self.dialect);
        let (text, dialect) = (self.text, self.dialect);
        let Some(draft) = self.draft(&table) else {
            return;
        };
        for action in split_at_commas(rest.get(length..).unwrap_or_default()) {
            let Some(add) = action.iter().position(|token| token.is("add")) else {
                continue;
            };
            let mut item = action.get(add + 1..).unwrap_or_default();
            if item.first().is_some_and(|token| token.is("column")) {
                item = behind_conditions(item.get(1..).unwrap_or_default());
            }
            // `SET DEFAULT`, `ADD GENERATED … AS IDENTITY` and the like define no column.
            let defines = add == 0
                || action.get(..add).is_some_and(|before| {
                    before
                        .iter()
                        .all(|t| t.is_any(&["with", "check", "nocheck"]))
                });
            let is_identity = item.first().is_some_and(|token| token.is("generated"));
            if defines && !is_identity {
                draft.read_item(item, text, dialect);
            }
        }
    }

    /// `COMMENT ON TABLE name IS 'text'`.
    fn read_comment(&mut self, tokens: &[Token]) {
        let [on, what, rest @ ..] = tokens else {
            return;
        };
        let rest = match rest {
            // MATERIALIZED VIEW, FOREIGN TABLE.
            [second, rest @ ..] if what.is_any(&["materialized", "foreign"]) => {
                let _ = second;
                rest
            }
            rest => rest,
        };
        let (mut name, length) = qualified_name(rest, self.dialect);
        let comment = rest
            .get(length..)
            .unwrap_or_default()
            .iter()
            .find_map(text_of);
        if !on.is("on") || comment.is_none() {
            return;
        }
        if what.is("column") {
            let column = name.pop().unwrap_or_default();
            self.set_column_comment(&name, &column, comment);
        } else if what.is_any(&["table", "view", "materialized", "foreign"])
            && let Some(draft) = self.draft(&name)
        {
            draft.comment = comment;
        }
    }

    fn set_column_comment(&mut self, table: &[String], column: &str, comment: Option<String>) {
        if let Some(column) = self.draft(table).and_then(|draft| {
            draft
                .columns
                .iter_mut()
                .find(|known| known.name.eq_ignore_ascii_case(column))
        }) {
            column.comment = comment;
        }
    }

    /// `EXEC sp_addextendedproperty @name = N'MS_Description', @value = N'text', @level1name = …`.
    fn read_property(&mut self, tokens: &[Token]) {
        let (name, length) = qualified_name(tokens, self.dialect);
        let is_property = name
            .last()
            .is_some_and(|name| name.eq_ignore_ascii_case("sp_addextendedproperty"));
        if !is_property {
            return;
        }
        let rest = tokens.get(length..).unwrap_or_default();
        let mut values: Vec<(Option<String>, String)> = Vec::new();
        for argument in split_at_commas(rest) {
            let name = argument.first().and_then(|token| match &token.kind {
                Kind::Word(word) if word.starts_with('@') => Some(word.to_lowercase()),
                _ => None,
            });
            let value = argument
                .last()
                .and_then(|token| name_of(token, self.dialect));
            values.push((name, value.unwrap_or_default()));
        }
        let value_of = |name: &str, place: usize| {
            let named = values.iter().find(|(own, _)| own.as_deref() == Some(name));
            let placed = values.get(place).filter(|(own, _)| own.is_none());
            named.or(placed).map(|(_, value)| value.clone())
        };
        let (Some(kind), Some(comment)) = (value_of("@name", 0), value_of("@value", 1)) else {
            return;
        };
        if !kind.eq_ignore_ascii_case("MS_Description") {
            return;
        }
        let mut table = Vec::new();
        table.extend(value_of("@level0name", 3));
        table.extend(value_of("@level1name", 5));
        match value_of("@level2name", 7) {
            Some(column) => self.set_column_comment(&table, &column, Some(comment)),
            None => {
                if let Some(draft) = self.draft(&table) {
                    draft.comment = Some(comment);
                }
            }
        }
    }

    /// Links tables with each other, and works out the columns of views.
    fn finish(mut self) -> Result<GivenSchema, Error> {
        if self.tables.is_empty() {
            return Err(failure!(Setting, "the schema defines no table")
            .with_detail(format!("It was read as {}.", self.dialect))
            .with_hint("Pass the statements that define its tables: schema_ddl => 'CREATE TABLE customers (id integer PRIMARY KEY, name text)'."));
        }
        self.inherit()?;
        let names: Vec<(String, String)> = self
            .tables
            .iter()
            .map(|relation| self.schema_and_name(&relation.name))
            .collect();
        let keys: Vec<Vec<String>> = self
            .tables
            .iter()
            .map(|relation| relation.draft.primary_key.clone())
            .collect();
        let rules = rules_of(self.dialect);
        let mut tables: Vec<Arc<Table>> = Vec::new();
        let mut views: Vec<(usize, View)> = Vec::new();
        let relations = std::mem::take(&mut self.tables);
        for (place, relation) in relations.into_iter().enumerate() {
            let (schema, name) = names.get(place).cloned().unwrap_or_default();
            let mut draft = relation.draft;
            self.finish_columns(&mut draft)?;
            let foreign_keys = draft
                .references
                .iter()
                .filter_map(|reference| self.foreign_key(reference, &schema, &names, &keys))
                .collect();
            for column in &mut draft.columns {
                column.not_null |= draft.primary_key.contains(&column.name);
            }
            tables.push(Arc::new(Table {
                oid: GivenSchema::oid_at(place),
                is_visible: rules.stored(&schema) == rules.stored(rules.default_schema),
                schema,
                name,
                kind: relation.kind,
                comment: draft.comment,
                columns: draft.columns,
                primary_key: draft.primary_key,
                unique_keys: draft.unique_keys,
                foreign_keys,
                ..Table::default()
            }));
            views.extend(relation.view.map(|view| (place, view)));
        }
        let mut schema = GivenSchema {
            dialect: self.dialect,
            tables,
            functions: self.functions,
            notes: self.notes,
        };
        for (place, view) in views {
            view.describe(place, &mut schema)?;
        }
        Ok(schema)
    }

    /// Gives tables the columns of those that they are like.
    fn inherit(&mut self) -> Result<(), Error> {
        for place in 0..self.tables.len() {
            let parents = self
                .tables
                .get_mut(place)
                .map(|relation| std::mem::take(&mut relation.draft.parents));
            for parent in parents.unwrap_or_default() {
                interrupts::check()?;
                let known = self.by_name.get(&self.key(&parent));
                let columns = known
                    .and_then(|known| self.tables.get(*known))
                    .map(|parent| parent.draft.columns.clone());
                if let Some(columns) = &columns {
                    self.count_columns(columns.len())?;
                }
                if let (Some(columns), Some(relation)) = (columns, self.tables.get_mut(place)) {
                    let mut own = std::mem::take(&mut relation.draft.columns);
                    let known: HashSet<&str> =
                        columns.iter().map(|column| column.name.as_str()).collect();
                    own.retain(|own| !known.contains(own.name.as_str()));
                    drop(known);
                    relation.draft.columns = columns;
                    relation.draft.columns.extend(own);
                }
            }
        }
        Ok(())
    }

    /// Gives columns what their own types say.
    fn finish_columns(&mut self, draft: &mut Draft) -> Result<(), Error> {
        interrupts::check()?;
        for column in &mut draft.columns {
            let of_type = column.type_name.to_lowercase();
            let last = of_type.rsplit('.').next().unwrap_or_default();
            let last = last.trim_matches('"');
            if let Some(labels) = self.enums.get(last) {
                self.labels += labels.len();
                if self.labels > MAX_LABELS {
                    return Err(too_many(format!(
                        "columns with more than {MAX_LABELS} labels of enumerations"
                    )));
                }
                column.enum_labels.clone_from(labels);
                column.category = TypeCategory::Enum;
            } else if let Some(base) = self.domains.get(last) {
                column.domain_base = Some(base.clone());
                column.category = type_category::category(base);
            }
        }
        Ok(())
    }

    fn foreign_key(
        &self,
        reference: &Reference,
        schema: &str,
        names: &[(String, String)],
        keys: &[Vec<String>],
    ) -> Option<ForeignKey> {
        // A target without a schema is first looked for beside the table.
        let beside = match reference.target.as_slice() {
            [only] => self
                .by_name
                .get(&self.key(&[schema.to_owned(), only.clone()])),
            _ => None,
        };
        let place = *beside.or_else(|| self.by_name.get(&self.key(&reference.target)))?;
        let (target_schema, target_name) = names.get(place)?.clone();
        let target_columns = match reference.target_columns.is_empty() {
            true => keys.get(place)?.clone(),
            false => reference.target_columns.clone(),
        };
        (target_columns.len() == reference.columns.len()).then(|| ForeignKey {
            columns: reference.columns.clone(),
            target: GivenSchema::oid_at(place),
            target_schema,
            target_name,
            target_columns,
            is_taught: false,
        })
    }
}

fn too_many(what: String) -> Error {
    failure!(Limit, "the schema has {what}")
}

/// Skips `IF NOT EXISTS` and the like.
fn behind_conditions(tokens: &[Token]) -> &[Token] {
    let skipped = tokens
        .iter()
        .take_while(|token| token.is_any(&["if", "not", "exists", "concurrently"]))
        .count();
    tokens.get(skipped..).unwrap_or_default()
}

/// The value of an option behind the list of columns: `COMMENT = 'text'`.
fn option(tokens: &[Token], name: &str) -> Option<String> {
    let place = tokens.iter().position(|token| token.is(name))?;
    tokens.get(place + 1..)?.iter().take(2).find_map(text_of)
}

/// The parts between commas that are in no parentheses.
fn split_at_commas(tokens: &[Token]) -> Vec<&[Token]> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (place, token) in tokens.iter().enumerate() {
        if token.is_sign('(') {
            depth += 1;
        } else if token.is_sign(')') {
            depth = depth.saturating_sub(1);
        } else if token.is_sign(',') && depth == 0 {
            parts.extend(tokens.get(start..place));
            start = place + 1;
        }
    }
    parts.extend(tokens.get(start..).filter(|rest| !rest.is_empty()));
    parts
}

/// Reads the items of a table. A comment at the end of a column's line describes it.
fn read_items(
    draft: &mut Draft,
    tokens: &[Token],
    comments: &[Token],
    text: &str,
    dialect: Dialect,
) {
    let mut checks: Vec<&[Token]> = Vec::new();
    let mut comments = comments.iter().peekable();
    let mut items = split_at_commas(tokens).into_iter().peekable();
    while let Some(item) = items.next() {
        // Lists of values come before or behind their columns.
        if item.iter().take(3).any(|token| token.is("check")) {
            checks.push(item);
        }
        let before = draft.columns.len();
        draft.read_item(item, text, dialect);
        let end = item.last().map_or(0, |last| last.start);
        let line = item.last().map_or(0, |last| last.line);
        let next = items.peek().and_then(|next| next.first());
        let next = next.map_or(usize::MAX, |next| next.start);
        while let Some(comment) = comments.next_if(|comment| comment.start < next) {
            let is_behind = comment.line == line && comment.start > end;
            if let (true, Kind::Comment(words), Some(column)) =
                (is_behind, &comment.kind, draft.columns.get_mut(before))
                && column.comment.is_none()
                && !words.is_empty()
            {
                column.comment = Some(words.clone());
            }
        }
    }
    for check in checks {
        if let Some(place) = check.iter().position(|token| token.is("check")) {
            let rest = check.get(place + 1..).unwrap_or_default();
            draft.read_check(rest.get(..closing(rest)).unwrap_or_default());
        }
    }
}
