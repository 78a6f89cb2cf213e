//! What business figures are over a schema that has no definitions of them: revenue and units sold.

use crate::lexicon::canonical;
use crate::schema::Schema;
use text2sql_domain::schema::TypeCategory;
use text2sql_domain::words;
use text2sql_semantics::{ColumnRef, Condition, Expression, Literal};

/// A way to compute a figure from the rows of one table.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) table: usize,
    pub(crate) value: Expression,
    /// As SQL names it: "orders.revenue".
    pub(crate) says: String,
    /// The lower, the more it is what the word means.
    pub(crate) rank: u8,
}

const SALES: &[&str] = words!(
    "order, invoice, sale, transaction, booking, reservation, receipt, checkout, rental, \
     ticket, subscription, charter"
);
const NAMED: &[&str] = &[
    "revenue", "turnover", "sales", "sale", "umsatz", "erloes", "proceed",
];
const TOTALS: &[&str] =
    words!("total, amount, subtotal, sum, grandtotal, price, value, fare, betrag, gesamt");
const NOT_EARNED: &[&str] = words!(
    "refund, return, discount, tax, vat, shipping, freight, cost, budget, expense, tip, \
     deposit, balance, purchase, list, min, max, unit, target, planned, points, quota, fee, \
     salary, payroll, due, credit, limit, plan, commission, replacement"
);

const QUANTITIES: &[&str] = &["quantity", "qty", "units", "pieces", "menge", "anzahl"];

