//! The server's own implementations keep the contracts of the ports, as the doubles of the core do.

#[pgrx::pg_schema]
#[expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make the tables they read, and may panic"
)]
mod tests {
    use pgrx::pg_sys::{self, Oid};
    use pgrx::prelude::*;
    use text2sql_core::contract::{self, SETUP, World};
    use text2sql_core::retrieve::embed::hash::HashEmbedder;

    use crate::pg::catalog::ReaderCatalog;
    use crate::pg::database::GuardedDatabase;
    use crate::pg::role::Reader;
    use crate::pg::search_index::PgSearchIndex;

    fn ids(sql: &str) -> Vec<u32> {
        let ids: Option<Vec<i64>> = Spi::get_one(sql).unwrap();
        let ids = ids.unwrap().into_iter();
        ids.map(|id| u32::try_from(id).unwrap()).collect()
    }

    /// Makes the world, indexed, and becomes who asks.
    fn world() -> (World, Reader) {
        Spi::run(SETUP).unwrap();
        Spi::run("SELECT text2sql.grant_usage('contract_asker'); ANALYZE").unwrap();
        crate::pg::refresh::refresh(false).unwrap();
        let names: Vec<String> = contract::tables(&[])
            .iter()
            .map(|table| format!("'shop.\"{}\"'::regclass::oid::int8", table.name))
            .collect();
        let world = World {
            tables: ids(&format!("SELECT ARRAY[{}]", names.join(", "))),
            definitions: ids("SELECT array_agg(id::int8 ORDER BY id) FROM text2sql.definitions"),
            examples: ids("SELECT array_agg(id::int8 ORDER BY id) FROM text2sql.examples"),
        };
        Spi::run("SET ROLE contract_asker").unwrap();
        let asker: Option<Oid> = Spi::get_one("SELECT 'contract_asker'::regrole::oid").unwrap();
        let reader = Reader {
            oid: asker.unwrap(),
            is_switched: false,
        };
        // SAFETY: reads a variable.
        assert_eq!(unsafe { pg_sys::GetUserId() }, reader.oid);
        (world, reader)
    }

    #[pg_test]
    fn the_search_index() {
        let (world, reader) = world();
        contract::search_index(&PgSearchIndex::new(reader).unwrap(), &world);
    }

    #[pg_test]
    fn the_catalog_with_an_index() {
        let (world, reader) = world();
        contract::catalog(&ReaderCatalog::new(reader), &world);
    }

    #[pg_test]
    fn the_catalog_without_an_index() {
        let (world, reader) = world();
        Spi::run("RESET ROLE; DELETE FROM text2sql.index_state; SET ROLE contract_asker").unwrap();
        contract::catalog(&ReaderCatalog::new(reader), &world);
    }

    #[pg_test]
    fn the_database() {
        let (_, _) = world();
        contract::database(&GuardedDatabase::new(false).unwrap());
    }

    #[pg_test]
    fn the_embedder() {
        contract::embedder(&HashEmbedder::default());
    }
}
