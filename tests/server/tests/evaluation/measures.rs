//! The experiment of a thesis, repeated: a schema with descriptions against one without, with a scripted model whose
//! right and wrong answers are known in advance, so that every figure and every p value is.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

/// Six questions are answered rightly only where the prompt has the description; three always, three never; one in every
/// second attempt; three statements are wrong in their grammar, in a name, and when they run.
const CASES: [(&str, usize); 7] = [
    ("needs the description", 6),
    ("always right", 3),
    ("never right", 3),
    ("right at times", 1),
    ("wrong grammar", 1),
    ("unknown name", 1),
    ("fails when it runs", 1),
];

const SCRIPT: &str = r#"[
  {"match": "right at times", "sequence": true, "replies": [
     {"sql": "SELECT count(*) FROM customers"}, {"sql": "SELECT count(*) FROM orders"},
     {"sql": "SELECT count(*) FROM customers"}, {"sql": "SELECT count(*) FROM orders"}]},
  {"match": "always right", "replies": [{"sql": "SELECT count(*) FROM customers"}]},
  {"match": "never right", "replies": [{"sql": "SELECT count(*) FROM orders"}]},
  {"match": "wrong grammar", "replies": [{"sql": "SELECT count(* FROM customers"}]},
  {"match": "unknown name", "replies": [{"sql": "SELECT count(nothing) FROM customers"}]},
  {"match": "fails when it runs", "replies": [{"sql": "SELECT count(*) / (count(*) - 40) FROM customers"}]},
  {"match": "people who buy", "replies": [{"sql": "SELECT count(*) FROM customers"}]},
  {"replies": [{"sql": "SELECT count(*) FROM orders"}]}
]"#;

fn evaluated(double: &ModelDouble) -> (TestDatabase, Client) {
    let database = TestDatabase::new("evaluation_measures");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.describe('customers', 'people who buy');
             SELECT text2sql.grant_access('t2s_analyst', 'evaluation')",
        )
        .unwrap();
    let mut analyst = database.analyst();
    for (what, count) in CASES {
        for number in 0..count {
            let level = if what.starts_with("needs") {
                "complex"
            } else {
                "simple"
            };
            let style = if number % 2 == 0 {
                "plain"
            } else {
                "colloquial"
            };
            analyst
                .execute(
                    "SELECT text2sql_eval.add_case('thesis', $1, 'SELECT count(*) FROM customers', level => $2, style => $3,
                         tags => ARRAY[$4::text])",
                    &[&format!("Question {number}: {what}?"), &level, &style, &what],
                )
                .unwrap();
        }
    }
    analyst
        .batch_execute(
            r#"SET client_min_messages = warning; SET text2sql.tuning = '{"max_repairs": 0, "without": ["second_look"]}'"#,
        )
        .unwrap();
    analyst
        .batch_execute(
            r#"CALL text2sql_eval.evaluate('thesis', variants => '{"plain schema": {"without": ["descriptions", "comments"]}}', repeats => 2)"#,
        )
        .unwrap();
    (database, analyst)
}

fn lines(client: &mut Client, sql: &str) -> Vec<String> {
    let rows = client.query(sql, &[]).unwrap();
    let text = |row: &postgres::Row| {
        let fields = (0..row.len()).map(|field| row.get::<_, Option<String>>(field));
        let fields: Vec<String> = fields
            .map(|field| field.unwrap_or_else(|| "-".to_owned()))
            .collect();
        fields.join(" | ")
    };
    rows.iter().map(text).collect()
}

