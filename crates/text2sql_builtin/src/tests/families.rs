//! Tables of which there is one for each brand or each year.

use super::*;

/// A publisher: contents, their tags and their calls for each of three brands, and prints for each year; authors are of all.
fn publisher() -> Vec<Arc<Table>> {
    let mut all = tables(
        "
        90 authors: author_id int pk, name text
        91 ref_colours: code int pk, name text, label text, sort int
        92 ref_shapes: code int pk, name text, label text, sort int
        93 ref_sizes: code int pk, name text, label text, sort int
        94 prints_2024: print_id int pk, copies int, printed_on date
        95 prints_2025: print_id int pk, copies int, printed_on date
        ",
    );
    for (at, brand) in ["bergblick", "tierwelt", "gartenglueck"].iter().enumerate() {
        let at = u32::try_from(at).unwrap();
        let mut content = table(
            100 + at,
            &format!("csp_content__{brand}"),
            "content_id int pk, title text, published_on date, author_id int",
        );
        content.synonyms = vec!["articles".to_owned(), "Artikel".to_owned()];
        content.foreign_keys.push(key("author_id", 90, "authors"));
        all.push(content);
        let mut tags = table(
            110 + at,
            &format!("csp_content_tags__{brand}"),
            "content_id int pk, tag text pk",
        );
        tags.foreign_keys.push(key(
            "content_id",
            100 + at,
            &format!("csp_content__{brand}"),
        ));
        tags.synonyms = vec!["tags".to_owned()];
        all.push(tags);
    }
    all.into_iter().map(Arc::new).collect()
}

fn key(column: &str, target: u32, name: &str) -> ForeignKey {
    ForeignKey {
        columns: vec![column.to_owned()],
        target,
        target_schema: "public".to_owned(),
        target_name: name.to_owned(),
        target_columns: vec![column.to_owned()],
        is_taught: false,
    }
}

#[test]
fn a_family_is_one_table_and_a_brand_one_of_it() {
    let tables = publisher();
    golden_text::check(
        &expect_file!["golden/families.txt"],
        |question| match propose(question, &tables, &[], TODAY) {
            Proposal::Sql(answer) => {
                let notes = answer.notes.iter().map(|note| format!("\nnote: {note}"));
                format!("{}{}", answer.sql, notes.collect::<String>())
            }
            Proposal::Ambiguous { question, readings } => {
                format!("asks back: {question} {}", readings.join(" | "))
            }
            Proposal::Unanswerable { reason, .. } => format!("declines: {reason}"),
        },
    );
}

#[test]
fn what_is_taught_of_a_member_keeps_it_a_table() {
    let definition = Definition {
        term: "wildlife reader".to_owned(),
        meaning: "an article of that brand".to_owned(),
        sql_expression: Some("count(*)".to_owned()),
        applies_to: Some(101),
        ..Definition::default()
    };
    let proposal = propose(
        "How many articles are there?",
        &publisher(),
        &[definition],
        TODAY,
    );
    assert!(
        !format!("{proposal:?}").contains("UNION ALL"),
        "{proposal:?}"
    );
}

#[test]
fn what_is_rarely_useful_is_read_where_it_is_named() {
    let mut parcels = table(
        50,
        "parcels",
        "parcel_id int pk, loaded_on date, weighed_on date",
    );
    parcels.columns[1].is_rarely_useful = true;
    let tables = vec![Arc::new(parcels)];
    let sql = |question: &str| answer(question, &tables);
    let year = sql("How many parcels in 2025?");
    assert!(year.contains("weighed_on >="), "{year}");
    let columns = |question: &str| {
        let seen = crate::families::united(question, &tables, &[]);
        seen[0].columns.len()
    };
    assert_eq!(columns("How many parcels in 2025?"), 2);
    assert_eq!(columns("How many parcels were loaded in 2025?"), 3);
}
