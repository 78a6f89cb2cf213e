//! Evaluations of answers from texts, with a model whose sentences and judgements are known.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

const JACKETS: &str = "What does the handbook say about jackets?";
const SHOES: &str = "What does the handbook say about shoes?";

/// Three of four statements are supported, and the questions are the one that was asked.
const JUDGEMENT: &str = r#"{"statements": [{"text": "a", "supported": true}, {"text": "b", "supported": true},
    {"text": "c", "supported": false}, {"text": "d", "supported": true}],
    "questions": ["What does the handbook say about jackets?", "What does the handbook say about jackets?"],
    "noncommittal": false}"#;

fn judging() -> Script {
    let shoes = r#"{"statements": [{"text": "a", "supported": true}], "questions": ["Who?"], "noncommittal": true}"#;
    let rules = serde_json::json!([
        {"match": "it gave", "replies": [{"relevance": 0.9, "reason": "It counts them."}]},
        // The last message of a judgement ends with the answer. The cases are judged in their order.
        {"match": "answer:\n<data", "replies": [JUDGEMENT, shoes], "sequence": true},
        {"match": "about jackets", "replies": [{"sentences": [
            {"text": "Jackets can be returned within 30 days.", "passages": [1]},
            {"text": "Jackets can be returned within 90 days.", "passages": [1]}]}]},
        {"match": "about shoes", "replies": [{"sentences": [
            {"text": "Worn shoes are not taken back.", "passages": [1]}]}]},
    ]);
    Script::from_json(&rules.to_string()).unwrap()
}

fn prepared(test: &str) -> TestDatabase {
    let database = TestDatabase::new(test);
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.grant_access('t2s_analyst', 'evaluation');
             SELECT text2sql.add_document('Handbook', E'# Jackets\nJackets can be returned within 30 days.\n\n# Shoes\nWorn shoes are not taken back.',
                 readers => '{public}')",
        )
        .unwrap();
    let gold = |quote: &str| format!(r#"[{{"document": "Handbook", "quote": "{quote}"}}]"#);
    let mut analyst = database.analyst();
    for (question, quote) in [
        (JACKETS, "within 30 days"),
        (SHOES, "not taken back"),
        ("How many customers are there?", ""),
    ] {
        let (sql, gold) = match quote {
            "" => (Some("SELECT count(*) FROM customers"), None),
            quote => (None, Some(gold(quote))),
        };
        let add = "SELECT text2sql_eval.add_case('texts', $1, $2, kind => $3, gold_texts => $4::text::jsonb)";
        let kind = match quote {
            "" => "quantitative",
            _ => "qualitative",
        };
        analyst
            .execute(add, &[&question, &sql, &kind, &gold])
            .unwrap();
    }
    database
}

/// The figures of each case, and `-` for one that does not apply.
fn figures(client: &mut Client, evaluation: i64) -> Vec<String> {
    let sql = "SELECT concat_ws(' ', r.verdict, r.kind, coalesce(round(r.context_precision::numeric, 2)::text, '-'),
                   coalesce(r.context_recall::text, '-'), coalesce(r.lexical_text_faithfulness::text, '-'),
                   coalesce(r.faithfulness::text, '-'), coalesce(round(r.answer_relevancy::numeric, 2)::text, '-'),
                   coalesce(r.relevance::text, '-'), r.judge_calls)
              FROM text2sql_eval.results r WHERE r.evaluation_id = $1 ORDER BY r.case_id";
    let rows = client.query(sql, &[&evaluation]).unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn evaluate(client: &mut Client, settings: &str) -> i64 {
    let call = format!("CALL text2sql_eval.evaluate('texts', settings => '{settings}')");
    client.query_one(&call, &[]).unwrap().get(0)
}

