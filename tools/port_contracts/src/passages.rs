//! The contract of [`PassageSearch`], and passages in memory.

use text2sql_domain::error::Error;
use text2sql_domain::passages::{
    FoundPassages, MAX_PASSAGES, Origin, Passage, PassageRequest, Place, TextProtection,
    TextSource, Within,
};
use text2sql_domain::ports::PassageSearch;

/// Passages in memory: the score is the share of the question's words of four letters and more in the text, title and
/// headings.
#[derive(Debug, Clone, Default)]
pub struct MemoryPassages {
    passages: Vec<(Passage, bool)>,
}

impl MemoryPassages {
    /// These passages, each with whether the caller may read it.
    pub fn new(passages: Vec<(Passage, bool)>) -> Self {
        Self { passages }
    }

    fn readable(&self) -> impl Iterator<Item = &Passage> {
        self.passages
            .iter()
            .filter(|(_, is_readable)| *is_readable)
            .map(|(passage, _)| passage)
    }
}

fn is_within(passage: &Passage, within: Within<'_>) -> bool {
    match (within, &passage.origin) {
        (Within::Everywhere | Within::Documents(None), Origin::Document { .. })
        | (Within::Everywhere, Origin::Row { .. }) => true,
        (Within::Documents(Some(wanted)), Origin::Document { source, .. }) => {
            source.as_deref() == Some(wanted)
        }
        (
            Within::Rows {
                table: wanted,
                keys,
            },
            Origin::Row { table, key, .. },
        ) => {
            let key: Vec<&str> = key.iter().map(|(_, value)| value.as_str()).collect();
            *table == wanted && keys.is_none_or(|keys| keys.iter().any(|wanted| *wanted == key))
        }
        _ => false,
    }
}

impl PassageSearch for MemoryPassages {
    fn has_texts(&self) -> Result<bool, Error> {
        Ok(self.readable().next().is_some())
    }

    fn text_sources(&self) -> Result<Vec<TextSource>, Error> {
        let mut sources: Vec<TextSource> = Vec::new();
        for passage in self.readable() {
            if let Origin::Row {
                table,
                schema,
                name,
                column,
                key,
            } = &passage.origin
            {
                let source = TextSource {
                    table: *table,
                    schema: schema.clone(),
                    name: name.clone(),
                    column: column.clone(),
                    key: key.iter().map(|(column, _)| column.clone()).collect(),
                };
                if !sources.contains(&source) {
                    sources.push(source);
                }
            }
        }
        Ok(sources)
    }

    fn search(&self, request: &PassageRequest<'_>) -> Result<FoundPassages, Error> {
        let question = format!("{} {}", request.question, request.names.join(" ")).to_lowercase();
        let words: Vec<&str> = question
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 3)
            .collect();
        let mut found: Vec<Passage> = self
            .readable()
            .filter(|passage| is_within(passage, request.within))
            .filter_map(|passage| {
                let title = passage.title.clone().unwrap_or_default();
                let text = format!(
                    "{title} {} {}",
                    passage.place.headings.join(" "),
                    passage.text
                )
                .to_lowercase();
                let hits = words.iter().filter(|word| text.contains(**word)).count();
                (hits > 0).then(|| Passage {
                    score: hits as f64 / words.len() as f64,
                    ..passage.clone()
                })
            })
            .collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score));
        found.truncate(request.limit.min(MAX_PASSAGES));
        Ok(FoundPassages {
            passages: found,
            ..FoundPassages::default()
        })
    }
}

/// OID of the table of [`passages_of_world`] in memory.
const REVIEWS: u32 = 16_500;

/// The passages of the contract: two documents and two rows, of each the second is not for the caller.
pub fn passages_of_world() -> Vec<(Passage, bool)> {
    let document = |id: i64, title: &str, text: &str| Passage {
        id,
        title: Some(title.to_owned()),
        place: Place {
            headings: Vec::new(),
            part: 1,
            parts: 1,
        },
        origin: Origin::Document {
            id,
            source: Some("handbook".to_owned()),
        },
        text: text.to_owned(),
        score: 0.0,
        similarity: None,
        protection: TextProtection::Open,
    };
    let review = |id: i64, text: &str| Passage {
        origin: Origin::Row {
            table: REVIEWS,
            schema: "shop".to_owned(),
            name: "reviews".to_owned(),
            column: "body".to_owned(),
            key: vec![("review_id".to_owned(), id.to_string())],
        },
        title: None,
        ..document(100 + id, "", text)
    };
    vec![
        (
            document(
                1,
                "Returns policy",
                "Jackets can be returned within thirty days if the zipper is broken.",
            ),
            true,
        ),
        (
            document(
                2,
                "Board minutes",
                "The zipper supplier is sued, keep it secret.",
            ),
            false,
        ),
        (review(1, "The zipper broke after two weeks."), true),
        (review(2, "A zipper of gold, returned by the king."), false),
    ]
}

/// What any search for passages must do, over [`passages_of_world`].
pub fn passage_search(search: &dyn PassageSearch) {
    assert!(search.has_texts().expect("whether there are texts"));
    let sources = search.text_sources().expect("text columns");
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert_eq!(
        (sources[0].name.as_str(), sources[0].column.as_str()),
        ("reviews", "body")
    );
    assert_eq!(sources[0].key, ["review_id"]);
    let table = sources[0].table;
    let find = |question: &str, limit: usize, within: Within<'_>| {
        let request = PassageRequest {
            limit,
            within,
            ..PassageRequest::new(question, limit)
        };
        search.search(&request).expect("passages").passages
    };
    let question = "Why is the zipper broken?";
    let found = find(question, 10, Within::Everywhere);
    assert_eq!(found.len(), 2, "what may be read, and no more: {found:?}");
    assert!(found.iter().all(|passage| passage.text.contains("zipper")));
    assert!(
        found
            .iter()
            .all(|passage| !passage.text.contains("secret") && !passage.text.contains("gold")),
        "{found:?}"
    );
    assert!(found[0].score >= found[1].score, "best first");
    assert!(found.iter().all(|passage| passage.place.part == 1));
    assert!(found.iter().all(|passage| !passage.citation().is_empty()));
    assert_eq!(find(question, 1, Within::Everywhere).len(), 1, "the limit");
    assert!(find(question, 0, Within::Everywhere).is_empty());
    assert!(find("", 10, Within::Everywhere).is_empty(), "no question");
    assert!(
        find("qwxzv", 10, Within::Everywhere).is_empty(),
        "nothing is related to it"
    );
    let only = |within: Within<'_>| find(question, 10, within);
    let documents = only(Within::Documents(Some("handbook")));
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0].title.as_deref(), Some("Returns policy"));
    assert!(only(Within::Documents(Some("another"))).is_empty());
    let rows = only(Within::Rows { table, keys: None });
    assert_eq!(rows.len(), 1);
    assert!(matches!(&rows[0].origin, Origin::Row { key, .. } if key[0].1 == "1"));
    let keys = |id: &str| vec![vec![id.to_owned()]];
    let narrowed = |id: &str| {
        let keys = keys(id);
        only(Within::Rows {
            table,
            keys: Some(&keys),
        })
        .len()
    };
    assert_eq!(narrowed("1"), 1);
    assert_eq!(narrowed("2"), 0, "a row that the caller may not read");
    assert_eq!(narrowed("3"), 0, "a row that does not exist");
    assert!(
        only(Within::Rows {
            table,
            keys: Some(&[])
        })
        .is_empty(),
        "no row"
    );
}
