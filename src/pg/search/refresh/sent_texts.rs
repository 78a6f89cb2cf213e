//! Records what a refresh sent to an embedding endpoint.

use std::time::Duration;

use text2sql_domain::error::Error;
use text2sql_domain::exchange::{Disclosed, Exchange};
use text2sql_domain::prices::Usage;
use text2sql_domain::trace::Trace;

use super::run::Refresh;
use crate::pg::stored::record::history::{self, Ended, Record};

impl Refresh {
    /// Records one batch of texts under the trace_id of this refresh.
    pub(super) fn record_egress(
        &self,
        endpoint: &str,
        texts: &[&str],
        tables: Vec<String>,
        took: Duration,
        usage: Usage,
    ) -> Result<(), Error> {
        let exchange = Exchange {
            purpose: "embed",
            endpoint: endpoint.to_owned(),
            prompt: texts.join("\n"),
            disclosed: Disclosed {
                tables,
                ..Disclosed::default()
            },
            input_tokens: usage.tokens.input,
            cost: usage.cost,
            milliseconds: took.as_secs_f64() * 1000.0,
            ..Exchange::default()
        };
        let trace = Trace {
            exchanges: vec![exchange],
            ..Trace::default()
        };
        history::record(&Record {
            trace_id: self.trace_id,
            function: "refresh",
            conversation: None,
            question: "CALL text2sql.refresh()",
            ended: Ended {
                status: "ok",
                ..Ended::default()
            },
            model: endpoint,
            settings: serde_json::json!({}),
            trace: &trace,
        })
    }
}
