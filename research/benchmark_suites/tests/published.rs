//! Published benchmarks become databases and suites: small files in the form of each, made here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use std::fs;
use std::path::{Path, PathBuf};

use benchmark_suites::{Imported, Kind, Options, import};
use postgres::{Client, Config};
use rusqlite::Connection;
use serde_json::{Value, json};
use text2sql_server_tests::connect;

/// A directory of files, and the databases that are made of them; both are removed.
struct Published {
    directory: PathBuf,
    prefix: String,
}

impl Published {
    fn new(test: &str) -> Self {
        let name = format!("t2s_bench_{test}_{}", std::process::id());
        let directory = std::env::temp_dir().join(&name);
        fs::create_dir_all(&directory).unwrap();
        Self {
            directory,
            prefix: format!("{name}_"),
        }
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.directory.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn sqlite(&self, name: &str, statements: &str) {
        let file = self.directory.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        Connection::open(file)
            .unwrap()
            .execute_batch(statements)
            .unwrap();
    }

    fn options(&self) -> Options {
        let variable =
            |name: &str, default: &str| std::env::var(name).unwrap_or(default.to_owned());
        let mut server = Config::new();
        server
            .host(&variable("PGHOST", "localhost"))
            .port(variable("PGPORT", "5432").parse().unwrap())
            .user(&variable("PGUSER", "postgres"))
            .dbname("postgres");
        let mut options = Options::new(server);
        options.prefix = Some(self.prefix.clone());
        options
    }

    fn import(&self, kind: Kind) -> Imported {
        import(kind, &self.directory, &self.options()).unwrap()
    }

    fn database(&self, id: &str) -> Client {
        connect(&format!("{}{id}", self.prefix), None)
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
        let mut admin = connect("postgres", None);
        let pattern = format!("{}%", self.prefix.replace('_', "\\_"));
        for row in admin
            .query(
                "SELECT datname FROM pg_database WHERE datname LIKE $1",
                &[&pattern],
            )
            .unwrap_or_default()
        {
            let name: String = row.get(0);
            let _ = admin.batch_execute(&format!("DROP DATABASE \"{name}\" WITH (FORCE)"));
        }
    }
}

fn texts(client: &mut Client, sql: &str) -> Vec<String> {
    let rows = client.query(sql, &[]).unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

const GOLD: &str = "SELECT key || ': ' || gold[1] FROM text2sql_eval.cases ORDER BY key";

fn spider(published: &Published) {
    let mut rows = String::new();
    for number in 1..=12 {
        rows.push_str(&format!(
            "INSERT INTO Course VALUES ({number}, 'Course {number}', '2024-01-{number:02}', {});",
            if number == 12 {
                "'free'".to_owned()
            } else {
                number.to_string()
            }
        ));
    }
    published.sqlite(
        "database/school/school.sqlite",
        &format!(
            "PRAGMA foreign_keys = OFF;
             CREATE TABLE Teacher (ID INTEGER PRIMARY KEY, Name varchar(20) NOT NULL, Age TEXT);
             INSERT INTO Teacher VALUES (1, 'Ann', '40'), (2, 'bob', '35'), (3, 'Cleo', NULL);
             CREATE TABLE Course (Course_ID INTEGER, Name TEXT, Start DATE, Price INTEGER);
             {rows}
             CREATE TABLE Taught (Course_ID int REFERENCES Course (Course_ID), Teacher_ID text REFERENCES Teacher);
             INSERT INTO Taught VALUES (1, '1'), (2, '1'), (3, '2'), (99, '3');
             CREATE TABLE Lent (Teacher_ID text REFERENCES Teacher, Room TEXT);
             INSERT INTO Lent (Teacher_ID) VALUES ('1'), ('02');
             CREATE VIEW Old AS SELECT * FROM Teacher;"
        ),
    );
    let one = |query: &str, sql: Value| json!({"db_id": "school", "query": query, "question": format!("Asked for {query}?"), "sql": sql});
    let parsed = json!({"select": [false, [[3, [0, [0, 0, false], null]]]], "from": {"table_units": [["table_unit", 0]], "conds": []},
        "where": [], "groupBy": [], "having": [], "orderBy": [], "limit": null, "intersect": null, "union": null, "except": null});
    let dev = json!([
        one("SELECT count(*) FROM teacher", parsed),
        one("SELECT name FROM teacher WHERE name = \"Ann\"", json!({})),
        one(
            "SELECT T1.name, count(*) FROM teacher AS T1 JOIN taught AS T2 ON T1.id = T2.teacher_id GROUP BY T2.teacher_id",
            json!({})
        ),
        one(
            "SELECT name FROM teacher WHERE age = 40 AND name LIKE 'a%'",
            json!({})
        ),
        one("SELECT name FROM teacher ORDER BY age LIMIT 1", json!({})),
        one("SELECT avg(julianday(start)) FROM course", json!({})),
        one("SELECT name, max(price) FROM course", json!({})),
        one("SELECT missing FROM teacher", json!({})),
        one(
            "SELECT count(*) FROM course WHERE start > '2024-01-05' AND start < '2024'",
            json!({})
        ),
        one(
            "SELECT count(*) FROM course WHERE price = 'free'",
            json!({})
        ),
    ]);
    published.write("dev.json", &dev.to_string());
    let tables = json!([{"db_id": "school", "table_names_original": ["Teacher", "Course", "Taught"],
        "column_names_original": [[-1, "*"], [0, "ID"], [0, "Name"], [0, "Age"], [1, "Course_ID"], [1, "Name"]],
        "column_names": [[-1, "*"], [0, "id"], [0, "name of the teacher"], [0, "age"], [1, "course id"], [1, "name"]],
        "primary_keys": [1, 4], "foreign_keys": []}]);
    published.write("tables.json", &tables.to_string());
}

#[test]
fn spider_is_translated_and_compared_with_the_original() {
    let published = Published::new("spider");
    spider(&published);
    let imported = published.import(Kind::Spider);
    let mut school = published.database("school");
    assert_eq!(
        texts(
            &mut school,
            "SELECT relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null' ELSE '' END
               FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0
              ORDER BY relname, attnum"
        ),
        [
            "course.course_id bigint not null",
            "course.name text",
            "course.start date",
            "course.price bigint",
            // '02' is not how a number is written.
            "lent.teacher_id text",
            "lent.room text",
            "taught.course_id bigint",
            "taught.teacher_id bigint",
            "teacher.id bigint not null",
            "teacher.name text not null",
            "teacher.age text",
        ]
    );
    assert_eq!(
        texts(
            &mut school,
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'f') ORDER BY 1"
        ),
        [
            "FOREIGN KEY (course_id) REFERENCES course(course_id) NOT VALID",
            "FOREIGN KEY (teacher_id) REFERENCES teacher(id)",
            "PRIMARY KEY (course_id)",
            "PRIMARY KEY (id)",
        ]
    );
    assert_eq!(
        texts(
            &mut school,
            "SELECT col_description('teacher'::regclass, 2)"
        ),
        ["name of the teacher"]
    );
    assert_eq!(
        texts(&mut school, GOLD),
        [
            "dev-0: SELECT count(*) FROM teacher",
            "dev-1: SELECT name FROM teacher WHERE name = 'Ann'",
            "dev-2: SELECT T1.name, count(*) FROM teacher AS T1 JOIN taught AS T2 ON T1.id = T2.teacher_id GROUP BY T2.teacher_id, T1.name",
            "dev-3: SELECT name FROM teacher WHERE age = '40' AND name ILIKE 'a%'",
            // SQLite shows NULL first.
            "dev-4: SELECT name FROM teacher ORDER BY age NULLS FIRST LIMIT 1",
            "dev-8: SELECT count(*) FROM course WHERE start > '2024-01-05' AND (start)::TEXT < '2024'",
        ]
    );
    assert_eq!(
        texts(
            &mut school,
            "SELECT concat_ws(' ', level, tags::text) FROM text2sql_eval.cases WHERE key IN ('dev-0', 'dev-1') ORDER BY key"
        ),
        ["easy {dev}", "{dev}"]
    );
    assert_eq!((imported.kept(), imported.left_out()), (6, 4));
    let report = imported.report();
    for line in [
        "- view Old is not taken over",
        "- course.price: 1 of 12 values are no bigint and became NULL, as 'free'",
        "- taught.teacher_id: declared as text, is bigint, as is the other column of a key",
        "- taught (course_id) to course (course_id): violated by rows, declared NOT VALID",
        "(not translated: `julianday(…)` has no PostgreSQL form that is known here.)",
        "(does not run: column \"course.name\" must appear in the GROUP BY clause or be used in an aggregate function)",
        "(the original no such column: missing",
        "(does not run: invalid input syntax for type bigint: \"free\")",
    ] {
        assert!(report.contains(line), "{line} is not in\n{report}");
    }
    // What was written can be read by the command that evaluates.
    for line in imported.cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            case["database"],
            json!(format!("{}school", published.prefix))
        );
    }
    let again = import(Kind::Spider, &published.directory, &published.options());
    let error = again.unwrap_err().to_string();
    assert!(error.contains("it exists\n  hint: --replace"), "{error}");
}

