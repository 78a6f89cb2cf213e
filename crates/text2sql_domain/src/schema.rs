//! The part of the database schema that the caller may read.
//!
//! The extension fills these types from one query that checks privileges; all later stages use
//! only them. Partitions are not listed separately: they belong to their parent table.

use crate::sample::Sample;
pub use crate::table_cache::TableCache;
use crate::words;

/// A relation that a query may read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// OID in `pg_class`.
    pub oid: u32,
    /// Schema name, unquoted.
    pub schema: String,
    /// Relation name, unquoted.
    pub name: String,
    /// The kind of relation.
    pub kind: TableKind,
    /// Whether the unqualified name resolves to it through the caller's `search_path`.
    pub is_visible: bool,
    /// What is said of it: the description by `describe()`, else `COMMENT ON TABLE`.
    pub comment: Option<String>,
    /// Where that is a description, the comment that it covers, if there is one.
    pub described_over: Option<Option<String>>,
    /// The planner's row estimate (`pg_class.reltuples`); `None` if never analysed.
    pub row_estimate: Option<f64>,
    /// Whether row-level security limits the rows that the caller sees.
    pub has_row_security: bool,
    /// Columns that the caller may read, in catalog order.
    pub columns: Vec<Column>,
    /// Column names of the primary key; empty if there is none or the caller may not read all of it.
    pub primary_key: Vec<String>,
    /// Column names of each further unique constraint or unique index without predicate.
    pub unique_keys: Vec<Vec<String>>,
    /// Foreign keys from this table to tables that the caller may read.
    pub foreign_keys: Vec<ForeignKey>,
    /// Joins that nobody declared, from columns without one, to tables that the caller may read. They are guesses:
    /// nothing may be concluded from them about rows.
    pub likely_joins: Vec<LikelyJoin>,
    /// For a partitioned table, its partition key as SQL text, such as `RANGE (ordered_on)`.
    pub partition_key: Option<String>,
    /// Where the rows lie if not all on this server, such as `distributed by customer_id`: which tables can be joined
    /// depends on it.
    pub distribution: Option<String>,
    /// Synonyms, such as "clients" for `customers`, in any language.
    pub synonyms: Vec<String>,
    /// Samples that the owner wrote or had invented, of columns that the caller may read.
    pub samples: Vec<Sample>,
    /// OIDs of the relations that it is derived from: those that a view reads, also through other views, and those
    /// that a dbt model is built from. The caller may lack privileges on them.
    pub made_of: Vec<u32>,
    /// What derives it from other relations, if known.
    pub derived_by: Option<DerivedBy>,
    /// The tables that it stands for. Only the built-in engine has such tables; the catalog has none.
    pub family: Option<Box<TableFamily>>,
    /// Whether the planner's statistics of its columns were read: without them it is an outline.
    pub has_statistics: bool,
    /// Values that stages compute from the table.
    pub cache: TableCache,
}

/// The name of a relation whose description was not read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableName {
    /// OID in `pg_class`.
    pub oid: u32,
    /// Schema name, unquoted.
    pub schema: String,
    /// Relation name, unquoted.
    pub name: String,
    /// Whether the unqualified name resolves to it through the caller's `search_path`.
    pub is_visible: bool,
}

/// What is said of a schema.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchemaNote {
    /// Its name, unquoted.
    pub name: String,
    /// The description by `describe()`.
    pub description: Option<String>,
    /// `COMMENT ON SCHEMA`.
    pub comment: Option<String>,
}

impl TableName {
    /// The name of a described relation.
    pub fn of(table: &Table) -> Self {
        Self {
            oid: table.oid,
            schema: table.schema.clone(),
            name: table.name.clone(),
            is_visible: table.is_visible,
        }
    }

    /// The name in SQL; see [`Table::sql_name`].
    pub fn sql_name(&self) -> String {
        let name = quote_identifier(&self.name);
        match self.is_visible {
            true => name,
            false => format!("{}.{name}", quote_identifier(&self.schema)),
        }
    }
}

/// The tables of a family, one for each brand, region or year, that one table stands for. It is read as all of them, with a column that says which of them a row is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFamily {
    /// The column that says it: its values are the parts.
    pub column: String,
    /// The tables, by their parts.
    pub members: Vec<FamilyMember>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyMember {
    /// The part in which its name differs from those of the others.
    pub part: String,
    /// Its name.
    pub table: TableName,
}

