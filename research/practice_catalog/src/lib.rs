//! Reads a database into the core's tables.

mod garbled;

use std::error::Error;
use std::sync::Arc;

use postgres::Client;
use text2sql_domain::schema::{
    Column, ColumnStatistics, ForeignKey, Table, TableKind, TypeCategory,
};

pub use self::garbled::garbled_name;

/// Reads every table and view of the schemas that are not the system's.
pub fn read_tables(client: &mut Client) -> Result<Vec<Arc<Table>>, Box<dyn Error>> {
    let mut tables = Vec::new();
    for row in client.query(
        "SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text, pg_table_is_visible(c.oid), c.reltuples::float8
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('r', 'v', 'm', 'p') AND NOT c.relispartition
           AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval')
         ORDER BY 2, 3",
        &[],
    )? {
        let oid: u32 = row.get(0);
        let kind: String = row.get(3);
        let name: String = row.get(2);
        tables.push(Arc::new(Table {
            oid,
            schema: row.get(1),
            is_visible: row.get(4),
            row_estimate: Some(row.get(5)),
            kind: match kind.as_str() {
                "v" => TableKind::View,
                "m" => TableKind::MaterializedView,
                "p" => TableKind::PartitionedTable,
                _ => TableKind::Table,
            },
            columns: read_columns(client, oid, row.get(1), &name)?,
            primary_key: read_keys(client, oid, "p")?.into_iter().next().unwrap_or_default(),
            unique_keys: read_keys(client, oid, "u")?,
            foreign_keys: read_foreign_keys(client, oid)?,
            made_of: read_made_of(client, oid)?,
            name,
            ..Table::default()
        }));
    }
    Ok(tables)
}

/// What a view reads, through other views too.
fn read_made_of(client: &mut Client, oid: u32) -> Result<Vec<u32>, Box<dyn Error>> {
    let rows = client.query(
        "WITH RECURSIVE reached(oid) AS (
             SELECT $1::oid
             UNION
             SELECT d.refobjid
             FROM reached
             JOIN pg_class v ON v.oid = reached.oid AND v.relkind IN ('v', 'm')
             JOIN pg_rewrite w ON w.ev_class = v.oid
             JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                             AND d.refclassid = 'pg_class'::regclass)
         SELECT DISTINCT coalesce(pg_partition_root(reached.oid)::oid, reached.oid)
         FROM reached WHERE reached.oid <> $1",
        &[&oid],
    )?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

fn read_columns(
    client: &mut Client,
    oid: u32,
    schema: String,
    table: &str,
) -> Result<Vec<Column>, Box<dyn Error>> {
    let rows = client.query(
        "SELECT a.attnum, a.attname::text, format_type(a.atttypid, a.atttypmod), t.typcategory::text, a.attnotnull,
                ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = t.oid ORDER BY enumsortorder),
                coalesce(s.most_common_vals::text::text[], '{}')
                  || CASE WHEN s.n_distinct < 0 OR cardinality(s.histogram_bounds::text::text[]) < 100
                          THEN coalesce(s.histogram_bounds::text::text[], '{}') ELSE '{}' END,
                coalesce(s.null_frac, 0)::float8, t.typname::text,
                (CASE WHEN s.n_distinct < 0 THEN round((-s.n_distinct * r.reltuples)::numeric) ELSE s.n_distinct END)::float8,
                coalesce(s.most_common_freqs::float8[], '{}'), col_description(a.attrelid, a.attnum)
         FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_class r ON r.oid = a.attrelid
         LEFT JOIN pg_stats s ON s.schemaname = $2 AND s.tablename = $3 AND s.attname = a.attname
         WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
        &[&oid, &schema, &table],
    )?;
    Ok(rows
        .iter()
        .map(|row| {
            let (category, type_name): (String, String) = (row.get(3), row.get(8));
            Column {
                number: row.get(0),
                name: row.get(1),
                type_name: row.get(2),
                category: category_of(&category, &type_name),
                not_null: row.get(4),
                comment: row.get(11),
                enum_labels: row.get(5),
                statistics: Some(ColumnStatistics {
                    most_common_values: row.get(6),
                    most_common_shares: row.get(10),
                    null_share: row.get(7),
                    distinct_values: row.get(9),
                    ..ColumnStatistics::default()
                }),
                ..Column::default()
            }
        })
        .collect())
}

fn category_of(category: &str, type_name: &str) -> TypeCategory {
    match (category, type_name) {
        ("B", _) => TypeCategory::Boolean,
        (_, "int2" | "int4" | "int8") => TypeCategory::Integer,
        ("N", _) => TypeCategory::Number,
        ("S", _) => TypeCategory::Text,
        ("E", _) => TypeCategory::Enum,
        ("A", _) => TypeCategory::Array,
        ("T", _) => TypeCategory::Interval,
        (_, "date") => TypeCategory::Date,
        (_, "timestamp" | "timestamptz") => TypeCategory::Timestamp,
        (_, "time" | "timetz") => TypeCategory::Time,
        (_, "uuid") => TypeCategory::Uuid,
        (_, "json" | "jsonb") => TypeCategory::Json,
        _ => TypeCategory::Other,
    }
}

const NAMES: &str = "ARRAY(SELECT a.attname::text FROM unnest(KEYS) WITH ORDINALITY k(n, i) JOIN pg_attribute a ON a.attrelid = REL AND a.attnum = k.n ORDER BY k.i)";

fn read_keys(
    client: &mut Client,
    oid: u32,
    kind: &str,
) -> Result<Vec<Vec<String>>, Box<dyn Error>> {
    let names = NAMES
        .replace("KEYS", "c.conkey")
        .replace("REL", "c.conrelid");
    let rows = client.query(
        &format!(
            "SELECT {names} FROM pg_constraint c WHERE c.conrelid = $1 AND c.contype::text = $2"
        ),
        &[&oid, &kind],
    )?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

fn read_foreign_keys(client: &mut Client, oid: u32) -> Result<Vec<ForeignKey>, Box<dyn Error>> {
    let from = NAMES
        .replace("KEYS", "c.conkey")
        .replace("REL", "c.conrelid");
    let to = NAMES
        .replace("KEYS", "c.confkey")
        .replace("REL", "c.confrelid");
    let rows = client.query(
        &format!(
            "SELECT {from}, c.confrelid, n.nspname::text, t.relname::text, {to}
             FROM pg_constraint c JOIN pg_class t ON t.oid = c.confrelid JOIN pg_namespace n ON n.oid = t.relnamespace
             WHERE c.conrelid = $1 AND c.contype = 'f' ORDER BY c.conname"
        ),
        &[&oid],
    )?;
    Ok(rows
        .iter()
        .map(|row| ForeignKey {
            columns: row.get(0),
            target: row.get(1),
            target_schema: row.get(2),
            target_name: row.get(3),
            target_columns: row.get(4),
            is_taught: false,
        })
        .collect())
}