#[test]
fn figures_of_a_model_whose_answers_are_known() {
    let double = ModelDouble::start(Script::from_json(SCRIPT).unwrap()).unwrap();
    let (database, mut analyst) = evaluated(&double);

    // 9.5 of 16 and 3.5 of 16; the runs differ by the question that is right at times.
    let found = lines(
        &mut analyst,
        "SELECT variant, measure, cases::text, runs::text, round(mean::numeric, 4)::text, round(minimum::numeric, 4)::text,
                round(maximum::numeric, 4)::text
           FROM text2sql_eval.measures(ARRAY(SELECT evaluation_id FROM text2sql_eval._variants ORDER BY 1), by => '{variant}')
          WHERE measure IN ('accuracy', 'valid_syntax', 'valid_names', 'valid', 'em_tables')",
    );
    let expected = [
        "as it is | accuracy | 16 | 2 | 0.5938 | 0.5625 | 0.6250",
        "as it is | valid_syntax | 16 | 2 | 0.9375 | 0.9375 | 0.9375",
        "as it is | valid_names | 16 | 2 | 0.8750 | 0.8750 | 0.8750",
        "as it is | valid | 16 | 2 | 0.8125 | 0.8125 | 0.8125",
        // 15 statements can be read: three read another table, and one does so in half of its attempts.
        "as it is | em_tables | 15 | 2 | 0.7667 | 0.7333 | 0.8000",
        "plain schema | accuracy | 16 | 2 | 0.2188 | 0.1875 | 0.2500",
        "plain schema | valid_syntax | 16 | 2 | 0.9375 | 0.9375 | 0.9375",
        "plain schema | valid_names | 16 | 2 | 0.8750 | 0.8750 | 0.8750",
        "plain schema | valid | 16 | 2 | 0.8125 | 0.8125 | 0.8125",
        "plain schema | em_tables | 15 | 2 | 0.3667 | 0.3333 | 0.4000",
    ];
    assert_eq!(found, expected);

    // Six cases differ, all in one direction: McNemar's mid-p is 1/64, Wilcoxon's p 2/64.
    let found = lines(
        &mut analyst,
        "SELECT measure, test, cases::text, more::text, less::text, round(difference::numeric, 4)::text, round(p::numeric, 6)::text,
                round(p_holm::numeric, 6)::text
           FROM text2sql_eval.compare((SELECT min(baseline) FROM text2sql_eval._variants))
          WHERE measure IN ('accuracy', 'valid', 'em_tables')",
    );
    let expected = [
        "accuracy | McNemar | 16 | 0 | 6 | -0.3750 | 0.015625 | 0.015625",
        "valid | McNemar | 16 | 0 | 0 | 0.0000 | 1.000000 | 1.000000",
        "em_tables | Wilcoxon | 15 | 0 | 6 | -0.4000 | 0.031250 | 0.031250",
    ];
    assert_eq!(found, expected);

    // The table of the first thesis: variants by level and style.
    let found = lines(
        &mut analyst,
        "SELECT variant, level, style, cases::text, round(mean::numeric, 2)::text
           FROM text2sql_eval.measures(ARRAY(SELECT evaluation_id FROM text2sql_eval._variants ORDER BY 1), by => '{variant,level,style}')
          WHERE measure = 'ex'",
    );
    let expected = [
        "as it is | simple | colloquial | 2 | 0.50",
        "as it is | simple | plain | 8 | 0.31",
        "as it is | complex | colloquial | 3 | 1.00",
        "as it is | complex | plain | 3 | 1.00",
        "plain schema | simple | colloquial | 2 | 0.50",
        "plain schema | simple | plain | 8 | 0.31",
        "plain schema | complex | colloquial | 3 | 0.00",
        "plain schema | complex | plain | 3 | 0.00",
    ];
    assert_eq!(found, expected);

    // The table of the fifth: a model on a suite, on average and in the best run.
    let found = lines(
        &mut analyst,
        "SELECT suite, model, cases::text, runs::text, measure, round(mean::numeric, 4)::text, round(maximum::numeric, 4)::text
           FROM text2sql_eval.measures(by => '{suite,model,variant}')
          WHERE variant = 'as it is' AND measure IN ('valid_syntax', 'valid_names', 'valid', 'accuracy') ORDER BY measure DESC",
    );
    let model = "SELECT configured -> 'model' ->> 'model' FROM text2sql_eval.evaluations LIMIT 1";
    let model = lines(&mut analyst, model).join("");
    let expected = [
        "valid_syntax | 0.9375",
        "valid_names | 0.8750",
        "valid | 0.8125",
        "accuracy | 0.5938",
    ];
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let expected = format!("thesis | {model} | 16 | 2 | {expected}");
        assert!(found.starts_with(&expected), "{found}");
    }

    // 30 statements can be read; seven of them read another table.
    let found = lines(
        &mut analyst,
        "SELECT statements::text, wrong::text FROM text2sql_eval.element_errors(
             ARRAY(SELECT baseline FROM text2sql_eval._variants LIMIT 1)) WHERE element = 'tables'",
    );
    assert_eq!(found, ["30 | 7"]);

    // Filters: of figures that are there, and of what is asked.
    let found = lines(
        &mut analyst,
        "SELECT cases::text, mean::text FROM text2sql_eval.measures(ARRAY(SELECT min(baseline) FROM text2sql_eval._variants),
             levels => '{simple}', tags => '{\"always right\",\"needs the description\"}') WHERE measure = 'accuracy'",
    );
    assert_eq!(found, ["3 | 1"]);
    analyst
        .batch_execute("CALL text2sql_eval.evaluate('thesis', name => 'some', levels => '{complex}', styles => '{plain}')")
        .unwrap();
    let found = lines(
        &mut analyst,
        "SELECT cases::text, cases_right::text FROM text2sql_eval.evaluations WHERE name = 'some'",
    );
    assert_eq!(found, ["3 | 3"]);
    let (_, refused, _) = error_of(
        &mut analyst,
        "CALL text2sql_eval.evaluate('thesis', levels => '{hard}')",
    );
    assert_eq!(refused, "suite \"thesis\" has no such cases");

    // The report has all of it.
    let page = lines(
        &mut analyst,
        "SELECT text2sql_eval.report((SELECT min(baseline) FROM text2sql_eval._variants))",
    )
    .join("");
    for expected in [
        "Metrics of the variants",
        "By level and style",
        "Elements that differ",
        "Significance",
        "0.0156",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    drop(database);
}