/// What derives a relation from other relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DerivedBy {
    /// `text2sql.ask_view`: the relation stores an answer.
    Answer,
    /// A dbt model.
    Dbt,
}

/// A business term and its meaning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Definition {
    /// The term, such as "revenue" or "active customer".
    pub term: String,
    /// The meaning in words.
    pub meaning: String,
    /// The SQL expression over the columns of `applies_to`: a condition, a value of one row, or an aggregate.
    pub sql_expression: Option<String>,
    /// OID of the table that the expression refers to; `None` if there is only the meaning in words.
    pub applies_to: Option<u32>,
    /// Synonyms and abbreviations of the term.
    pub synonyms: Vec<String>,
    /// The days that the term stands for, in words: "last 7 days".
    pub period: Option<String>,
    /// The tables that are joined to the rows of `applies_to`, which the expression reads as well.
    pub joins: Vec<DefinitionJoin>,
    /// The complete query that computes it, for what is no expression over one table with its joins.
    pub query: Option<DefinitionQuery>,
}

impl Definition {
    /// OIDs of the tables that a query with the definition reads.
    pub fn tables(&self) -> impl Iterator<Item = u32> {
        let joined = self.joins.iter().map(|join| join.to.oid);
        let queried = self.query.iter().flat_map(|query| query.tables.iter());
        self.applies_to
            .into_iter()
            .chain(joined)
            .chain(queried.copied())
    }
}

/// A definition that is a query of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DefinitionQuery {
    /// The SELECT.
    pub sql: String,
    /// OIDs of the tables that it reads.
    pub tables: Vec<u32>,
}

/// One step of the path of tables that a definition is over: each row of `from` has at most one row of `to`. So an
/// outer join changes neither the number of rows of the table that the definition applies to, its grain, nor a
/// sum over them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DefinitionJoin {
    /// A table that is in the path already.
    pub from: TableName,
    /// The table that the step adds.
    pub to: TableName,
    /// Columns of `from` and `to` that are equal.
    pub columns: Vec<(String, String)>,
}

impl DefinitionJoin {
    /// `customers.customer_id = orders.customer_id`, by the bare names of the tables, which differ in a path.
    pub fn condition(&self) -> String {
        let [from, to] = [&self.from, &self.to].map(|table| quote_identifier(&table.name));
        let equal: Vec<String> = self
            .columns
            .iter()
            .map(|(own, other)| {
                format!(
                    "{to}.{} = {from}.{}",
                    quote_identifier(other),
                    quote_identifier(own)
                )
            })
            .collect();
        equal.join(" AND ")
    }
}

impl DefinitionJoin {
    /// The same by the full names of the columns, as `joins` of `define` reads it.
    pub fn names(&self) -> String {
        let [from, to] = [&self.from, &self.to].map(TableName::sql_name);
        let equal = self.columns.iter().map(|(own, other)| {
            format!(
                "{from}.{} = {to}.{}",
                quote_identifier(own),
                quote_identifier(other)
            )
        });
        equal.collect::<Vec<_>>().join(" AND ")
    }
}

/// The FROM clause of a definition: `shop.orders LEFT JOIN shop.customers ON …`.
pub fn from_clause(table: &str, joins: &[DefinitionJoin]) -> String {
    let mut clause = table.to_owned();
    for join in joins {
        clause.push_str(&format!(
            " LEFT JOIN {} ON {}",
            join.to.sql_name(),
            join.condition()
        ));
    }
    clause
}

/// The kind of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableKind {
    /// An ordinary table.
    #[default]
    Table,
    /// A view.
    View,
    /// A materialised view.
    MaterializedView,
    /// A partitioned table; its partitions are not listed.
    PartitionedTable,
}

impl TableKind {
    /// The kind of PostgreSQL's `relkind`.
    pub fn of_relkind(relkind: char) -> Self {
        match relkind {
            'v' => Self::View,
            'm' => Self::MaterializedView,
            'p' => Self::PartitionedTable,
            _ => Self::Table,
        }
    }
}

