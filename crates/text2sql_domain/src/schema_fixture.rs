//! An example shop schema for the tests of findings, rewrites and explanations.
#![allow(
    clippy::unwrap_used,
    reason = "only tests use it, in other crates through the feature `fixtures`"
)]

use std::sync::Arc;

use crate::schema::{Column, ColumnStatistics, ForeignKey, Table, TableKind, TypeCategory};

/// Builds one table.
pub struct Build(Table);

impl Build {
    /// A table with this name and 1,000 rows.
    pub fn table(oid: u32, name: &str) -> Self {
        Self(Table {
            oid,
            schema: "public".to_owned(),
            name: name.to_owned(),
            is_visible: true,
            row_estimate: Some(1_000.0),
            ..Table::default()
        })
    }

    /// Columns as `name type` with `!` at the end for NOT NULL, separated by commas.
    pub fn columns(mut self, columns: &str) -> Self {
        for column in columns.split(", ") {
            let (text, not_null) = match column.strip_suffix('!') {
                Some(text) => (text, true),
                None => (column, false),
            };
            let (name, type_name) = text.split_once(' ').unwrap();
            self.0.columns.push(Column {
                number: i16::try_from(self.0.columns.len() + 1).unwrap(),
                name: name.to_owned(),
                type_name: type_name.to_owned(),
                category: match type_name {
                    "integer" | "bigint" => TypeCategory::Integer,
                    "numeric" => TypeCategory::Number,
                    "text" => TypeCategory::Text,
                    "date" => TypeCategory::Date,
                    "boolean" => TypeCategory::Boolean,
                    "enum" => TypeCategory::Enum,
                    "json" | "jsonb" => TypeCategory::Json,
                    "text[]" => TypeCategory::Array,
                    _ => TypeCategory::Timestamp,
                },
                not_null,
                statistics: Some(ColumnStatistics {
                    distinct_values: Some(1_000.0),
                    ..ColumnStatistics::default()
                }),
                ..Column::default()
            });
        }
        self
    }

    /// Sets the primary key.
    pub fn key(mut self, columns: &[&str]) -> Self {
        self.0.primary_key = columns.iter().map(|&column| column.to_owned()).collect();
        self
    }

    /// Adds a unique key.
    pub fn unique(mut self, columns: &[&str]) -> Self {
        self.0
            .unique_keys
            .push(columns.iter().map(|&column| column.to_owned()).collect());
        self
    }

    /// Adds a foreign key of one column.
    pub fn refers(mut self, column: &str, target: u32, name: &str, key: &str) -> Self {
        self.0.foreign_keys.push(ForeignKey {
            columns: vec![column.to_owned()],
            target,
            target_schema: "public".to_owned(),
            target_name: name.to_owned(),
            target_columns: vec![key.to_owned()],
            is_taught: false,
        });
        self
    }

    /// Sets the values of a column, all equally common; `nulls` is the fraction of NULLs.
    pub fn values(mut self, column: &str, values: &[&str], nulls: f64) -> Self {
        let facts = self.facts(column);
        facts.most_common_values = values.iter().map(|&value| value.to_owned()).collect();
        let share = (1.0 - nulls) / values.len().max(1) as f64;
        facts.most_common_shares = values.iter().map(|_| share).collect();
        facts.null_share = nulls;
        facts.distinct_values = Some(values.len() as f64);
        self
    }

    /// Sets the fraction of NULLs of a column.
    pub fn nulls(mut self, column: &str, share: f64) -> Self {
        self.facts(column).null_share = share;
        self
    }

    /// Sets the comment of a column.
    pub fn comment(mut self, column: &str, comment: &str) -> Self {
        self.column(column).comment = Some(comment.to_owned());
        self
    }

    /// Sets the kind of relation.
    pub fn kind(mut self, kind: TableKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Applies any other change.
    pub fn with(mut self, change: impl FnOnce(&mut Table)) -> Self {
        change(&mut self.0);
        self
    }

    /// Returns the table.
    pub fn done(self) -> Arc<Table> {
        Arc::new(self.0)
    }

    fn column(&mut self, name: &str) -> &mut Column {
        let mut columns = self.0.columns.iter_mut();
        columns.find(|column| column.name == name).unwrap()
    }

    fn facts(&mut self, name: &str) -> &mut ColumnStatistics {
        self.column(name).statistics.as_mut().unwrap()
    }
}

/// The tables of the shop.
pub fn shop() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "countries")
            .columns("country_id integer!, name text!, continent text")
            .key(&["country_id"])
            .unique(&["name"])
            .values("continent", &["Europe", "Asia", "Africa"], 0.0)
            .done(),
        Build::table(2, "customers")
            .columns(
                "customer_id integer!, name text!, country_id integer!, credit_limit numeric, \
                 email text, signed_up date!, referred_by integer",
            )
            .key(&["customer_id"])
            .unique(&["email"])
            .refers("country_id", 1, "countries", "country_id")
            .refers("referred_by", 2, "customers", "customer_id")
            .nulls("credit_limit", 0.25)
            .nulls("email", 0.1)
            .nulls("referred_by", 0.8)
            .done(),
        Build::table(3, "orders")
            .columns(
                "order_id bigint!, customer_id integer!, ordered_at timestamp without time zone!, \
                 shipped_at timestamp with time zone, status text!, total numeric!, \
                 currency text!, quantity integer!, due date",
            )
            .key(&["order_id"])
            .refers("customer_id", 2, "customers", "customer_id")
            .values("status", &["paid", "new", "returned"], 0.0)
            .values("currency", &["EUR", "USD", "CHF"], 0.0)
            .nulls("shipped_at", 0.3)
            .comment(
                "status",
                "paid: money has arrived; new: not yet; returned: sent back",
            )
            .comment("total", "amount paid, with tax")
            .done(),
        Build::table(4, "order_lines")
            .columns(
                "order_id bigint!, line_no integer!, product_id integer!, pieces integer!, \
                 price_eur numeric!, price_usd numeric",
            )
            .key(&["order_id", "line_no"])
            .refers("order_id", 3, "orders", "order_id")
            .refers("product_id", 6, "products", "product_id")
            .done(),
        Build::table(5, "payments")
            .columns("payment_id integer!, order_id bigint!, amount numeric!, paid_on date!")
            .key(&["payment_id"])
            .refers("order_id", 3, "orders", "order_id")
            .done(),
        Build::table(6, "products")
            .columns(
                "product_id integer!, name text!, weight_kg numeric, weight_lb numeric, \
                 box_cm numeric, box_inch numeric, size text, color text",
            )
            .key(&["product_id"])
            .values("size", &["8", "9", "10", "12"], 0.0)
            .values("color", &["red", "blue"], 0.5)
            .done(),
        Build::table(7, "events")
            .columns(
                "kind text, at timestamp with time zone!, duration_min integer, pause_sec integer",
            )
            .nulls("kind", 0.2)
            .done(),
        Build::table(8, "revenue_by_day")
            .columns("day date!, revenue numeric")
            .kind(TableKind::MaterializedView)
            .done(),
        Build::table(9, "fresh")
            .columns("id integer!, label text")
            .key(&["id"])
            .with(|table| table.row_estimate = None)
            .done(),
        Build::table(10, "notes")
            .columns("note_id integer!, body text")
            .key(&["note_id"])
            .with(|table| table.has_row_security = true)
            .done(),
        Build::table(11, "active_customers")
            .columns("customer_id integer, name text")
            .kind(TableKind::View)
            .with(|table| table.row_estimate = None)
            .done(),
    ]
}