fn is_any(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// Whether the rows are sales: orders, invoices, bookings.
pub(crate) fn is_sale(schema: &Schema<'_>, table: usize) -> bool {
    let words = schema.table_words(table);
    let is_line = words.last().is_some_and(|last| {
        words!("lin, line, detail, item, position, product").contains(&last.as_str())
    });
    let is_sale = words
        .iter()
        .any(|word| SALES.iter().any(|sale| canonical(sale) == *word));
    is_sale && !(is_line && words.len() > 1)
}

/// The table whose rows are sales, if it is clear: the one that others refer to.
pub(crate) fn sales_table(schema: &Schema<'_>) -> Option<usize> {
    let mut found: Vec<usize> = (0..schema.tables.len())
        .filter(|at| schema.is_base(*at) && is_sale(schema, *at) && has_day(schema, *at))
        .collect();
    let rank = |at: &usize| {
        let words = schema.table_words(*at);
        let place = SALES
            .iter()
            .position(|sale| words.contains(&canonical(sale)));
        (words.len(), place.unwrap_or(SALES.len()))
    };
    found.sort_by_key(rank);
    found.first().copied()
}

fn has_day(schema: &Schema<'_>, table: usize) -> bool {
    day_of(schema, table).is_some()
}

/// The date of a row: its own, or that of the row that it belongs to.
pub(crate) fn day_of(schema: &Schema<'_>, table: usize) -> Option<(ColumnRef, usize)> {
    if let Some(date) = schema.main_date(table) {
        return Some((schema.own_column(table, date, Vec::new())?, table));
    }
    if !schema.dates(table).is_empty() {
        return None;
    }
    let mut best: Option<(usize, ColumnRef, usize)> = None;
    for at in 0..schema.tables.len() {
        if at == table || !schema.is_base(at) {
            continue;
        }
        let Some(date) = schema.main_date(at) else {
            continue;
        };
        let Some(reached) = schema.reach(table, at) else {
            continue;
        };
        if reached.path.len() > 2 || !(is_sale(schema, at) || is_event(schema, at)) {
            continue;
        }
        if best
            .as_ref()
            .is_none_or(|(cost, _, _)| reached.cost < *cost)
        {
            best = Some((reached.cost, schema.own_column(at, date, reached.path)?, at));
        }
    }
    best.map(|(_, column, at)| (column, at))
}

/// Whether rows of the table happen: they have a day and refer to something.
pub(crate) fn is_event(schema: &Schema<'_>, table: usize) -> bool {
    let refers = schema
        .table(table)
        .is_some_and(|table| !table.foreign_keys.is_empty());
    refers && !schema.dates(table).is_empty() && !schema.has_name(table)
}

fn column_like(
    schema: &Schema<'_>,
    table: usize,
    wanted: &[&str],
    rejected: &[&str],
) -> Option<usize> {
    let columns = schema.table(table)?.columns.len();
    (0..columns).find(|column| {
        let words = schema.column_words(table, *column);
        let is_number = schema.column(table, *column).is_some_and(|column| {
            matches!(
                column.category,
                TypeCategory::Integer | TypeCategory::Number
            )
        });
        is_number
            && !schema.is_key(table, *column)
            && is_any(words, wanted)
            && !is_any(words, rejected)
    })
}

/// The column with the number of pieces of a row of a sale.
fn quantity(schema: &Schema<'_>, table: usize) -> Option<usize> {
    // How much medicine a treatment takes is not how often it was sold.
    let is_plain = |column: &usize| {
        let mut words = schema.column_words(table, *column).iter();
        words.all(|word| {
            QUANTITIES.contains(&word.as_str())
                || words!("of, sold, order, ordered, item, items, line, product, article, total, booked, billed, bestellt, verkauft, bestell")
                    .contains(&word.as_str())
                || schema.table_words(table).contains(&canonical(word))
        })
    };
    column_like(
        schema,
        table,
        QUANTITIES,
        &[
            "stock", "hand", "min", "minimum", "reorder", "per", "return", "returned",
        ],
    )
    .filter(is_plain)
}

/// Ways to compute revenue, best first.
pub(crate) fn revenue(schema: &Schema<'_>) -> Vec<Figure> {
    let mut found = Vec::new();
    for at in 0..schema.tables.len() {
        let Some(table) = schema.table(at) else {
            continue;
        };
        if !schema.is_base(at) || day_of(schema, at).is_none() {
            continue;
        }
        let table_words = schema.table_words(at);
        let is_sale = is_sale(schema, at);
        let is_payment = is_payment(schema, at);
        if is_any(
            &table_words,
            &[
                "return", "refund", "expense", "salari", "budget", "review", "payroll",
            ],
        ) {
            continue;
        }
        let mut own: Vec<Figure> = Vec::new();
        let quantity = quantity(schema, at);
        let is_line = quantity.is_some() && !table.foreign_keys.is_empty();
        for column in 0..table.columns.len() {
            if !schema.is_numeric(at, column) {
                continue;
            }
            let words = schema.column_words(at, column);
            let is_named = is_any(words, NAMED);
            let is_net = matches!(words, [net, amount] if net == "net" && amount == "amount");
            let is_total = is_any(words, TOTALS)
                && !is_any(words, NOT_EARNED)
                && (is_net || !is_any(words, &["net"]));
            let rank = match () {
                () if is_named && !is_any(words, &["target", "quota", "plan", "planned"]) => 0,
                () if is_total && is_sale => {
                    1 + u8::from(is_any(words, &["item", "items", "gross"]))
                }
                () if is_total && is_line && is_any(words, &["total", "amount", "subtotal"]) => 3,
                () if is_total && is_payment && is_any(words, &["amount", "total"]) => 4,
                () => continue,
            };
            let Some(name) = schema.own_column(at, column, Vec::new()) else {
                continue;
            };
            own.push(Figure {
                table: at,
                says: format!("{}.{}", table.name, name.column),
                value: Expression::Column(name),
                rank,
            });
        }
        own.sort_by_key(|one| one.rank);
        // "price" of a sale beside its total.
        if let Some(best) = own.first().cloned() {
            let equal = own.iter().filter(|one| one.rank == best.rank).count();
            if equal > 1 {
                let total = own
                    .iter()
                    .find(|one| one.rank == best.rank && one.says.contains("total"));
                found.extend(total.cloned().or(Some(best)));
            } else {
                found.push(best);
            }
        } else if let Some(quantity) = quantity
            && let Some(price) = column_like(
                schema,
                at,
                &["price", "preis"],
                &["list", "purchase", "cost"],
            )
            && let (Some(quantity), Some(price)) = (
                schema.own_column(at, quantity, Vec::new()),
                schema.own_column(at, price, Vec::new()),
            )
        {
            let mut says = format!("{}.{} × {}", table.name, quantity.column, price.column);
            let mut factors = vec![Expression::Column(price), Expression::Column(quantity)];
            if let Some(discount) = column_like(schema, at, &["discount", "rabatt"], &["amount"])
                && let Some(of) = schema.own_column(at, discount, Vec::new())
            {
                let words = schema.column_words(at, discount);
                let is_percent = is_any(words, &["percent", "pct", "percentage"])
                    || highest(schema, at, discount) > 1.0;
                says.push_str(&format!(" × (1 − {})", of.column));
                factors.push(Expression::Remainder { of, is_percent });
            }
            found.push(Figure {
                table: at,
                value: Expression::Product(factors),
                says,
                rank: 3,
            });
        }
    }
    found.sort_by_key(|one| one.rank);
    found
}

fn highest(schema: &Schema<'_>, table: usize, column: usize) -> f64 {
    let statistics = schema
        .column(table, column)
        .and_then(|column| column.statistics.as_ref());
    let values = statistics
        .into_iter()
        .flat_map(|one| one.most_common_values.iter().chain(&one.highest));
    values
        .filter_map(|value| value.parse::<f64>().ok())
        .fold(0.0, f64::max)
}

/// The columns with how many pieces were sold.
pub(crate) fn quantities(schema: &Schema<'_>) -> Vec<(usize, usize)> {
    let all = units(schema).into_iter();
    all.filter_map(|figure| Some((figure.table, quantity(schema, figure.table)?)))
        .collect()
}

/// Ways to count units sold, best first.
pub(crate) fn units(schema: &Schema<'_>) -> Vec<Figure> {
    let mut found = Vec::new();
    for at in 0..schema.tables.len() {
        let Some(table) = schema.table(at) else {
            continue;
        };
        let words = schema.table_words(at);
        if !schema.is_base(at)
            || table.foreign_keys.is_empty()
            || is_any(
                &words,
                &["return", "refund", "inventori", "inventory", "stock"],
            )
        {
            continue;
        }
        let belongs_to_sale = is_sale(schema, at)
            || (0..schema.tables.len()).any(|sale| {
                is_sale(schema, sale)
                    && schema
                        .reach(at, sale)
                        .is_some_and(|path| path.path.len() == 1)
            });
        if !belongs_to_sale {
            continue;
        }
        if let Some(column) = quantity(schema, at)
            && let Some(name) = schema.own_column(at, column, Vec::new())
        {
            found.push(Figure {
                table: at,
                says: format!("{}.{}", table.name, name.column),
                value: Expression::Column(name),
                rank: 0,
            });
        }
    }
    found
}

/// What became of a sale or a payment that brought no money.
const CAME_TO_NOTHING: &[&str] = words!(
    "cancelled, canceled, storniert, void, voided, failed, declined, rejected, refused, bounced, refunded, reversed, \
     chargeback, error, fehlgeschlagen, abgelehnt, erstattet, zurückgebucht"
);

/// Leaves out cancelled sales and failed payments: the table, and the condition from rows of `from`.
pub(crate) fn not_cancelled(schema: &Schema<'_>, from: usize) -> Option<(String, Condition)> {
    let others = (0..schema.tables.len()).filter(|at| *at != from);
    let mut sales = std::iter::once(from).chain(others);
    sales.find_map(|at| {
        let is_own_payment = at == from && is_payment(schema, at);
        // What was paid for a subscription that ended later was earned.
        let lasts = at != from && schema.table_words(at).contains(&canonical("subscription"));
        if lasts || !is_own_payment && !is_sale(schema, at) {
            return None;
        }
        let reached = schema.reach(from, at)?;
        if reached.path.len() > 1 {
            return None;
        }
        let table = schema.table(at)?;
        let mut columns = table.columns.iter().enumerate();
        columns.find_map(|(position, column)| {
            let own = schema.own_column(at, position, reached.path.clone())?;
            let name = format!("{}.{}", table.name, own.column);
            let words = schema.column_words(at, position);
            let is_cancellation = |word: &String| {
                words!("cancelled, canceled, void, voided, failed, refunded")
                    .contains(&word.as_str())
            };
            if column.category == TypeCategory::Boolean && words.iter().any(is_cancellation) {
                let condition = Condition::Truth {
                    column: own,
                    is_negated: true,
                };
                return Some((name, condition));
            }
            if !is_any(words, &["status", "state"]) {
                return None;
            }
            let statistics = column.statistics.iter();
            let known = statistics.flat_map(|one| &one.most_common_values);
            let mut nothing: Vec<&String> = known
                .chain(&column.enum_labels)
                .filter(|value| CAME_TO_NOTHING.contains(&value.to_lowercase().as_str()))
                .collect();
            nothing.sort_unstable();
            nothing.dedup();
            let said: Vec<String> = nothing.iter().map(|value| format!("'{value}'")).collect();
            (!nothing.is_empty()).then(|| {
                let condition = Condition::OneOf {
                    column: own,
                    values: nothing.into_iter().cloned().map(Literal::Text).collect(),
                    is_negated: true,
                };
                (format!("{name} {}", said.join(", ")), condition)
            })
        })
    })
}

fn is_payment(schema: &Schema<'_>, table: usize) -> bool {
    let words = schema.table_words(table);
    words.contains(&canonical("payment"))
}