#[test]
fn sparc_keeps_the_questions_before_each() {
    let published = Published::new("sparc");
    published.sqlite(
        "database/school/school.sqlite",
        "CREATE TABLE teacher (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
         INSERT INTO teacher VALUES (1, 'Ann', 40), (2, 'Bob', 35);",
    );
    let turn =
        |utterance: &str, query: &str| json!({"utterance": utterance, "query": query, "sql": {}});
    let dev = json!([{
        "database_id": "school",
        "final": {"utterance": "Who is over 36?", "query": "SELECT name FROM teacher WHERE age > 36"},
        "interaction": [
            turn("Show all teachers.", "SELECT * FROM teacher"),
            turn("Only their names?", "SELECT name FROM teacher"),
            turn("And those over 36?", "SELECT name FROM teacher WHERE age > 36"),
        ],
    }]);
    published.write("dev.json", &dev.to_string());
    let imported = published.import(Kind::Sparc);
    assert_eq!(imported.left_out(), 0, "{}", imported.report());
    let mut school = published.database("school");
    assert_eq!(
        texts(
            &mut school,
            "SELECT concat_ws(' | ', key, array_to_string(previous, ' '), question, tags::text) FROM text2sql_eval.cases ORDER BY key"
        ),
        [
            "dev-0-0 |  | Show all teachers. | {dev,\"turn 1\"}",
            "dev-0-1 | Show all teachers. | Only their names? | {dev,\"turn 2\"}",
            "dev-0-2 | Show all teachers. Only their names? | And those over 36? | {dev,\"turn 3\"}",
        ]
    );
}