/// A column that a query may read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// Attribute number.
    pub number: i16,
    /// Name, unquoted.
    pub name: String,
    /// The type as SQL writes it, with its modifier: `numeric(10,2)`, `order_status`, `text[]`.
    pub type_name: String,
    /// The category of the type; for a domain, that of its base type.
    pub category: TypeCategory,
    /// For a domain column, its base type as SQL writes it.
    pub domain_base: Option<String>,
    /// Meanings of coded values, as described by a curator: `("A", "active")`.
    pub value_meanings: Vec<(String, String)>,
    /// Whether a curator marked it as rarely useful: such columns are omitted first when the prompt is full.
    pub is_rarely_useful: bool,
    /// Labels of the enum type, in order.
    pub enum_labels: Vec<String>,
    /// Fields of the composite type as `name type`, in order.
    pub composite_fields: Vec<String>,
    /// `NOT NULL`.
    pub not_null: bool,
    /// `GENERATED ALWAYS AS (…) STORED`.
    pub is_generated: bool,
    /// `GENERATED … AS IDENTITY`.
    pub is_identity: bool,
    /// What is said of it: the description by `describe()`, else `COMMENT ON COLUMN`.
    pub comment: Option<String>,
    /// Where that is a description, the comment that it covers, if there is one.
    pub described_over: Option<Option<String>>,
    /// Statistics from `pg_stats`, if the caller may see them; without values for a private column.
    pub statistics: Option<ColumnStatistics>,
    /// Synonyms, such as "turnover" for `total`, in any language.
    pub synonyms: Vec<String>,
    /// Whether its values never appear in a prompt: no samples, literals or labels.
    pub is_private: bool,
    /// Whether the owner consented that its frequent values appear in every prompt, whatever the egress.
    pub shows_samples: bool,
    /// Stored values that the question at hand mentions, found by a search for them. Empty in the catalog.
    pub mentioned_values: Vec<String>,
}

/// The category of a type, derived from `pg_type.typcategory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TypeCategory {
    /// `boolean`.
    Boolean,
    /// `smallint`, `integer`, `bigint`.
    Integer,
    /// `numeric`, `real`, `double precision`, `money`.
    Number,
    /// `text`, `varchar`, `char`, `citext`, `name`.
    Text,
    /// An enum.
    Enum,
    /// `date`.
    Date,
    /// `timestamp` with or without time zone.
    Timestamp,
    /// `time` with or without time zone.
    Time,
    /// `interval`.
    Interval,
    /// `uuid`.
    Uuid,
    /// `json`, `jsonb`.
    Json,
    /// An array of anything.
    Array,
    /// A range or multirange.
    Range,
    /// A row type.
    Composite,
    /// `bytea`.
    Binary,
    /// Everything else.
    #[default]
    Other,
}

/// Planner statistics of a column. They contain row values, so the egress policy applies to them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnStatistics {
    /// Most common values as text, most common first.
    pub most_common_values: Vec<String>,
    /// Frequency of each of them, 0 to 1, in the same order.
    pub most_common_shares: Vec<f64>,
    /// Fraction of NULLs, 0 to 1.
    pub null_share: f64,
    /// Estimated number of distinct values.
    pub distinct_values: Option<f64>,
    /// Smallest value of the histogram, as text.
    pub lowest: Option<String>,
    /// Largest value of the histogram, as text.
    pub highest: Option<String>,
    /// What a column of text holds, if all values that the statistics know are of one kind.
    pub holds: Option<Holds>,
}

/// What text may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Numbers, without leading zeros, which would make them codes.
    Numbers,
    /// Dates, with or without a time.
    Dates,
}

impl Holds {
    /// What all of at least `FEWEST_VALUES` values are. Reads no further than the first that is neither.
    pub fn of(mut values: impl Iterator<Item = String>) -> Option<Self> {
        let kind = Self::of_value(&values.next()?)?;
        let mut count = 1;
        for value in values {
            if Self::of_value(&value) != Some(kind) {
                return None;
            }
            count += 1;
        }
        (count >= FEWEST_VALUES).then_some(kind)
    }

    fn of_value(value: &str) -> Option<Self> {
        let value = value.trim();
        let digits = value.strip_prefix('-').unwrap_or(value);
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_code = whole.len() > 1 && whole.starts_with('0');
        if is_digits(whole) && is_digits(fraction) && !is_code && digits.len() <= MAX_DIGITS {
            return Some(Self::Numbers);
        }
        let (day, time) = value.split_once([' ', 'T']).unwrap_or((value, "0"));
        let is_time = time.starts_with(|c: char| c.is_ascii_digit());
        let parts: Vec<&str> = day.split(['-', '/', '.']).collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let is_date = matches!(
            lengths.as_slice(),
            [4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4]
        );
        let is_numeric = parts.iter().all(|part| is_digits(part));
        (is_time && is_date && is_numeric).then_some(Self::Dates)
    }
}

