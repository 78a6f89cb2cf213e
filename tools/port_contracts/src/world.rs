//! The database for the contract tests: a small shop, described twice, as SQL for a server and as tables
//! for test doubles. That both descriptions agree is part of the contract of the catalog.

use text2sql_domain::schema::{Column, ForeignKey, Table, TableKind, TypeCategory};

/// The SQL that creates the schema `shop`, for a superuser. The role `contract_caller` may read everything except
/// `shop.wages`.
pub const SETUP: &str = r#"
CREATE ROLE contract_caller;
CREATE SCHEMA shop;
GRANT USAGE ON SCHEMA shop TO contract_caller;
CREATE TABLE shop.regions (region_id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE shop.clients (client_id integer PRIMARY KEY, name text, region_id integer REFERENCES shop.regions);
CREATE TABLE shop.sales (sale_id integer PRIMARY KEY, client_id integer REFERENCES shop.clients,
    region_id integer REFERENCES shop.regions, amount numeric);
CREATE TABLE shop."Größen" (id integer PRIMARY KEY, "Maß" text);
CREATE TABLE shop.wages (client_id integer REFERENCES shop.clients, region_id integer REFERENCES shop.regions, amount numeric);
CREATE TABLE shop.visits_2023 (visit_id integer, seen timestamp);
CREATE TABLE shop.visits_2024 (visit_id integer, seen timestamp);
COMMENT ON TABLE shop.sales IS 'what was sold';
GRANT SELECT ON shop.regions, shop.clients, shop.sales, shop."Größen", shop.visits_2023, shop.visits_2024 TO contract_caller;
INSERT INTO shop.regions VALUES (1, 'Österreich'), (2, 'Südtirol');
SELECT text2sql.define('net sales', 'what clients paid', 'sum(amount)', 'shop.sales');
SELECT text2sql.define('payroll', 'what is paid out', 'sum(amount)', 'shop.wages');
SELECT text2sql.accept('example', text2sql.add_example('How many sales are there?', 'SELECT count(*) FROM shop.sales'));
SELECT text2sql.accept('example', text2sql.add_example('Names of regions', 'SELECT name FROM shop.regions'));
SELECT text2sql.accept('example', text2sql.add_example('Sum of wages', 'SELECT sum(amount) FROM shop.wages'));
"#;

/// The OIDs and IDs in an implementation's world.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// OIDs of the tables in the order of [`tables`].
    pub tables: Vec<u32>,
    /// IDs of the definitions: net sales, payroll.
    pub definitions: Vec<u32>,
    /// IDs of the examples: sales, regions, wages.
    pub examples: Vec<u32>,
}

impl World {
    /// The OID of a table; 0, which is not used, if there is none with this name.
    pub fn table(&self, name: &str) -> u32 {
        let place = tables(&[]).iter().position(|table| table.name == name);
        place
            .and_then(|place| self.tables.get(place).copied())
            .unwrap_or_default()
    }
}

/// A table's name, and the names and types of its columns.
type Shape = (&'static str, &'static [(&'static str, &'static str)]);

/// The tables, with these OIDs, or 1, 2, ….
pub fn tables(oids: &[u32]) -> Vec<Table> {
    let column = |number: i16, name: &str, type_name: &str| Column {
        number,
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        category: match type_name {
            "integer" => TypeCategory::Integer,
            "numeric" => TypeCategory::Number,
            "text" => TypeCategory::Text,
            _ => TypeCategory::Timestamp,
        },
        ..Column::default()
    };
    let shapes: [Shape; 7] = [
        ("regions", &[("region_id", "integer"), ("name", "text")]),
        (
            "clients",
            &[
                ("client_id", "integer"),
                ("name", "text"),
                ("region_id", "integer"),
            ],
        ),
        (
            "sales",
            &[
                ("sale_id", "integer"),
                ("client_id", "integer"),
                ("region_id", "integer"),
                ("amount", "numeric"),
            ],
        ),
        ("Größen", &[("id", "integer"), ("Maß", "text")]),
        (
            "wages",
            &[
                ("client_id", "integer"),
                ("region_id", "integer"),
                ("amount", "numeric"),
            ],
        ),
        (
            "visits_2023",
            &[
                ("visit_id", "integer"),
                ("seen", "timestamp without time zone"),
            ],
        ),
        (
            "visits_2024",
            &[
                ("visit_id", "integer"),
                ("seen", "timestamp without time zone"),
            ],
        ),
    ];
    let oid = |place: usize| {
        let given = oids.get(place).copied();
        given.unwrap_or_else(|| u32::try_from(place).unwrap_or_default() + 1)
    };
    let refers = |column: &str, target: usize, name: &str| ForeignKey {
        columns: vec![column.to_owned()],
        target: oid(target),
        target_schema: "shop".to_owned(),
        target_name: name.to_owned(),
        target_columns: vec![column.to_owned()],
        is_taught: false,
    };
    let table = |(place, (name, columns)): (usize, &Shape)| Table {
        oid: oid(place),
        schema: "shop".to_owned(),
        name: (*name).to_owned(),
        kind: TableKind::Table,
        comment: (*name == "sales").then(|| "what was sold".to_owned()),
        columns: columns
            .iter()
            .zip(1..)
            .map(|((name, type_name), number)| column(number, name, type_name))
            .collect(),
        foreign_keys: match *name {
            "clients" => vec![refers("region_id", 0, "regions")],
            "sales" | "wages" => vec![
                refers("client_id", 1, "clients"),
                refers("region_id", 0, "regions"),
            ],
            _ => Vec::new(),
        },
        ..Table::default()
    };
    shapes.iter().enumerate().map(table).collect()
}