#[test]
fn wikisql_is_one_database_whose_questions_name_their_table() {
    let published = Published::new("wikisql");
    let asked = |question: &str, sel: u32, agg: u32, conds: Value| {
        let sql = json!({"sel": sel, "agg": agg, "conds": conds});
        json!({"phase": 1, "table_id": "1-10-2", "question": question, "sql": sql}).to_string()
    };
    let lines = [
        asked("Who plays guard?", 0, 0, json!([[1, 0, "Guard"]])),
        asked(
            "How many wear more than 1,5?",
            0,
            3,
            json!([[2, 1, "1,5"], [1, 0, "Guard"]]),
        ),
        asked("Highest number of O'Neal?", 2, 1, json!([[0, 0, "O'Neal"]])),
        asked(
            "Whose number is below no. 20?",
            0,
            0,
            json!([[2, 2, "no. 20"]]),
        ),
        asked("Who is missing?", 0, 0, json!([[1, 0, "Nobody"]])),
    ];
    published.write("dev.jsonl", &lines.join("\n"));
    let table = json!({"id": "1-10-2", "header": ["Player", "Position", "No."], "types": ["text", "text", "real"],
        "page_title": "Toronto Raptors", "section_title": "L", "caption": "L", "rows": []});
    published.write("dev.tables.jsonl", &format!("{table}\n"));
    published.sqlite(
        "dev.db",
        "CREATE TABLE table_1_10_2 (col0 text, col1 text, col2 real);
         INSERT INTO table_1_10_2 VALUES ('lowry', 'guard', 7), ('o''neal', 'center', 32), ('lenard', 'guard', 21);",
    );
    let imported = published.import(Kind::WikiSql);
    assert_eq!(imported.left_out(), 0, "{}", imported.report());
    let mut dev = published.database("dev");
    assert_eq!(
        texts(&mut dev, GOLD),
        [
            "dev-0: SELECT col0 FROM table_1_10_2 WHERE col1 = 'guard'",
            "dev-1: SELECT count(col0) FROM table_1_10_2 WHERE col2 > 15 AND col1 = 'guard'",
            "dev-2: SELECT max(col2) FROM table_1_10_2 WHERE col0 = 'o''neal'",
            "dev-3: SELECT col0 FROM table_1_10_2 WHERE col2 < 20",
            "dev-4: SELECT col0 FROM table_1_10_2 WHERE col1 = 'nobody'",
        ]
    );
    assert_eq!(
        texts(
            &mut dev,
            "SELECT DISTINCT evidence FROM text2sql_eval.cases"
        ),
        ["The table is table_1_10_2 (Toronto Raptors, L)."]
    );
    assert_eq!(
        texts(
            &mut dev,
            "SELECT tags::text FROM text2sql_eval.cases WHERE key = 'dev-4'"
        ),
        ["{dev,\"finds nothing\"}"]
    );
    assert_eq!(
        texts(
            &mut dev,
            "SELECT col_description('table_1_10_2'::regclass, 3)"
        ),
        ["No."]
    );
}

