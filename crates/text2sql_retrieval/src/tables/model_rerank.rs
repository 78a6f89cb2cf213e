//! Re-ranks the found tables with the model of the key `rerank_model`.
//!
//! An answer does not need it. When the endpoint fails, the order stays and a note says so; only a cancel
//! ends the question. Names and comments of the tables are sent, whatever the endpoint's egress, and
//! recorded, as is everything that leaves the server.

use std::sync::Arc;

use crate::found_table::FoundTable;
use crate::index::document;
use crate::ranking::rank_fusion::{Leg, LegRank};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::exchange::{Disclosed, Exchange};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::sent_text;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::Understanding;

/// Lets the model that is configured for it put the tables in order; gives what the reader should
/// know when it could not.
pub(crate) fn rerank(
    cx: &Run<'_>,
    understanding: &Understanding,
    tables: &mut [Arc<Table>],
    found: &mut [FoundTable],
) -> Result<Option<String>, Error> {
    let scores = match scores(cx, understanding, tables) {
        Ok(None) => return Ok(None),
        Ok(Some(scores)) => scores,
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(error) => {
            return Ok(Some(format!(
                "the tables were put in order without rerank_model: {}",
                error.message()
            )));
        }
    };
    let mut order: Vec<(u32, f64)> = tables
        .iter()
        .zip(scores)
        .filter_map(|(table, score)| Some((table.oid, score?)))
        .collect();
    order.sort_by(|one, other| other.1.total_cmp(&one.1));
    let place = |oid: u32| order.iter().position(|(table, _)| *table == oid);
    tables.sort_by_key(|table| place(table.oid).unwrap_or(usize::MAX));
    found.sort_by_key(|entry| place(entry.table).unwrap_or(usize::MAX));
    for entry in found {
        if let Some(place) = place(entry.table) {
            entry.ranks.push(LegRank {
                leg: Leg::Reranker,
                rank: place + 1,
                score: order.get(place).map_or(0.0, |(_, score)| *score),
            });
        }
    }
    Ok(None)
}

/// The score of each table; `None` where no model is configured or there is nothing to order.
fn scores(
    cx: &Run<'_>,
    understanding: &Understanding,
    tables: &[Arc<Table>],
) -> Result<Option<Vec<Option<f64>>>, Error> {
    if tables.len() < 2 {
        return Ok(None);
    }
    let Some(reranker) = cx.index.reranker()? else {
        return Ok(None);
    };
    let texts: Vec<String> = tables
        .iter()
        .map(|table| document::text_of(table))
        .collect();
    let documents: Vec<&str> = texts.iter().map(String::as_str).collect();
    let start = cx.session.elapsed_ms();
    let scores = reranker.rerank(understanding.text(), &documents);
    let names = tables.iter().map(|table| table.sql_name());
    let usage = reranker.usage();
    let exchange = Exchange {
        purpose: "rerank",
        endpoint: reranker.endpoint().to_owned(),
        prompt: sent_text(understanding.text(), &documents),
        disclosed: Disclosed {
            tables: names.collect(),
            ..Disclosed::default()
        },
        input_tokens: usage.tokens.input,
        cost: usage.cost,
        milliseconds: cx.session.elapsed_ms() - start,
        ..Exchange::default()
    };
    cx.trace.borrow_mut().exchanges.push(exchange);
    scores.map(Some)
}
