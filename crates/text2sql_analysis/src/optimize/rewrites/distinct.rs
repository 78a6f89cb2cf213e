//! DISTINCT where keys prove that no row repeats. Valid if the outputs contain a key of the joined
//! rows whose columns are never NULL.

use sqlparser::ast::{Distinct, SelectItem};

use super::Rewrite;
use super::top_select::TopSelect;
use text2sql_sql::tree::walk::output_of;

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    let select = top.block.select;
    if !matches!(select.distinct, Some(Distinct::Distinct)) || !top.is_plain() {
        return;
    }
    let shows_all = select
        .projection
        .iter()
        .any(|item| matches!(item, SelectItem::Wildcard(_)));
    let shown: Vec<_> = select
        .projection
        .iter()
        .filter_map(output_of)
        .filter_map(|output| top.tree.resolve(top.position, output))
        .collect();
    let key = top.tree.row_keys(top.position).into_iter().find(|key| {
        !key.is_empty()
            && key.iter().all(|column| {
                top.tree.can_be_null(column) == Some(false) && (shows_all || shown.contains(column))
            })
    });
    let Some(key) = key else {
        return;
    };
    let names: Vec<String> = key.iter().map(|column| top.tree.sql(column)).collect();
    found.extend(
        top.changed(|select| select.distinct = None)
            .map(|sql| Rewrite {
                rule: "distinct_removal",
                what: "DISTINCT is left out, and with it a sort or hash of all rows.".to_owned(),
                because: format!(
                    "{} is a key of the joined rows and is shown",
                    names.join(", ")
                ),
                sql,
                caveat: None,
                proviso: None,
                is_simpler: false,
            }),
    );
}