/// Fewer values are numbers by chance.
const FEWEST_VALUES: usize = 3;

/// Longer numbers are keys of another system.
const MAX_DIGITS: usize = 15;

/// A foreign key; the n-th column refers to the n-th target column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForeignKey {
    /// Columns of the referencing table.
    pub columns: Vec<String>,
    /// OID of the referenced table.
    pub target: u32,
    /// Schema of the referenced table.
    pub target_schema: String,
    /// Name of the referenced table.
    pub target_name: String,
    /// Referenced columns.
    pub target_columns: Vec<String>,
    /// Whether a curator added it, or partitions declare it and the table does not: it is not enforced on all rows.
    pub is_taught: bool,
}

/// A join that nobody declared, inferred from names, keys and counts of values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LikelyJoin {
    /// The columns of both sides.
    pub key: ForeignKey,
    /// How sure it is: of a hundred proposals like it, as many are right.
    pub percent: u8,
}

/// The SQL names of a table.
struct SqlNames {
    bare: String,
    with_schema: String,
}

impl Table {
    /// The name in SQL: quoted where needed, and schema-qualified unless `search_path` finds it.
    pub fn sql_name(&self) -> String {
        let names = self.cache.get_or_make(|| {
            let bare = quote_identifier(&self.name);
            SqlNames {
                with_schema: format!("{}.{bare}", quote_identifier(&self.schema)),
                bare,
            }
        });
        match self.is_visible {
            true => names.bare.clone(),
            false => names.with_schema.clone(),
        }
    }

    /// The column with exactly this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The table with these columns of its own only; the others are not copied.
    pub fn with_columns<'c>(&self, columns: impl IntoIterator<Item = &'c Column>) -> Self {
        Self {
            columns: columns.into_iter().cloned().collect(),
            schema: self.schema.clone(),
            name: self.name.clone(),
            comment: self.comment.clone(),
            described_over: self.described_over.clone(),
            primary_key: self.primary_key.clone(),
            unique_keys: self.unique_keys.clone(),
            foreign_keys: self.foreign_keys.clone(),
            likely_joins: self.likely_joins.clone(),
            partition_key: self.partition_key.clone(),
            distribution: self.distribution.clone(),
            synonyms: self.synonyms.clone(),
            samples: self.samples.clone(),
            made_of: self.made_of.clone(),
            family: self.family.clone(),
            cache: TableCache::default(),
            ..*self
        }
    }
}

