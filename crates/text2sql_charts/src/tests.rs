//! Results with their charts.

use std::fmt::Write as _;

use expect_test::{Expect, expect, expect_file};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{Chart, ChartRequest, Kind, STYLE, chart};

fn request(columns: &[(&str, &str)], rows: &[Value]) -> ChartRequest {
    let columns: Vec<_> = columns
        .iter()
        .map(|(name, data_type)| json!({"name": name, "type": data_type}))
        .collect();
    // Each row is an array of values; in a result it is an object.
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let mut text = String::from("{");
            for (index, value) in row.as_array().into_iter().flatten().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                let _ = write!(text, "{comma}\"c{index}\":{value}");
            }
            text.push('}');
            text
        })
        .collect();
    let text = format!(
        r#"{{"result_columns":{},"result_rows":[{}]}}"#,
        Value::Array(columns),
        rows.join(",")
    );
    serde_json::from_str(&text).expect("a request")
}

fn said(found: &Chart) -> String {
    let kinds: Vec<_> = found
        .kinds
        .iter()
        .map(|kind| format!("{kind:?}").to_lowercase())
        .collect();
    format!("[{}] {}", kinds.join(" "), found.reason)
}

fn check(columns: &[(&str, &str)], rows: &[Value], expected: Expect) {
    let mut request = request(columns, rows);
    let english = said(&chart(&request));
    request.language = Some(text2sql_phrases::Language::named("de").unwrap_or_default());
    let german = said(&chart(&request));
    let german = german.split_once("] ").unwrap_or_default().1;
    expected.assert_eq(&format!("{english}\n{german}"));
}

const REVENUE: &[(&str, &str)] = &[("store", "text"), ("revenue", "numeric(12,2)")];

fn stores(count: usize) -> Vec<Value> {
    (0..count)
        .map(|number| json!([format!("Store {number}"), number * 10]))
        .collect()
}

fn months(count: usize) -> Vec<Value> {
    (0..count)
        .map(|number| {
            json!([
                format!("20{:02}-{:02}-01", 20 + number / 12, number % 12 + 1),
                (number * 37) % 100
            ])
        })
        .collect()
}

