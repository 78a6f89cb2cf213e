//! Where many tables are found, only the best are described in full. The others come without statistics, which take
//! most of the time to read, unless their values may be shown.

use crate::endpoint;
use crate::offline;
use std::cell::RefCell;
use std::sync::Arc;

use text2sql_domain::config::{Config, Egress, Limits, TextEgress};
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Catalog, Database, Outcome};
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::{Execution, ResultColumn};
use text2sql_engine::pipeline;

static OFFLINE: offline::Offline = offline::Offline("2026-11-21");

/// A large catalog where every question finds twenty tables.
#[derive(Default)]
struct Fake {
    described: RefCell<Vec<u32>>,
    outlined: RefCell<Vec<u32>>,
}

fn tables(oids: &[u32]) -> Vec<Arc<Table>> {
    let table = |oid: &u32| {
        Arc::new(Table {
            oid: *oid,
            name: format!("table_{oid}"),
            is_visible: true,
            ..Table::default()
        })
    };
    oids.iter().map(table).collect()
}

impl Catalog for Fake {
    fn count(&self, at_most: usize) -> Result<usize, Error> {
        Ok(at_most)
    }
    fn find(&self, _words: &[String], _limit: usize) -> Result<Vec<u32>, Error> {
        Ok((1..=20).collect())
    }
    fn describe(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        self.described.borrow_mut().extend(oids);
        Ok(tables(oids))
    }
    fn outline(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        self.outlined.borrow_mut().extend(oids);
        Ok(tables(oids))
    }
    fn find_forbidden(&self, _words: &[String], _limit: usize) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }
}

impl Database for Fake {
    fn run(&self, _sql: &str, _limits: &Limits) -> Result<Outcome<Execution>, Error> {
        Ok(Outcome::Passed(Execution::default()))
    }
    fn check(&self, _: &str, _: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error> {
        Ok(Outcome::Passed(Vec::new()))
    }
}

/// What a prompt at this egress describes in full, and what it does not.
fn read(egress: Egress) -> (Vec<u32>, Vec<u32>) {
    let fake = Fake::default();
    let config = Config {
        model: endpoint::model(egress, TextEgress::None),
        ..Config::default()
    };
    let run = OFFLINE.run(&fake, &fake, &config);
    pipeline::preview(&run, &Question::new("How many tables?").unwrap(), &[]).unwrap();
    (fake.described.into_inner(), fake.outlined.into_inner())
}

#[test]
fn statistics_are_read_of_the_best_tables_alone() {
    let (described, outlined) = read(Egress::Schema);
    assert_eq!(described, (1..=8).collect::<Vec<u32>>());
    assert_eq!(outlined, (9..=20).collect::<Vec<u32>>());
}

#[test]
fn where_values_are_shown_all_are_read() {
    let (described, outlined) = read(Egress::Values);
    assert_eq!(described, (1..=20).collect::<Vec<u32>>());
    assert!(outlined.is_empty());
}