/// Four answers that two persons judged: kappa by hand.
#[test]
fn labels_of_people_and_how_much_judges_agree_with_them() {
    let double = ModelDouble::start(Script::from_json(SCRIPT).unwrap()).unwrap();
    let database = TestDatabase::new("evaluation_labels");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute("SELECT text2sql.grant_access('t2s_analyst', 'evaluation')")
        .unwrap();
    let mut analyst = database.analyst();
    analyst
        .batch_execute(
            "SET client_min_messages = warning;
             SET text2sql.tuning = '{\"max_repairs\": 0}';
             SELECT text2sql_eval.add_case('s', 'Question ' || n || CASE WHEN n = 1 THEN ': always right?' ELSE ': never right?' END,
                                           'SELECT count(*) FROM customers') FROM generate_series(1, 4) AS n",
        )
        .unwrap();
    analyst
        .batch_execute("CALL text2sql_eval.evaluate('s')")
        .unwrap();
    // A person says yes, yes, no, no; the gold says yes, no, no, no.
    analyst
        .batch_execute(
            "SELECT text2sql_eval.label(evaluation_id, case_id, 'right', key IN (SELECT key FROM text2sql_eval.results ORDER BY case_id LIMIT 2))
               FROM text2sql_eval.results",
        )
        .unwrap();
    let agreement = "SELECT measure, other, answers::text, agreement::text, kappa::text FROM text2sql_eval.judge_agreement";
    assert_eq!(
        lines(&mut analyst, agreement),
        ["right | gold | 4 | 0.75 | 0.5"]
    );
    // A model's opinion compared with those of people: 2 of 3 agree.
    admin
        .batch_execute("UPDATE text2sql_eval.results SET faithfulness = CASE WHEN case_id % 2 = 0 THEN 1 ELSE 0.5 END, answer_relevancy = 0.7")
        .unwrap();
    analyst
        .batch_execute(
            "SELECT text2sql_eval.label(evaluation_id, case_id, 'faithfulness', case_id % 2 = 0) FROM text2sql_eval.results",
        )
        .unwrap();
    let of_judge = "SELECT other, answers::text, kappa::text FROM text2sql_eval.judge_agreement WHERE measure = 'faithfulness'";
    assert_eq!(lines(&mut analyst, of_judge), ["m | 4 | 1"]);
    // Invalid labels, and an answer that does not exist.
    for (call, message) in [
        (
            "label(1, 1, 'good', true)",
            "answers are not labelled by \"good\"",
        ),
        (
            "label(99, 1, 'right', true)",
            "evaluation 99 has no answer for attempt 1 at case 1",
        ),
        (
            "statistic('kappa', '{\"one\": [\"a\"], \"other\": [\"a\", \"b\"]}')",
            "1 labels and 2 labels are not of the same items",
        ),
    ] {
        let (_, said, _) = error_of(&mut analyst, &format!("SELECT text2sql_eval.{call}"));
        assert_eq!(said, message);
    }
    analyst
        .batch_execute("SELECT text2sql_eval.label(evaluation_id, case_id, 'right', NULL) FROM text2sql_eval.results")
        .unwrap();
    let left = lines(
        &mut analyst,
        "SELECT DISTINCT measure FROM text2sql_eval.labels",
    );
    assert_eq!(left, ["faithfulness"]);
    // They go with their evaluation.
    analyst
        .batch_execute("DELETE FROM text2sql_eval._evaluations")
        .unwrap();
    assert!(lines(&mut admin, "SELECT measure FROM text2sql_eval.labels").is_empty());
}

