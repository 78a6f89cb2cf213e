//! What a description says, under which role, and when it is read anew.

#[pgrx::pg_schema]
mod tests {
    use std::sync::Arc;

    use pgrx::pg_sys;
    use pgrx::prelude::*;
    use text2sql_core::ports::Catalog;
    use text2sql_core::schema::Table;

    use crate::pg::catalog::SpiCatalog;
    use crate::pg::catalog::cache::CACHE;

    /// The port from SQL, for tests by hand and for measuring: `count`, `find`, `describe`,
    /// `forbidden` or `size`.
    #[pg_extern]
    fn probe_catalog(call: &str, words: Vec<String>, limit: i32) -> String {
        let limit = limit as usize;
        let catalog = SpiCatalog;
        match call {
            "count" => format!("{}", catalog.count(limit).unwrap()),
            "find" => catalog
                .describe(&catalog.find(&words, limit).unwrap())
                .unwrap()
                .iter()
                .map(|table| table.sql_name())
                .collect::<Vec<_>>()
                .join(" "),
            "describe" => {
                format!(
                    "{:#?}",
                    catalog
                        .describe(&catalog.find(&words, limit).unwrap())
                        .unwrap()
                )
            }
            "forbidden" => catalog.find_forbidden(&words, limit).unwrap().join(" "),
            "time" => {
                let mut line = String::new();
                for _ in 0..4 {
                    let start = std::time::Instant::now();
                    let count = catalog.count(limit).unwrap();
                    let counted = start.elapsed();
                    let found = catalog.find(&words, limit).unwrap();
                    let found_after = start.elapsed();
                    let described = catalog.describe(&found).unwrap().len();
                    let end = start.elapsed();
                    line += &format!(
                        "count {:?} ({count}) find {:?} describe {:?} ({described})\n",
                        counted,
                        found_after - counted,
                        end - found_after
                    );
                }
                line
            }
            _ => format!("{:?}", CACHE.with_borrow(|cache| cache.size())),
        }
    }
}
