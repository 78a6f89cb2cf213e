//! `text2sql-server load`: documents of every kind with their places and their readers, and a converter that never ends.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use postgres::Client;
use text2sql_server_tests::office;
use text2sql_server_tests::skipped::skip;
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::web::{Server, person};
use text2sql_server_tests::{TestDatabase, error_of};

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("t2s_{name}_{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::write(&path, content).expect("a file");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// A role that may add documents, and one that may ask.
fn people(database: &TestDatabase) -> (String, String) {
    let (curator, reader) = (person(database, "curator"), person(database, "reader"));
    let grant = format!(
        "SELECT text2sql.grant_access('{curator}'), text2sql.grant_access('{curator}', 'curator');
         ALTER DATABASE {} SET text2sql.embedding_model = 'hash';",
        database.name()
    );
    database.superuser().batch_execute(&grant).expect("grants");
    (curator, reader)
}

/// What a role finds about a question: citation and passage.
fn found(client: &mut Client, question: &str) -> Vec<(String, String)> {
    let sql = "SELECT citation, passage FROM text2sql.search_text($1)";
    let rows = client.query(sql, &[&question]).expect("a search");
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

const HTML: &str = "<html><head><title>x</title></head><body><h1>Warranty</h1><h2>Boots</h2><p>Boots have a warranty of two years.</p><script>steal()</script></body></html>";

#[test]
fn documents_are_found_by_who_may_read_them_with_their_place() {
    let database = TestDatabase::new("load_documents");
    let (curator, reader) = people(&database);
    let folder = Folder::new("documents");
    let files = [
        folder.file("returns.md", "# Returns policy\n\n## Jackets\n\nA jacket with a broken zipper is taken back within 30 days.\n"),
        folder.file("warranty.html", HTML),
        folder.file("delivery.docx", office::docx(&[("Title", "Delivery"), ("Heading2", "Islands"), ("", "Parcels to islands need five days.")])),
    ];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let (said, is_ok) = Server::load(&database, &curator, &files, &[]);
    assert!(is_ok, "{said}");
    let mut own = database.connect_as(&curator);
    let titles: String = own
        .query_one("SELECT string_agg(title || '|' || owner_name, ', ' ORDER BY title) FROM text2sql.documents", &[])
        .expect("documents")
        .get(0);
    assert_eq!(
        titles,
        format!("Delivery|{curator}, Returns policy|{curator}, Warranty|{curator}")
    );
    for (question, place, text) in [
        (
            "When is a jacket with a broken zipper taken back?",
            "Jackets",
            "30 days",
        ),
        ("How long is the warranty of boots?", "Boots", "two years"),
        (
            "How long do parcels to islands need?",
            "Islands",
            "five days",
        ),
    ] {
        let passages = found(&mut own, question);
        let (citation, passage) = passages.first().expect(question);
        assert!(citation.contains(place), "{question}: {citation}");
        assert!(passage.contains(text), "{question}: {passage}");
        assert!(!passage.contains("steal"));
    }
    // Other roles do not find it until it is shared.
    let mut other = database.connect_as(&reader);
    assert!(found(&mut other, "How long is the warranty of boots?").is_empty());
    let share = "SELECT text2sql.add_document(id => id, readers => ARRAY[$1::text]) FROM text2sql.documents WHERE title = 'Warranty'";
    own.execute(share, &[&reader]).expect("shared");
    assert_eq!(
        found(&mut other, "How long is the warranty of boots?").len(),
        1
    );
    // A role that may not teach cannot load any.
    let (said, is_ok) = Server::load(&database, &reader, &files[..1], &[]);
    assert!(!is_ok && said.contains("permission denied"), "{said}");
}

#[test]
fn a_document_has_the_source_and_the_readers_that_are_said_and_is_replaced_when_it_is_loaded_again()
{
    let database = TestDatabase::new("load_readers");
    let (curator, reader) = people(&database);
    let folder = Folder::new("readers");
    let heading = "very_long_".repeat(60);
    let files = [
        folder.file("opening.txt", "The stores open at nine, on Sundays at ten."),
        folder.file(
            "parking.md",
            format!("# {heading}\n\nCars park behind the store.\n"),
        ),
    ];
    let options = [
        "--as",
        "documents",
        "--source",
        "guide",
        "--reader",
        &reader,
    ];
    let load = |client: &mut Client| {
        let files = files.iter().map(String::as_str);
        let all: Vec<&str> = options.into_iter().chain(files).collect();
        let (said, is_ok) = Server::load(&database, &curator, &all, &[]);
        assert!(is_ok, "{said}");
        let sql =
            "SELECT count(*), min(source), max(source), max(length(title)) FROM text2sql.documents";
        let row = client.query_one(sql, &[]).expect("documents");
        (row.get(0), row.get(1), row.get(2), row.get(3))
    };
    let expected = (2_i64, "guide".to_owned(), "guide".to_owned(), 500_i32);
    let mut other = database.connect_as(&reader);
    assert_eq!(load(&mut other), expected);
    folder.file(
        "opening.txt",
        "The stores open at eight, on Sundays at ten.",
    );
    assert_eq!(load(&mut other), expected);
    let passages = found(&mut other, "When do the stores open on Sundays?");
    assert!(passages[0].1.contains("eight"), "{passages:?}");
    // What becomes a table has neither, and nobody reads what nobody knows.
    for (arguments, expected) in [
        (["--reader", "public", &files[0]], "are for documents"),
        (
            ["--reader", "t2s_nobody", &files[1]],
            "role \"t2s_nobody\" does not exist",
        ),
    ] {
        let (said, is_ok) = Server::load(&database, &curator, &arguments, &[]);
        assert!(!is_ok && said.contains(expected), "{said}");
    }
}

#[test]
fn a_pdf_becomes_a_document() {
    if Command::new("pdftotext").arg("-v").output().is_err() {
        return skip("pdftotext (Debian: apt install poppler-utils)");
    }
    let database = TestDatabase::new("load_pdf");
    let (curator, _) = people(&database);
    let folder = Folder::new("pdf");
    let file = folder.file(
        "care.pdf",
        office::pdf(&["Care of leather", "Leather is kept dry and cool."]),
    );
    let (said, is_ok) = Server::load(&database, &curator, &[&file], &[]);
    assert!(is_ok, "{said}");
    let mut own = database.connect_as(&curator);
    let passages = found(&mut own, "How is leather kept?");
    assert!(
        passages[0].1.contains("Leather is kept dry and cool."),
        "{passages:?}"
    );
    // Cut off in the middle: an error or what is left of it, and the program goes on.
    let whole = office::pdf(&["Half of it"]);
    let file = folder.file("half.pdf", &whole[..whole.len() / 2]);
    let (said, is_ok) = Server::load(&database, &curator, &[&file], &[]);
    assert!(is_ok || said.starts_with("error: "), "{said}");
    let (said, is_ok) = Server::load(
        &database,
        &curator,
        &[&folder.file("no.pdf", "this is no PDF")],
        &[],
    );
    assert!(!is_ok && said.contains("no.pdf"), "{said}");
}

/// A program of this name that does not end, in a folder that is first in the search path.
fn stand_in(folder: &Folder, name: &str, script: &str) -> String {
    let path = folder.file(name, script);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    let before = std::env::var("PATH").unwrap_or_default();
    format!("{}:{before}", folder.0.display())
}

/// Whether a process with this argument runs.
fn runs(argument: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    processes
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .any(|line| {
            String::from_utf8_lossy(&line)
                .split('\0')
                .any(|part| part == argument)
        })
}

#[test]
fn a_pdf_that_never_ends_ends() {
    let database = TestDatabase::new("load_endless");
    let (curator, _) = people(&database);
    let folder = Folder::new("endless");
    let file = folder.file("endless.pdf", office::pdf(&["x"]));
    let path = stand_in(&folder, "pdftotext", "#!/bin/sh\nexec sleep 60119\n");
    let (said, is_ok) = Server::load(
        &database,
        &curator,
        &["--seconds", "2", &file],
        &[("PATH", &path)],
    );
    assert!(!is_ok, "{said}");
    assert!(
        said.contains("the file took longer than 2 seconds to read"),
        "{said}"
    );
    wait_until("the converter is gone", || !runs("60119"));
    // One that computes for ever runs out of processor time.
    stand_in(&folder, "pdftotext", "#!/bin/sh\nwhile :; do :; done\n");
    let (said, is_ok) = Server::load(
        &database,
        &curator,
        &["--seconds", "1", &file],
        &[("PATH", &path)],
    );
    assert!(!is_ok && said.starts_with("error: "), "{said}");
    // One that dies says so.
    stand_in(&folder, "pdftotext", "#!/bin/sh\nkill -SEGV $$\n");
    let (said, is_ok) = Server::load(&database, &curator, &[&file], &[("PATH", &path)]);
    assert!(!is_ok && said.contains("damaged"), "{said}");
    let documents: i64 = database
        .superuser()
        .query_one("SELECT count(*) FROM text2sql.documents", &[])
        .expect("documents")
        .get(0);
    assert_eq!(documents, 0);
}

#[test]
fn files_become_tables_or_nothing() {
    let database = TestDatabase::new("load_tables");
    let (curator, _) = people(&database);
    let schema = format!("CREATE SCHEMA {curator} AUTHORIZATION {curator}");
    database
        .superuser()
        .batch_execute(&schema)
        .expect("a schema");
    let folder = Folder::new("tables");
    let book = folder.file(
        "budget.xlsx",
        office::xlsx(
            &[&["Team", "Sum"], &["Sales", "12.50"], &["Service", "7"]],
            0,
        ),
    );
    let calc = folder.file(
        "visits.ods",
        office::ods(&[&["Day", "Guests"], &["2026-03-01", "4"]], 0),
    );
    let (said, is_ok) = Server::load(&database, &curator, &[&book, &calc], &[]);
    assert!(is_ok, "{said}");
    let mut own = database.connect_as(&curator);
    let row = own
        .query_one(
            "SELECT (SELECT sum(sum)::text FROM budget), (SELECT pg_typeof(day)::text FROM visits)",
            &[],
        )
        .expect("rows");
    assert_eq!((row.get(0), row.get(1)), ("19.50", "date"));
    let answer: String = own
        .query_one("SELECT answer FROM text2sql.ask('How many visits are there?', options => '{\"model\": \"builtin\"}')", &[])
        .expect("an answer")
        .get(0);
    assert!(answer.contains('1'), "{answer}");
    // A mistake in the last of many lines: its number, and no table.
    let lines: String = (0..60_000).map(|n| format!("{n},x\n")).collect();
    let broken = folder.file(
        "broken.csv",
        format!("id,name\n{lines}61000,\"y\"\nlast,z\n"),
    );
    let (said, is_ok) = Server::load(&database, &curator, &["--type", "id=integer", &broken], &[]);
    assert!(
        !is_ok && said.contains("line 60003, column \"id\""),
        "{said}"
    );
    let (code, _, _) = error_of(&mut own, "SELECT FROM broken");
    assert_eq!(code, "42P01");
    // A row that no page can hold.
    let row = |cell: &str| vec![cell; 1_000].join(",");
    let header: Vec<String> = (1..=1_000).map(|column| format!("c{column}")).collect();
    let rows = [
        header.join(","),
        row("x"),
        row("abcdefghijklmnop"),
        row("y"),
    ];
    let wide = folder.file("wide.csv", rows.join("\n"));
    let (said, is_ok) = Server::load(&database, &curator, &[&wide], &[]);
    assert!(
        !is_ok && said.contains("line 3: the row is too big for a table"),
        "{said}"
    );
}
