//! The server's own implementations fulfil the contracts of the ports, as the test doubles of the core do.

#[pgrx::pg_schema]
#[expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make the tables they read, and may panic"
)]
mod tests {
    use std::io::{self, BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};

    use pgrx::pg_sys::{self, Oid};
    use pgrx::prelude::*;
    use port_contracts as contract;
    use port_contracts::{SETUP, WordReranking, World};
    use text2sql_http::SignalsBlocked;
    use text2sql_models::providers::options;
    use text2sql_models::providers::rerank::EndpointReranker;
    use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;

    use crate::pg::access::execution::database::GuardedDatabase;
    use crate::pg::search::documents::TextSearch;
    use crate::pg::search::role_catalog::RoleCatalog;
    use crate::pg::search::search_index::PgSearchIndex;
    use crate::pg::server::session::PgSession;
    use crate::pg::server::spi::role::EffectiveRole;
    use crate::pg::stored::models::http::HelperTransport;
    use crate::pg::stored::models::sentence_encoder;
    use crate::statement::planner::GuardedPlanner;
    use crate::statement::submitted_sql::SubmittedSql;

    fn ids(sql: &str) -> Vec<u32> {
        let ids: Option<Vec<i64>> = Spi::get_one(sql).unwrap();
        let ids = ids.unwrap().into_iter();
        ids.map(|id| u32::try_from(id).unwrap()).collect()
    }

    /// Creates and indexes the objects, and becomes the calling role.
    fn world() -> (World, EffectiveRole) {
        Spi::run(SETUP).unwrap();
        Spi::run("SELECT text2sql.grant_access('contract_caller'); ANALYZE").unwrap();
        // The contract compares with vectors of the embedder that is there on every machine.
        Spi::run("SET text2sql.embedding_model = 'hash'").unwrap();
        crate::pg::search::refresh::refresh(false).unwrap();
        let names: Vec<String> = contract::tables(&[])
            .iter()
            .map(|table| format!("'shop.\"{}\"'::regclass::oid::int8", table.name))
            .collect();
        let world = World {
            tables: ids(&format!("SELECT ARRAY[{}]", names.join(", "))),
            definitions: ids("SELECT array_agg(id ORDER BY id) FROM text2sql._definitions"),
            examples: ids("SELECT array_agg(id ORDER BY id) FROM text2sql._examples"),
        };
        Spi::run("SET ROLE contract_caller").unwrap();
        let caller: Option<Oid> = Spi::get_one("SELECT 'contract_caller'::regrole::oid").unwrap();
        let role = EffectiveRole {
            oid: caller.unwrap(),
            is_switched: false,
        };
        // SAFETY: reads a variable.
        assert_eq!(unsafe { pg_sys::GetUserId() }, role.oid);
        (world, role)
    }

    #[pg_test]
    fn the_search_index() {
        let (world, role) = world();
        contract::search_index(&PgSearchIndex::new(role), &world);
    }

    #[pg_test]
    fn the_catalog_with_an_index() {
        let (world, role) = world();
        contract::catalog(&RoleCatalog::new(role), &world);
    }

    #[pg_test]
    fn the_catalog_without_an_index() {
        let (world, role) = world();
        Spi::run("RESET ROLE; DELETE FROM text2sql._index_state; SET ROLE contract_caller")
            .unwrap();
        contract::catalog(&RoleCatalog::new(role), &world);
    }

    #[pg_test]
    fn the_database() {
        let (_, _) = world();
        contract::database(&GuardedDatabase::new().unwrap());
    }

    #[pg_test]
    fn the_embedder() {
        contract::embedder(&HashEmbedder::default());
    }

    #[pg_test]
    fn the_default_embedder() {
        // Its file may not be installed.
        if let Ok(embedder) = sentence_encoder::embedder() {
            contract::embedder(&*embedder);
        }
    }

    #[pg_test]
    fn the_texts() {
        let setup = r#"
            SET text2sql.maintenance_interval = 0;
            SET text2sql.embedding_model = 'hash';
            CREATE ROLE "Contract Reader";
            SELECT text2sql.grant_access('Contract Reader');
            CREATE SCHEMA texts;
            CREATE TABLE texts.reviews (review_id integer PRIMARY KEY, body text);
            INSERT INTO texts.reviews VALUES (1, 'The zipper broke after two weeks.'), (2, 'A zipper of gold, returned by the king.');
            ALTER TABLE texts.reviews ENABLE ROW LEVEL SECURITY;
            CREATE POLICY but_one ON texts.reviews USING (review_id <> 2);
            GRANT USAGE ON SCHEMA texts TO "Contract Reader";
            GRANT SELECT ON texts.reviews TO "Contract Reader";
            SELECT text2sql.index_text('texts.reviews.body');
            SELECT text2sql.add_document('Returns policy', 'Jackets can be returned within thirty days if the zipper is broken.', source => 'handbook', readers => '{Contract Reader}');
            SELECT text2sql.add_document('Board minutes', 'The zipper supplier is sued, keep it secret.', source => 'handbook');
            SET ROLE "Contract Reader""#;
        Spi::run(setup).unwrap();
        contract::passage_search(&TextSearch::new().unwrap());
    }

    #[pg_test]
    fn the_session() {
        contract::session(&PgSession::new());
        Spi::run(r#"CREATE ROLE "Contract ""Asker"""; SET ROLE "Contract ""Asker""""#).unwrap();
        Spi::run("SET text2sql.enable_progress = on").unwrap();
        contract::session(&PgSession::new());
    }

    #[pg_test]
    fn the_transport() {
        contract::transport(&HelperTransport);
    }

    #[pg_test]
    fn the_planner() {
        let (world, _) = world();
        let given = SubmittedSql::read(
            "SELECT count(*) FROM shop.sales".to_owned(),
            &crate::pg::server::settings::Overrides::default(),
        )
        .unwrap();
        contract::planner(&GuardedPlanner::new(&given).unwrap(), &world);
        Spi::run("RESET ROLE").unwrap();
        let regions: Option<i64> = Spi::get_one("SELECT count(*) FROM shop.regions").unwrap();
        assert_eq!(regions, Some(2), "planning writes nothing");
    }

    /// Reads a request and answers it.
    fn rerank_over(stream: TcpStream) -> io::Result<()> {
        let mut role = BufReader::new(stream);
        let (mut length, mut line) = (0, String::new());
        while role.read_line(&mut line)? > 2 {
            let header = line.to_lowercase();
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or_default();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        role.read_exact(&mut body)?;
        let (status, reply) = WordReranking::reply(&body);
        let stream = role.get_mut();
        write!(
            stream,
            "HTTP/1.1 {status} Reply\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            reply.len()
        )?;
        stream.write_all(&reply)
    }

    #[pg_test]
    fn the_reranker() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/v1/", listener.local_addr().unwrap());
        // The signals of this process are for its main thread; the other one ends with the process.
        let blocked = SignalsBlocked::new();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = rerank_over(stream);
            }
        });
        drop(blocked);
        let options = [
            ("protocol", "rerank"),
            ("base_url", url.as_str()),
            ("model", "words"),
            ("allow_private", "true"),
            ("allow_http", "true"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let endpoint = options::endpoint("reranking", &options, None, None).unwrap();
        contract::reranker(&EndpointReranker::new(endpoint, &HelperTransport));
    }
}