#[test]
fn bird_keeps_evidence_difficulty_and_descriptions() {
    let published = Published::new("bird");
    published.sqlite(
        "dev_databases/schools/schools.sqlite",
        "CREATE TABLE frpm (CDSCode TEXT PRIMARY KEY, `Free Meal Count (K-12)` REAL, `Enrollment (K-12)` REAL, Opened DATE, `Charter` INTEGER);
         INSERT INTO frpm VALUES ('01', 10, 100, '1990-05-01', 1), ('02', 30, 60, '2001-01-01', 0), ('03', 5, 0, NULL, 0);",
    );
    published.write(
        "dev_databases/schools/database_description/frpm.csv",
        "original_column_name,column_name,column_description,data_format,value_description\n\
         Charter,,whether it is a charter school,integer,\"0: no\n1: yes\"\n",
    );
    let asked = |id: u32, sql: &str| {
        json!({"question_id": id, "db_id": "schools", "question": format!("Question {id}?"),
        "evidence": "Free rate = `Free Meal Count (K-12)` / `Enrollment (K-12)`", "SQL": sql, "difficulty": "moderate"})
    };
    let dev = json!([
        asked(
            7,
            "SELECT MAX(`Free Meal Count (K-12)` / `Enrollment (K-12)`) FROM frpm"
        ),
        asked(
            8,
            "SELECT CAST(SUM(IIF(Charter = 1, 1, 0)) AS REAL) * 100 / COUNT(CDSCode) FROM frpm"
        ),
        asked(
            9,
            "SELECT STRFTIME('%Y', Opened) FROM frpm WHERE Opened IS NOT NULL ORDER BY Opened"
        ),
        asked(10, "SELECT SUM(Opened > '2000-01-01') FROM frpm"),
    ]);
    published.write("dev.json", &dev.to_string());
    let imported = published.import(Kind::Bird);
    assert_eq!(imported.left_out(), 0, "{}", imported.report());
    let mut schools = published.database("schools");
    assert_eq!(
        texts(&mut schools, GOLD),
        [
            "dev-10: SELECT SUM((Opened > '2000-01-01')::INT) FROM frpm",
            "dev-7: SELECT MAX(\"free meal count (k-12)\" / NULLIF(\"enrollment (k-12)\", 0)) FROM frpm",
            "dev-8: SELECT CAST(SUM(CASE WHEN Charter = 1 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) * 100 / COUNT(CDSCode) FROM frpm",
            "dev-9: SELECT to_char((Opened)::TIMESTAMP, 'YYYY') FROM frpm WHERE Opened IS NOT NULL ORDER BY Opened",
        ]
    );
    assert_eq!(
        texts(
            &mut schools,
            "SELECT concat_ws('; ', level, evidence, ordered::text) FROM text2sql_eval.cases WHERE key = 'dev-7'"
        ),
        ["moderate; Free rate = `Free Meal Count (K-12)` / `Enrollment (K-12)`; false"]
    );
    assert_eq!(
        texts(
            &mut schools,
            "SELECT comparison::text FROM text2sql_eval.suites WHERE suite = 'bird'"
        ),
        ["{\"ignore_duplicates\": true}"]
    );
    assert_eq!(
        texts(&mut schools, "SELECT col_description('frpm'::regclass, 5)"),
        ["whether it is a charter school. 0: no\n1: yes"]
    );
}