/// A judge over all answers whose opinions are known, repairs that are counted, and vectors of statements and sentences.
#[test]
fn a_judge_gives_an_opinion_on_every_result_and_is_compared_with_the_gold() {
    let rules = serde_json::json!([
        {"match": "as customers from orders", "replies": [{"relevance": 0.8, "reason": "It counts."}]},
        {"match": "it gave", "replies": [{"relevance": 0.9, "reason": "It counts."}]},
        {"match": "Right first", "replies": [{"sql": "SELECT count(*) AS customers FROM customers"}]},
        {"match": "Right later", "replies": [
            {"sql": "SELECT count(*) FROM custmers_of_all"}, {"sql": "SELECT count(*) AS customers FROM customers"}]},
        {"match": "Elsewhere", "replies": [{"sql": "SELECT count(*) AS customers FROM orders"}]},
    ]);
    let double = ModelDouble::start(Script::from_json(&rules.to_string()).unwrap()).unwrap();
    let database = TestDatabase::new("evaluation_judge");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute("SELECT text2sql.grant_access('t2s_analyst', 'evaluation')")
        .unwrap();
    let mut analyst = database.analyst();
    analyst
        .batch_execute(
            "SET client_min_messages = warning;
             SELECT text2sql_eval.add_case('s', q, 'SELECT count(*) FROM customers', style => q) FROM unnest('{Right first,Right later,Elsewhere}'::text[]) AS q",
        )
        .unwrap();
    analyst
        .batch_execute(
            "CALL text2sql_eval.evaluate('s', settings => '{\"judged\": true, \"vectors\": true, \"max_repairs\": 1, \"repair_on\": \"errors\"}')",
        )
        .unwrap();
    let found = "SELECT question, verdict, relevance::text, judge_calls::text, repairs::text,
                        (vector_similarity > 0.99)::text, (sentence_relevancy BETWEEN -1 AND 1)::text
                   FROM text2sql_eval.results ORDER BY case_id";
    assert_eq!(
        lines(&mut analyst, found),
        [
            "Right first | right | 0.9 | 1 | 0 | false | true",
            "Right later | right | 0.9 | 1 | 1 | false | true",
            "Elsewhere | wrong | 0.8 | 1 | 0 | false | true",
        ]
    );
    // The nearer statement has the nearer vector.
    let nearer = "SELECT (max(vector_similarity) FILTER (WHERE verdict = 'wrong') < min(vector_similarity) FILTER (WHERE verdict = 'right'))::text
                    FROM text2sql_eval.results";
    assert_eq!(lines(&mut analyst, nearer), ["true"]);
    // It finds all three right, the gold two: with one opinion only, there is no agreement beyond chance.
    let agreement = "SELECT measure, one, other, answers::text, round(agreement::numeric, 2)::text FROM text2sql_eval.judge_agreement";
    assert_eq!(
        lines(&mut analyst, agreement),
        ["right | m | gold | 3 | 0.67"]
    );
    let means = "SELECT round(relevance::numeric, 2)::text, round(mean_repairs::numeric, 2)::text FROM text2sql_eval.evaluations";
    assert_eq!(lines(&mut analyst, means), ["0.87 | 0.33"]);
    // Two phrasings of one question, within the evaluation.
    let phrasings = |styles: &str| {
        format!(
            "SELECT measure, cases::text, baseline_mean::text, candidate_mean::text, more::text, less::text
               FROM text2sql_eval.compare(1, phrasings => '{styles}') WHERE measure IN ('accuracy', 'repairs') ORDER BY measure"
        )
    };
    assert_eq!(
        lines(&mut analyst, &phrasings("{Right later,Elsewhere}")),
        [
            "accuracy | 1 | 1 | 0 | 0 | 1",
            "repairs | 1 | 1 | 0 | 0 | 1"
        ]
    );
    assert!(lines(&mut analyst, &phrasings("{Right later,formal}")).is_empty());
    for wrong in ["{a}", "{a,a}", "{a,b,c}"] {
        assert_eq!(
            error_of(&mut analyst, &phrasings(wrong)).0,
            "22023",
            "{wrong}"
        );
    }
}
