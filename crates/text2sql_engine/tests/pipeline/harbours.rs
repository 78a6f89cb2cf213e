//! The catalog of the tests about boats: each lies in a harbour.

use port_contracts::MemoryCatalog;
use text2sql_domain::schema_fixture::Build;

pub fn catalog() -> MemoryCatalog {
    MemoryCatalog::new(vec![
        Build::table(1, "boats")
            .columns("boat_id integer!, harbour_id integer!, length numeric, colour text")
            .key(&["boat_id"])
            .refers("harbour_id", 2, "harbours", "harbour_id")
            .done(),
        Build::table(2, "harbours")
            .columns("harbour_id integer!, town text")
            .key(&["harbour_id"])
            .done(),
    ])
}