#[test]
fn defog_keeps_every_accepted_query() {
    let published = Published::new("defog");
    published.write(
        "defog_data/academic/academic.sql",
        "CREATE TABLE public.author (aid bigint NOT NULL, name text);\n\
         COPY public.author (aid, name) FROM stdin;\n1\tAshish\n2\tNoam\n\\.\n\
         INSERT INTO public.author VALUES (3, 'Martin');\n",
    );
    published.write(
        "defog_data/academic/academic.json",
        "{\"table_metadata\": {\"author\": [{\"column_name\": \"aid\", \"data_type\": \"bigint\", \"column_description\": \"ID of the author\"}]}}",
    );
    published.write(
        "data/questions_gen_postgres.csv",
        "question,query,db_name,query_category,instructions\n\
         Who are the authors?,\"SELECT {author.name, author.aid} FROM author;\",academic,group_by,Say nothing else.\n\
         Sort the authors.,\"SELECT name FROM author ORDER BY name; SELECT nothing FROM author\",academic,order_by,\n\
         What is wrong?,SELECT nothing FROM author,academic,group_by,\n",
    );
    let imported = published.import(Kind::Defog);
    let mut academic = published.database("academic");
    assert_eq!(
        texts(
            &mut academic,
            "SELECT concat_ws('; ', key, gold::text, evidence, ordered, tags::text) FROM text2sql_eval.cases ORDER BY key"
        ),
        [
            "questions_gen-0; {\"SELECT author.name FROM author\",\"SELECT author.aid FROM author\",\"SELECT author.name, author.aid FROM author\"}; Say nothing else.; f; {questions_gen,group_by}",
            "questions_gen-1; {\"SELECT name FROM author ORDER BY name\"}; t; {questions_gen,order_by}",
        ]
    );
    assert_eq!(imported.left_out(), 1);
    assert!(
        imported
            .report()
            .contains("column \"nothing\" does not exist")
    );
    assert_eq!(
        texts(
            &mut academic,
            "SELECT count(*)::text || col_description('author'::regclass, 1) FROM author"
        ),
        ["3ID of the author"]
    );
}