#[test]
fn a_judge_whose_judgement_is_known_gives_the_known_figures() {
    let double = ModelDouble::start(judging()).unwrap();
    let database = prepared("evaluation_texts");
    let url = double.base_url("ok");
    database.add_model("m", "openai", &url, ", texts 'passages'");
    let mut client = database.analyst();
    let evaluation = evaluate(&mut client, r#"{"model": "builtin, m", "judged": true}"#);
    let found = figures(&mut client, evaluation);
    // The sentence about 90 days is not shown, so that those which are shown are supported.
    assert_eq!(
        found,
        [
            "right qualitative 1.00 1 1 0.75 1.00 - 1",
            "right qualitative 1.00 1 1 1 0.00 - 1",
            "right quantitative - - - - - 0.9 1",
        ]
    );
    let summary =
        "SELECT round(router_accuracy::numeric, 2)::text, context_recall::text, faithfulness::text,
                          text_relevancy BETWEEN 0 AND 1, answer_relevancy::text
                     FROM text2sql_eval.evaluations WHERE evaluation_id = $1";
    let row = client.query_one(summary, &[&evaluation]).unwrap();
    let shown: Vec<&str> = [0, 1, 2].iter().map(|n| row.get::<_, &str>(*n)).collect();
    assert_eq!(shown, ["1.00", "1", "0.875"]);
    assert!(row.get::<_, bool>(3));
    assert!((row.get::<_, &str>(4).parse::<f64>().unwrap() - 0.5).abs() < 1e-6);
    let report = format!("SELECT text2sql_eval.report({evaluation})");
    let page: String = client.query_one(&report, &[]).unwrap().get(0);
    for name in [
        "context precision",
        "lexical text faithfulness",
        "faithfulness",
        "router accuracy",
        "By kind",
    ] {
        assert!(page.contains(name), "{name}");
    }
}

#[test]
fn nothing_is_judged_without_being_asked_for_or_permitted() {
    let double = ModelDouble::start(judging()).unwrap();
    let database = prepared("evaluation_texts_egress");
    let url = double.base_url("ok");
    database.add_model("m", "openai", &url, "");
    let mut client = database.analyst();
    // The model may see no passage: neither is it asked for sentences nor does it judge.
    let evaluation = evaluate(&mut client, r#"{"model": "builtin, m", "judged": true}"#);
    let found = figures(&mut client, evaluation);
    assert_eq!(
        found[..2],
        [
            "right qualitative 1.00 1 - - - - 0",
            "right qualitative 1.00 1 - - - - 0",
        ]
    );
    // It judges the count of customers, and sees no row of it.
    let [request] = double.requests().try_into().expect("one request");
    let sent = request.body["messages"].to_string();
    assert!(sent.contains("it gave") && !sent.contains("40"), "{sent}");
}

#[test]
fn chunking_is_varied_only_where_nothing_cuts_it_back() {
    let database = prepared("evaluation_texts_cut");
    let mut admin = database.superuser();
    let call = r#"CALL text2sql_eval.evaluate('texts', settings => '{"passage_length": 200}')"#;
    let (code, _, hint) = error_of(&mut admin, call);
    assert_eq!(code, "0A000", "{call}");
    assert!(hint.contains("variants =>"), "{hint}");
    // The setting of a session does not stop the background worker.
    let maintenance = |value: &str| {
        format!(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET text2sql.maintenance_interval = {value}', current_database()); END $$"
        )
    };
    admin.batch_execute(&maintenance("60")).unwrap();
    let mut admin = database.superuser();
    admin
        .batch_execute("SELECT text2sql._version(); SET text2sql.maintenance_interval = 0")
        .unwrap();
    let vary = r#"CALL text2sql_eval.evaluate('texts', variants => '{"short": {"passage_length": 100, "passage_overlap": 0}}')"#;
    let tune = r#"CALL text2sql_eval.tune('texts', '{"passage_overlap": [0]}', hold_out => 0.5)"#;
    for varied in [tune, vary] {
        let (code, _, hint) = error_of(&mut admin, varied);
        assert_eq!(code, "0A000");
        assert!(hint.contains("maintenance_interval = 0"), "{hint}");
    }
    admin
        .batch_execute(
            "SELECT text2sql.add_document('Long', repeat('Tents are checked by the workshop before they are lent to anybody. ', 20)
                 || 'Lost pegs cost two euros.', readers => '{public}');
             SELECT text2sql_eval.add_case('texts', 'What does the handbook say about lost pegs?', kind => 'qualitative',
                 gold_texts => '[{\"document\": \"Long\", \"quote\": \"Lost pegs cost two euros\"}]')",
        )
        .unwrap();
    admin.batch_execute(&maintenance("0")).unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let mut admin = database.superuser();
    let parts = "SELECT count(*) FROM text2sql._passages";
    let before: i64 = admin.query_one(parts, &[]).unwrap().get(0);
    admin.batch_execute(vary).unwrap();
    let after: i64 = admin.query_one(parts, &[]).unwrap().get(0);
    assert_eq!(before, after, "cut as it was");
    let length: String = admin
        .query_one("SHOW text2sql.passage_length", &[])
        .unwrap()
        .get(0);
    assert_eq!(length, "1000");
    let variants = "SELECT count(*) FROM text2sql_eval.evaluations a WHERE a.variant <> 'as it is' AND a.settings ->> 'passage_length' = '100'";
    let count: i64 = admin.query_one(variants, &[]).unwrap().get(0);
    assert_eq!(count, 1);
    for variants in [
        r#"[{"passage_length": 100}]"#,
        r#"{"short": 1}"#,
        r#"{"short": {"passage_length": 1}}"#,
    ] {
        let call = format!("CALL text2sql_eval.evaluate('texts', variants => '{variants}')");
        assert_eq!(error_of(&mut admin, &call).0, "22023", "{variants}");
    }
}

/// Six chatty texts repeat the words of the question, and one says what is asked: it comes last.
#[test]
fn tuning_finds_a_planted_depth() {
    let database = prepared("evaluation_texts_depth");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.forget('suite', 'texts');
             SELECT text2sql.add_document('Notice ' || topic || ' ' || n,
                        format('%1$s %1$s %1$s: the handbook says more about %1$s %1$s elsewhere, part %2$s.', topic, n), readers => '{public}')
               FROM unnest('{lamps,ropes,stoves,poles,maps,gloves,socks,hats,mats,pegs,bottles,knives,books,skis,boots,bags,tents,belts,straps,filters,whistles,mirrors,radios,compasses,blankets,towels,cups,pans,forks,spoons}'::text[]) AS topic,
                    generate_series(1, 3) AS n;
             SELECT text2sql.add_document('Rule for ' || topic, 'Whoever borrows ' || topic || ' brings them back clean.', readers => '{public}')
               FROM unnest('{lamps,ropes,stoves,poles,maps,gloves,socks,hats,mats,pegs,bottles,knives,books,skis,boots,bags,tents,belts,straps,filters,whistles,mirrors,radios,compasses,blankets,towels,cups,pans,forks,spoons}'::text[]) AS topic",
        )
        .unwrap();
    let mut client = database.analyst();
    client
        .batch_execute(
            "SELECT text2sql_eval.add_case('depth', 'What does the handbook say about ' || topic || '?', key => topic, kind => 'qualitative',
                        gold_texts => jsonb_build_array(jsonb_build_object('document', 'Rule for ' || topic)))
               FROM unnest('{lamps,ropes,stoves,poles,maps,gloves,socks,hats,mats,pegs,bottles,knives,books,skis,boots,bags,tents,belts,straps,filters,whistles,mirrors,radios,compasses,blankets,towels,cups,pans,forks,spoons}'::text[]) AS topic;
             SET text2sql.tuning = '{\"text_depth\": 1}'",
        )
        .unwrap();
    client
        .batch_execute(
            "CALL text2sql_eval.tune('depth', '{\"text_depth\": [2, 8], \"text_vector_weight\": [0]}', hold_out => 0.5)",
        )
        .unwrap();
    let proposal = "SELECT (settings ->> 'text_depth'), accuracy_now, accuracy, verdict FROM text2sql_eval.proposals";
    let row = client.query_one(proposal, &[]).unwrap();
    assert_eq!(row.get::<_, Option<&str>>(0), Some("8"));
    assert!(row.get::<_, f64>(1) < 0.5 && row.get::<_, f64>(2) > 0.9);
    assert_eq!(
        row.get::<_, &str>(3),
        "better on cases that the search has not seen"
    );
}