/// Quotes an identifier where needed: lower snake case that is not reserved stays unquoted.
pub fn quote_identifier(name: &str) -> String {
    let is_plain = name
        .chars()
        .enumerate()
        .all(|(i, c)| c == '_' || c.is_ascii_lowercase() || (i > 0 && c.is_ascii_digit()))
        && !name.is_empty()
        && !is_reserved(name);
    if is_plain {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// Whether a lower-case word needs quotes to be used as a name.
pub fn is_reserved(word: &str) -> bool {
    RESERVED_WORDS.binary_search(&word).is_ok()
}

/// Whether a lower-case word needs quotes as the name of a column or a table: the other reserved words are those that
/// only functions and types must not be called.
pub fn is_reserved_for_columns(word: &str) -> bool {
    is_reserved(word) && COLUMN_NAME_WORDS.binary_search(&word).is_err()
}

/// Quotes a text as an SQL literal that is valid for either value of `standard_conforming_strings`.
pub fn quote_literal(text: &str) -> String {
    if !text.contains(['\'', '\\']) {
        return format!("'{text}'");
    }
    let quoted = text.replace('\'', "''");
    if quoted.contains('\\') {
        format!("E'{}'", quoted.replace('\\', "\\\\"))
    } else {
        format!("'{quoted}'")
    }
}

/// All keywords that are not "unreserved" in PostgreSQL 13 to 18 (`pg_get_keywords()`). An unnecessary
/// quote is harmless, a missing one breaks the query. Sorted for binary search, because building a
/// prompt looks up many names.
const RESERVED_WORDS: &[&str] = words!(
    "all, analyse, analyze, and, any, array, as, asc, asymmetric, authorization, between, bigint, \
     binary, bit, boolean, both, case, cast, char, character, check, coalesce, collate, \
     collation, column, concurrently, constraint, create, cross, current_catalog, current_date, \
     current_role, current_schema, current_time, current_timestamp, current_user, dec, decimal, \
     default, deferrable, desc, distinct, do, else, end, except, exists, extract, false, fetch, \
     float, for, foreign, freeze, from, full, grant, greatest, group, grouping, having, ilike, \
     in, initially, inner, inout, int, integer, intersect, interval, into, is, isnull, join, \
     json, json_array, json_arrayagg, json_exists, json_object, json_objectagg, json_query, \
     json_scalar, json_serialize, json_table, json_value, lateral, leading, least, left, like, \
     limit, localtime, localtimestamp, merge_action, national, natural, nchar, none, normalize, \
     not, notnull, null, nullif, numeric, offset, on, only, or, order, out, outer, overlaps, \
     overlay, placing, position, precision, primary, real, references, returning, right, row, \
     select, session_user, setof, similar, smallint, some, substring, symmetric, system_user, \
     table, tablesample, then, time, timestamp, to, trailing, treat, trim, true, union, unique, \
     user, using, values, varchar, variadic, verbose, when, where, window, with, xmlattributes, \
     xmlconcat, xmlelement, xmlexists, xmlforest, xmlnamespaces, xmlparse, xmlpi, xmlroot, \
     xmlserialize, xmltable"
);

/// Those of [`RESERVED_WORDS`] that can be the name of a column or a table all the same. Sorted.
const COLUMN_NAME_WORDS: &[&str] = words!(
    "between, bigint, bit, boolean, char, character, coalesce, dec, decimal, exists, extract, \
     float, greatest, grouping, inout, int, integer, interval, json, json_array, json_arrayagg, \
     json_exists, json_object, json_objectagg, json_query, json_scalar, json_serialize, \
     json_table, json_value, least, merge_action, national, nchar, none, normalize, nullif, \
     numeric, out, overlay, position, precision, real, row, setof, smallint, substring, time, \
     timestamp, treat, trim, values, varchar, xmlattributes, xmlconcat, xmlelement, xmlexists, \
     xmlforest, xmlnamespaces, xmlparse, xmlpi, xmlroot, xmlserialize, xmltable"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserved_words_are_sorted() {
        assert!(RESERVED_WORDS.is_sorted() && COLUMN_NAME_WORDS.is_sorted());
        assert!(COLUMN_NAME_WORDS.iter().all(|word| is_reserved(word)));
        assert!(is_reserved_for_columns("user") && !is_reserved_for_columns("time"));
    }

    #[test]
    fn quotes_names_only_where_sql_needs_it() {
        let check = |name: &str, expect: &str| assert_eq!(quote_identifier(name), expect);
        check("orders", "orders");
        check("order", "\"order\"");
        check("Order Items", "\"Order Items\"");
        check("2fa", "\"2fa\"");
        check("größe", "\"größe\"");
        check("a\"b", "\"a\"\"b\"");
        check("", "\"\"");
    }

    #[test]
    fn literals_survive_quotes_and_backslashes() {
        assert_eq!(quote_literal("O'Hara"), "'O''Hara'");
        assert_eq!(quote_literal(r"a\'b"), r"E'a\\''b'");
    }

    #[test]
    fn a_path_is_a_chain_of_outer_joins() {
        let table = |name: &str| TableName {
            schema: "shop".to_owned(),
            name: name.to_owned(),
            ..TableName::default()
        };
        let pair = |own: &str, other: &str| (own.to_owned(), other.to_owned());
        let joins = [
            DefinitionJoin {
                from: table("Order"),
                to: table("customers"),
                columns: vec![pair("customer", "id"), pair("Branch", "branch")],
            },
            DefinitionJoin {
                from: table("customers"),
                to: table("countries"),
                columns: vec![pair("country", "code")],
            },
        ];
        assert_eq!(
            from_clause("shop.\"Order\"", &joins),
            "shop.\"Order\" LEFT JOIN shop.customers ON customers.id = \"Order\".customer AND \
             customers.branch = \"Order\".\"Branch\" LEFT JOIN shop.countries ON countries.code = \
             customers.country"
        );
    }
}