#[test]
fn beaver_has_no_original_to_compare_with() {
    let published = Published::new("beaver");
    let tables = json!({
        "dw#sep#BUILDINGS": {"db_id": "dw", "table_name_original": "BUILDINGS", "column_names_original": ["BUILDING_KEY", "HEIGHT"], "column_types": ["VARCHAR2", "NUMBER"]},
        "dw#sep#ROOMS": {"db_id": "dw", "table_name_original": "ROOMS", "column_names_original": ["ROOM", "BUILDING_KEY"], "column_types": ["int NOT NULL AUTO_INCREMENT", "varchar(8) COLLATE utf8mb3_unicode_ci DEFAULT NULL"],
            "primary_key": ["ROOM"], "foreign_key": [{"column_name": "BUILDING_KEY", "referenced_table_name": "dw#sep#BUILDINGS", "referenced_column_name": "BUILDING_KEY"}]},
    });
    published.write("dev_tables.json", &tables.to_string());
    published.write("dw/BUILDINGS.csv", "BUILDING_KEY,HEIGHT\n10,12.5\n11,\n");
    published.write("dw/ROOMS.csv", "ROOM,BUILDING_KEY\n1,10\n2,11\n");
    published.write(
        "schema/dw/ROOMS.csv",
        "COLUMN_NAME,DATA_TYPE\nROOM,NUMBER\n",
    );
    let dev = json!([
        {"db_id": "dw", "question": "How many rooms are in a building with a height?", "mapping": {"height": ["BUILDINGS.HEIGHT"]},
         "sql": "SELECT count(*) FROM `ROOMS` r JOIN BUILDINGS b ON b.BUILDING_KEY = r.BUILDING_KEY WHERE IFNULL(b.HEIGHT, 0) > 0;"},
        {"db_id": "dw", "question": "What cannot be translated?", "sql": "SELECT found_rows() FROM ROOMS"},
    ]);
    published.write("dev_dw.json", &dev.to_string());
    let imported = published.import(Kind::Beaver);
    let mut dw = published.database("dw");
    assert_eq!(
        texts(
            &mut dw,
            "SELECT concat_ws('; ', key, gold[1], evidence, tags::text) FROM text2sql_eval.cases"
        ),
        [
            "dev_dw-0; SELECT count(*) FROM ROOMS r JOIN BUILDINGS b ON b.BUILDING_KEY = r.BUILDING_KEY WHERE COALESCE(b.HEIGHT, 0) > 0; height: buildings.height; {dev_dw,\"not compared\"}"
        ]
    );
    let report = imported.report();
    assert!(
        report.contains("1 cases have gold that runs, and no original to compare it with"),
        "{report}"
    );
    assert!(
        report.contains("(not translated: `found_rows(…)`"),
        "{report}"
    );
    assert_eq!(
        texts(
            &mut dw,
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype = 'f'"
        ),
        ["FOREIGN KEY (building_key) REFERENCES buildings(building_key)"]
    );
}

#[test]
fn files_that_are_not_in_the_published_form_are_named() {
    let published = Published::new("wrong");
    let error = |kind| {
        import(kind, &published.directory, &published.options())
            .unwrap_err()
            .to_string()
    };
    let place = published.directory.display().to_string();
    assert_eq!(
        error(Kind::Spider),
        format!("{place} has no databases in database, test_database")
    );
    assert!(error(Kind::Beaver).starts_with(&format!("{place}/dev_tables.json: ")));
    assert_eq!(
        error(Kind::Defog),
        format!("there are no questions in {place}")
    );
    published.sqlite("database/a/a.sqlite", "CREATE TABLE a (b int)");
    assert_eq!(
        error(Kind::Spider),
        format!("{place} has none of dev.json\n  name a file: --questions FILE")
    );
    published.write("dev.json", "[{\"db_id\": \"a\"}]");
    assert_eq!(
        error(Kind::Spider),
        format!("{place}/dev.json: question 1 has no text \"question\"")
    );
    assert!(!Path::new("spider.jsonl").exists());
}