#[test]
fn a_category_with_a_measure_is_bars() {
    check(
        REVENUE,
        &stores(5),
        expect![[r#"
        [bar point] Bars, because “store” has 5 values, each with a number in “revenue”.
        Balken, weil „store“ 5 Werte hat, jeder mit einer Zahl in „revenue“."#]],
    );
}

#[test]
fn times_with_measures_are_lines() {
    check(
        &[("month", "date"), ("orders", "bigint")],
        &months(12),
        expect![[r#"
            [line bar point] A line, because “month” has 12 points in time.
            Eine Linie, weil „month“ 12 Zeitpunkte hat."#]],
    );
    check(
        &[("month", "date"), ("orders", "bigint")],
        &months(60),
        expect![[r#"
            [line point] A line, because “month” has 60 points in time.
            Eine Linie, weil „month“ 60 Zeitpunkte hat."#]],
    );
    check(
        &[("month", "date"), ("orders", "bigint")],
        &months(2),
        expect![[r#"
            [bar point] Bars, because “month” has only 2 points in time.
            Balken, weil „month“ nur 2 Zeitpunkte hat."#]],
    );
    let years: Vec<_> = (2019..2025).map(|year| json!([year, year * 3])).collect();
    check(
        &[("year", "integer"), ("orders", "bigint")],
        &years,
        expect![[r#"
            [line bar point] A line, because “year” has 6 points in time.
            Eine Linie, weil „year“ 6 Zeitpunkte hat."#]],
    );
    let both: Vec<_> = ["2024-01-01", "2024-02-01", "2024-03-01"]
        .into_iter()
        .flat_map(|month| ["Graz", "Wien"].map(|store| json!([month, store, 5])))
        .collect();
    check(
        &[
            ("month", "timestamp with time zone"),
            ("store", "text"),
            ("orders", "bigint"),
        ],
        &both,
        expect![[r#"
            [line groupedbar stackedbar point] 2 lines, because “month” has 3 points in time.
            2 Linien, weil „month“ 3 Zeitpunkte hat."#]],
    );
}

#[test]
fn two_categories_are_grouped_bars_or_one_name() {
    let regions: Vec<_> = ["North", "South", "West"]
        .into_iter()
        .flat_map(|region| ["new", "returning"].map(|kind| json!([region, kind, 7])))
        .collect();
    check(
        &[
            ("region", "text"),
            ("customers", "customer_kind"),
            ("orders", "bigint"),
        ],
        &regions,
        expect![[r#"
            [groupedbar stackedbar point] Grouped bars, because “region” has 3 values, each with 2 numbers.
            Gruppierte Balken, weil „region“ 3 Werte hat, jeder mit 2 Zahlen."#]],
    );
    let people: Vec<_> = (0..9)
        .map(|number| {
            json!([
                format!("First {}", number % 4),
                format!("Last {number}"),
                number
            ])
        })
        .collect();
    check(
        &[
            ("first_name", "text"),
            ("last_name", "text"),
            ("orders", "bigint"),
        ],
        &people,
        expect![[r#"
            [bar point] Bars, because “last_name” has 9 values, each with a number in “orders”.
            Balken, weil „last_name“ 9 Werte hat, jeder mit einer Zahl in „orders“."#]],
    );
}

#[test]
fn measures_of_different_units_share_no_axis() {
    let rows: Vec<_> = (1..6)
        .map(|number| json!([format!("Store {number}"), number, number * 1000, 0.1]))
        .collect();
    check(
        &[
            ("store", "text"),
            ("orders", "bigint"),
            ("revenue", "numeric"),
            ("share", "numeric"),
        ],
        &rows,
        expect![[r#"
            [bar point] Bars, because “store” has 5 values, each with a number in “orders”. Not shown, because one axis would mislead: “revenue”, “share”.
            Balken, weil „store“ 5 Werte hat, jeder mit einer Zahl in „orders“. Nicht gezeigt, weil eine gemeinsame Achse täuschen würde: „revenue“, „share“."#]],
    );
    let same: Vec<_> = (1..6)
        .map(|n| json!([format!("Store {n}"), n, n * 2]))
        .collect();
    check(
        &[
            ("store", "text"),
            ("orders", "bigint"),
            ("returns", "bigint"),
        ],
        &same,
        expect![[r#"
            [groupedbar point] Grouped bars, because “store” has 5 values, each with 2 numbers.
            Gruppierte Balken, weil „store“ 5 Werte hat, jeder mit 2 Zahlen."#]],
    );
}

#[test]
fn two_measures_are_points() {
    let rows: Vec<_> = (0..40)
        .map(|number| json!([format!("Customer {number}"), number, number * number]))
        .collect();
    check(
        &[
            ("customer", "text"),
            ("orders", "bigint"),
            ("revenue", "numeric"),
        ],
        &rows,
        expect![[r#"
            [point] Points, because each of 40 rows has two numbers, “orders” and “revenue”.
            Punkte, weil jede von 40 Zeilen zwei Zahlen hat, „orders“ und „revenue“."#]],
    );
    let pairs: Vec<_> = (0..10)
        .map(|n| json!([n, null]))
        .chain((0..10).map(|n| json!([n, n])))
        .collect();
    check(
        &[("price", "numeric"), ("weight", "numeric")],
        &pairs,
        expect![[r#"
            [point] Points, because each of 10 rows has two numbers, “price” and “weight”. 10 rows have no value here and are not shown.
            Punkte, weil jede von 10 Zeilen zwei Zahlen hat, „price“ und „weight“. 10 Zeilen haben hier keinen Wert und fehlen."#]],
    );
}

#[test]
fn what_would_mislead_has_no_chart() {
    check(
        REVENUE,
        &[],
        expect![[r#"
        [] No chart: there are no rows.
        Kein Diagramm: Es gibt keine Zeilen."#]],
    );
    check(
        REVENUE,
        &stores(1),
        expect![[r#"
        [] No chart: a single row is read faster than a chart.
        Kein Diagramm: Eine einzelne Zeile liest sich schneller als ein Diagramm."#]],
    );
    check(
        REVENUE,
        &stores(31),
        expect![[r#"
        [] No chart: “store” has 31 values, and more than 30 bars cannot be read.
        Kein Diagramm: „store“ hat 31 Werte, und mehr als 30 Balken sind nicht lesbar."#]],
    );
    check(
        &[("store", "text"), ("city", "text")],
        &[json!(["a", "b"]), json!(["c", "d"])],
        expect![[r#"
            [] No chart: no column has numbers to compare.
            Kein Diagramm: Keine Spalte hat Zahlen zum Vergleichen."#]],
    );
    check(
        &[("store", "text"), ("store_id", "integer")],
        &stores(5),
        expect![[r#"
            [] No chart: the numbers are only names of things, such as ids.
            Kein Diagramm: Die Zahlen sind nur Kennungen, zum Beispiel Nummern."#]],
    );
    check(
        &[("a", "integer")],
        &[json!([1]), json!([2])],
        expect![[r#"
        [] No chart: there are too few values to compare, or nothing to compare them by.
        Kein Diagramm: Es gibt zu wenige Werte, oder nichts, wonach sie zu vergleichen wären."#]],
    );
    check(
        &[
            ("store", "text"),
            ("currency", "text"),
            ("revenue", "numeric"),
        ],
        &[json!(["a", "EUR", 1]), json!(["b", "CHF", 2])],
        expect![[r#"
            [] No chart: “currency” says that the numbers are in different units.
            Kein Diagramm: Laut „currency“ haben die Zahlen verschiedene Einheiten."#]],
    );
    check(
        REVENUE,
        &[json!(["a", null]), json!(["b", null]), json!(["c", 2])],
        expect![[r#"
            [] No chart: most values of “revenue” are missing.
            Kein Diagramm: Die meisten Werte von „revenue“ fehlen."#]],
    );
    check(
        REVENUE,
        &[json!(["a", 1]), json!(["a", 3]), json!(["c", 2])],
        expect![[r#"
            [] No chart: several rows have the same “store”, and a chart would hide some.
            Kein Diagramm: Mehrere Zeilen haben dasselbe in „store“, und ein Diagramm würde einige verdecken."#]],
    );
    let stores: Vec<_> = (0..16)
        .map(|number| {
            json!([
                format!("2024-0{}-01", number / 8 + 1),
                format!("Store {}", number % 8),
                1
            ])
        })
        .collect();
    check(
        &[("month", "date"), ("store", "text"), ("orders", "bigint")],
        &stores,
        expect![[r#"
            [] No chart: “store” has 8 values, and more than 7 lines cannot be told apart.
            Kein Diagramm: „store“ hat 8 Werte, und mehr als 7 Linien sind nicht zu unterscheiden."#]],
    );
}

#[test]
fn a_kind_that_does_not_fit_is_not_drawn() {
    let mut request = request(REVENUE, &stores(5));
    request.kind = Some(Kind::Line);
    assert_eq!(chart(&request).kind, Some(Kind::Bar));
    request.kind = Some(Kind::Point);
    assert_eq!(chart(&request).kind, Some(Kind::Point));
}

/// As JavaScript writes an object whose names are numbers.
#[test]
fn names_of_values_count_and_not_their_order() {
    let text = r#"{
        "result_columns": [{"name": "store", "type": "text"}, {"name": "2024", "type": "bigint"},
            {"name": "n", "type": "bigint"}, {"name": "n", "type": "bigint"}],
        "result_rows": [{"2024": 7, "n_2": 3, "n": 2, "store": "Graz"}, {"2024": 5, "n_2": 4, "n": 1, "store": "Wien"}]
    }"#;
    let request: ChartRequest = serde_json::from_str(text).expect("a request");
    let svg = chart(&request).svg.unwrap_or_default();
    for title in ["Graz, 2024: 7", "Wien, n: 1", "Wien, n: 4"] {
        assert!(svg.contains(title), "{title} is not in {svg}");
    }
}

#[test]
fn a_cut_result_says_so() {
    let mut request = request(REVENUE, &stores(5));
    request.truncated = true;
    assert!(chart(&request).reason.contains("only the first"));
}

/// What is drawn, as files that a browser shows.
#[test]
fn drawings() {
    let draw = |name: &str, request: &ChartRequest| {
        let svg = chart(request).svg.unwrap_or_default();
        let path = format!("{}/src/golden/{name}.svg", env!("CARGO_MANIFEST_DIR"));
        expect_file![path].assert_eq(&svg);
    };
    let bars = request(
        REVENUE,
        &[
            json!(["München Sendlinger Tor", 283506.27]),
            json!(["東京都渋谷区神南一丁目の店", 120000]),
            json!(["متجر القاهرة", -45000.5]),
            json!([null, 12]),
            json!(["", 0]),
            json!([
                "<img src=x onerror=alert(1)> a name that is much longer than there is room for",
                1e5
            ]),
            json!(["no revenue", null]),
        ],
    );
    draw("bars", &bars);
    draw(
        "bars_narrow_german",
        &ChartRequest {
            width: Some(360),
            language: Some(text2sql_phrases::Language::named("de").unwrap_or_default()),
            title: Some("Wie hoch ist der Umsatz?".to_owned()),
            ..bars.clone()
        },
    );
    draw(
        "dots",
        &ChartRequest {
            kind: Some(Kind::Point),
            ..bars
        },
    );
    let grouped: Vec<_> = ["North", "South", "West"]
        .into_iter()
        .enumerate()
        .flat_map(|(index, region)| {
            ["new", "returning", "lost"]
                .map(|kind| json!([region, kind, (index * 7 + kind.len() * 3) as i64 - 10]))
        })
        .collect();
    let grouped = request(
        &[("region", "text"), ("kind", "text"), ("orders", "bigint")],
        &grouped,
    );
    draw("grouped_bars", &grouped);
    let parts: Vec<_> = ["North", "South", "West"]
        .into_iter()
        .enumerate()
        .flat_map(|(index, region)| {
            ["new", "returning", "lost"]
                .map(|kind| json!([region, kind, index * 7 + kind.len() * 3]))
        })
        .collect();
    draw(
        "stacked_bars",
        &ChartRequest {
            kind: Some(Kind::StackedBar),
            ..request(
                &[("region", "text"), ("kind", "text"), ("orders", "bigint")],
                &parts,
            )
        },
    );
    let mut series: Vec<Value> = months(18)
        .into_iter()
        .map(|mut row| {
            let copy = row[1].clone();
            row.as_array_mut()
                .expect("a row")
                .push(json!(copy.as_i64().unwrap_or(0) / 2 + 20));
            row
        })
        .collect();
    series[7][1] = Value::Null;
    series[9][1] = Value::Null;
    let lines = request(
        &[
            ("month", "date"),
            ("orders", "bigint"),
            ("returns", "bigint"),
        ],
        &series,
    );
    draw("lines", &lines);
    draw(
        "lines_german_narrow",
        &ChartRequest {
            width: Some(340),
            language: Some(text2sql_phrases::Language::named("de").unwrap_or_default()),
            ..lines.clone()
        },
    );
    draw(
        "time_bars",
        &ChartRequest {
            kind: Some(Kind::GroupedBar),
            ..lines
        },
    );
    let minutes: Vec<_> = (0..30)
        .map(|n| {
            json!([
                format!(
                    "2024-03-01T{:02}:{:02}:00.5+01:00",
                    22 + n / 15,
                    (n % 15) * 4
                ),
                9.1e15 + f64::from(n) * 1e13
            ])
        })
        .collect();
    draw(
        "huge_values",
        &request(
            &[
                ("at", "timestamp(3) with time zone"),
                ("bytes", "double precision"),
            ],
            &minutes,
        ),
    );
    let bc: Vec<_> = (1..8)
        .map(|n| json!([format!("{:04}-01-01 BC", n * 100), f64::from(n) * 1e-9]))
        .collect();
    draw(
        "before_christ_tiny_values",
        &request(&[("founded", "date"), ("weight", "real")], &bc),
    );
    let pairs: Vec<_> = (0..40)
        .map(|n| {
            json!([
                format!("Customer {n}"),
                (n * 13) % 29,
                f64::from((n * 31) % 97) / 7.0
            ])
        })
        .collect();
    draw(
        "points",
        &request(
            &[
                ("customer", "text"),
                ("orders", "bigint"),
                ("rating", "numeric"),
            ],
            &pairs,
        ),
    );
}

#[test]
fn a_chart_has_classes_and_no_styles() {
    for golden in
        std::fs::read_dir(format!("{}/src/golden", env!("CARGO_MANIFEST_DIR"))).expect("drawings")
    {
        let svg = std::fs::read_to_string(golden.expect("a file").path()).expect("a drawing");
        for refused in [
            "style=",
            "fill=",
            "stroke=",
            "font-",
            "<script",
            "<img",
            "href",
            "onerror=\"",
        ] {
            assert!(!svg.contains(refused), "{refused}");
        }
        for class in svg
            .split("class=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
        {
            assert!(class == "chart" || class.starts_with("chart-"), "{class}");
            assert!(
                STYLE.contains(&format!(".{class}")),
                "the style sheet has no {class}"
            );
        }
    }
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("[1]".to_owned()),
        Just("\"NaN\"".to_owned()),
        Just("\"infinity\"".to_owned()),
        Just("1e400".to_owned()),
        Just("-1.7976931348623157e308".to_owned()),
        Just("5e-324".to_owned()),
        Just("99999999999999999999999999999999999999.9999999999".to_owned()),
        any::<f64>()
            .prop_filter("finite", |n| n.is_finite())
            .prop_map(|n| n.to_string()),
        any::<i16>().prop_map(|n| n.to_string()),
        "\\PC{0,20}".prop_map(|text| Value::String(text).to_string()),
        any::<String>().prop_map(|text| Value::String(text).to_string()),
        (-4712_i32..12000, 0_u32..14, 0_u32..33).prop_map(|(y, m, d)| {
            let era = if y < 0 { " BC" } else { "" };
            format!("\"{:04}-{m:02}-{d:02}{era}\"", y.abs())
        }),
        (0_u32..25, 0_u32..61)
            .prop_map(|(h, m)| format!("\"2024-02-29T{h:02}:{m:02}:59.999999+05:30\"")),
    ]
}

fn data_type() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "text",
        "integer",
        "bigint",
        "numeric(10,2)",
        "double precision",
        "date",
        "timestamp with time zone",
        "timestamp without time zone",
        "boolean",
        "uuid",
        "jsonb",
        "integer[]",
        "mood",
        "money",
        "",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the result, there is a chart that can be parsed, or a reason.
    #[test]
    fn no_result_breaks_it(
        columns in prop::collection::vec((prop_oneof!["\\PC{0,8}", Just("year".to_owned()), Just("id".to_owned()), Just("currency".to_owned())], data_type()), 0..5),
        rows in prop::collection::vec(prop::collection::vec(cell(), 0..6), 0..45),
        width in prop::option::of(any::<u32>()),
        kind in prop::sample::select(vec!["bar", "grouped_bar", "stacked_bar", "line", "point"]),
        language in prop::sample::select(vec!["en", "de-AT", "xx", ""]),
    ) {
        let columns: Vec<_> = columns.iter().map(|(name, data_type)| json!({"name": name, "type": data_type})).collect();
        let rows: Vec<_> = rows.iter().map(|row| {
            let cells: Vec<_> = row.iter().enumerate().map(|(index, cell)| format!("\"c{index}\":{cell}")).collect();
            format!("{{{}}}", cells.join(","))
        }).collect();
        let text = format!(
            r#"{{"result_columns":{},"result_rows":[{}],"kind":"{kind}","language":"{language}"}}"#,
            Value::Array(columns), rows.join(",")
        );
        let mut request: ChartRequest = serde_json::from_str(&text).expect("a request");
        request.width = width;
        let found = chart(&request);
        prop_assert!(!found.reason.is_empty());
        prop_assert_eq!(found.kind.is_some(), found.svg.is_some());
        if let Some(svg) = found.svg {
            prop_assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
            prop_assert!(!svg.contains("NaN\"") && !svg.contains("style="));
        }
    }
}

#[test]
fn a_chart_speaks_a_made_up_language() {
    let rows: Vec<Value> = (1..=4)
        .map(|number| json!([format!("Store {number}"), number * 5000]))
        .collect();
    let file = include_str!("../../text2sql_phrases/tests/made_up.po");
    let mut request = request(REVENUE, &rows);
    request.language = Some(text2sql_phrases::Language::of_file("xx", file));
    let drawn = chart(&request);
    assert_eq!(drawn.reason, "Lau ko “store”: 4 ma “revenue”.");
    let svg = drawn.svg.unwrap_or_default();
    assert!(
        svg.contains("revenue vei store") && svg.contains("20&#39;000"),
        "{svg}"
    );
}
