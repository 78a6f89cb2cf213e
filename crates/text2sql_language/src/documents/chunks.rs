//! Cuts a document into chunks for a search: by headings, then paragraphs, then sentences, with overlap.
//!
//! Headings are those of Markdown, which `text2sql-server load` makes of other formats as well. A chunk never holds
//! texts of two sections. Texts of any form are cut in linear time: one line of ten megabytes, no blanks, headings
//! without texts.

use std::ops::Range;

use super::sentences::{Piece, pieces};

/// Maximum length of a heading, in characters; a longer line is text.
const MAX_HEADING: usize = 200;

/// Levels of headings.
const LEVELS: usize = 6;

/// How a document is cut, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkSizes {
    /// The length that a chunk never exceeds.
    pub length: usize,
    /// How much of the end of a chunk is repeated at the beginning of the next, in whole sentences; less than half of
    /// `length`.
    pub overlap: usize,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The headings above it, the outermost first; the last one is the header row of the table in whose rows it begins.
    pub headings: Vec<String>,
    /// Its bytes in the document, without white space around them.
    pub place: Range<usize>,
}

impl Chunk {
    /// The text of the chunk in its document.
    pub fn text<'d>(&self, document: &'d str) -> &'d str {
        document.get(self.place.clone()).unwrap_or_default()
    }
}

/// The chunks of a document, in their order; none of one without a visible character.
pub fn chunks(document: &str, sizes: &ChunkSizes) -> Vec<Chunk> {
    let sizes = ChunkSizes {
        length: sizes.length.max(1),
        overlap: sizes.overlap.min(sizes.length / 2),
    };
    let mut chunks = Vec::new();
    for section in sections(document) {
        let pieces = pieces(
            document,
            section.place.start,
            section.place.end,
            sizes.length,
        );
        let mut table = TableHeader::new(document, section.place.start);
        for range in packed(&pieces, &sizes) {
            let place = trimmed(document, range);
            if !place.is_empty() {
                let mut headings = section.headings.clone();
                headings.extend(table.above(place.start));
                chunks.push(Chunk { headings, place });
            }
        }
    }
    // Only headings: they are the text.
    if chunks.is_empty() {
        let pieces = pieces(document, 0, document.len(), sizes.length);
        let places = packed(&pieces, &sizes).into_iter();
        let places = places.map(|range| trimmed(document, range));
        chunks.extend(places.filter(|place| !place.is_empty()).map(|place| Chunk {
            headings: Vec::new(),
            place,
        }));
    }
    chunks
}

/// The header row of the table that a place is in. Places are asked for in order, so that a table of any length is read
/// once.
struct TableHeader<'d> {
    document: &'d str,
    at: usize,
    /// The line before.
    before: &'d str,
    header: Option<&'d str>,
}

impl<'d> TableHeader<'d> {
    fn new(document: &'d str, start: usize) -> Self {
        Self {
            document,
            at: start,
            before: "",
            header: None,
        }
    }

    /// The names of the columns where the line of this byte is a row whose header stands further above.
    fn above(&mut self, byte: usize) -> Option<String> {
        let rest = self.document.get(self.at..).unwrap_or_default();
        for line in rest.split_inclusive('\n') {
            if self.at > byte {
                break;
            }
            self.at += line.len();
            let line = line.trim();
            self.header = match line.starts_with('|') {
                false => None,
                true if is_rule(line) && self.before.starts_with('|') => Some(self.before),
                true => self.header,
            };
            self.before = line;
        }
        // The rule itself stands behind its header, in one chunk with it.
        let header = self.header.filter(|_| !is_rule(self.before))?;
        let cells = header.trim_matches('|').split('|').map(str::trim);
        let names = cells.collect::<Vec<_>>().join(" | ");
        Some(names.chars().take(MAX_HEADING).collect())
    }
}

/// `| --- | :-: |`: what separates the header of a table from its rows.
fn is_rule(line: &str) -> bool {
    line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

struct Section {
    headings: Vec<String>,
    place: Range<usize>,
}

/// The texts between headings.
fn sections(document: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut is_code = false;
    // The line before, for headings that are underlined.
    let mut before: Option<Range<usize>> = None;
    for line in document.split_inclusive('\n') {
        let place = at..at + line.len();
        at = place.end;
        let content = line.trim_end();
        if content.trim_start().starts_with("```") {
            is_code = !is_code;
            before = None;
            continue;
        }
        if is_code {
            continue;
        }
        let found = match (atx(content), underlined(content)) {
            (Some((level, text)), _) => Some((level, text.to_owned(), place.start)),
            (None, Some(level)) => before.clone().and_then(|above| {
                let text = document.get(above.clone())?.trim();
                is_heading(text).then(|| (level, text.to_owned(), above.start))
            }),
            (None, None) => None,
        };
        before = (!content.trim().is_empty()).then(|| place.clone());
        let Some((level, text, end)) = found else {
            continue;
        };
        before = None;
        sections.push(Section {
            headings: open.iter().map(|(_, text)| text.clone()).collect(),
            place: start..end,
        });
        open.retain(|(known, _)| *known < level);
        open.push((level, text));
        start = place.end;
    }
    sections.push(Section {
        headings: open.into_iter().map(|(_, text)| text).collect(),
        place: start..document.len(),
    });
    sections
}

/// `## Returns ##`: the level and the text.
fn atx(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let text = rest.strip_prefix([' ', '\t'])?.trim_end_matches('#').trim();
    ((1..=LEVELS).contains(&level) && is_heading(text)).then_some((level, text))
}

/// A line of `=` or `-` below a heading: the level.
fn underlined(line: &str) -> Option<usize> {
    let line = line.trim_end();
    match line.chars().next()? {
        '=' if line.len() > 2 && line.trim_matches('=').is_empty() => Some(1),
        '-' if line.len() > 2 && line.trim_matches('-').is_empty() => Some(2),
        _ => None,
    }
}

fn is_heading(text: &str) -> bool {
    !text.is_empty() && text.chars().nth(MAX_HEADING).is_none()
}

/// Pieces put together up to the length, at the end of a paragraph where that leaves no small chunk.
fn packed(pieces: &[Piece], sizes: &ChunkSizes) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut first = 0;
    while first < pieces.len() {
        let rest = pieces.get(first..).unwrap_or_default();
        let (mut length, mut count) = (0, 0);
        let mut paragraph = None;
        for piece in rest {
            if length + piece.length > sizes.length {
                break;
            }
            if count > 0 && piece.begins_paragraph && length >= sizes.length / 2 {
                paragraph = Some(count);
            }
            length += piece.length;
            count += 1;
        }
        let count = match paragraph {
            Some(paragraph) if count < rest.len() => paragraph,
            _ => count.max(1),
        };
        let taken = rest.get(..count).unwrap_or(rest);
        let (Some(start), Some(end)) = (taken.first(), taken.last()) else {
            break;
        };
        ranges.push(start.start..end.end);
        if count >= rest.len() {
            break;
        }
        let mut repeated = 0;
        let mut repeats = 0;
        for piece in taken.iter().skip(1).rev() {
            if repeated + piece.length > sizes.overlap {
                break;
            }
            repeated += piece.length;
            repeats += 1;
        }
        // What follows must fit beside what is repeated, or the next chunk would be no more than this one's end.
        let fits = rest
            .get(count)
            .is_some_and(|next| repeated + next.length <= sizes.length);
        first += if fits { count - repeats } else { count };
    }
    ranges
}

fn trimmed(document: &str, range: Range<usize>) -> Range<usize> {
    let is_empty = |c: char| c.is_whitespace() || c.is_control();
    let text = document.get(range.clone()).unwrap_or_default();
    let inner = text.trim_start_matches(is_empty);
    let start = range.start + text.len() - inner.len();
    start..start + inner.trim_end_matches(is_empty).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(document: &str, length: usize, overlap: usize) -> Vec<(String, &str)> {
        let found = chunks(document, &ChunkSizes { length, overlap });
        for chunk in &found {
            assert!(
                chunk.text(document).chars().count() <= length.max(1),
                "{chunk:?}"
            );
        }
        found
            .iter()
            .map(|chunk| (chunk.headings.join(" › "), chunk.text(document)))
            .collect()
    }

    #[test]
    fn headings_are_kept_with_their_texts() {
        let document = "Intro.\n\n# Returns\n\n## Jackets\nWithin 30 days.\n\n## Shoes\nNever.\n\nTerms\n=====\nAll is final.\n```\n# no heading\n```\n";
        assert_eq!(
            cut(document, 500, 50),
            [
                (String::new(), "Intro."),
                ("Returns › Jackets".to_owned(), "Within 30 days."),
                ("Returns › Shoes".to_owned(), "Never."),
                ("Terms".to_owned(), "All is final.\n```\n# no heading\n```"),
            ]
        );
    }

    #[test]
    fn rows_of_a_table_keep_its_header() {
        let rows = |numbers: Range<usize>| -> String {
            numbers
                .map(|row| format!("| T-{row:03} | {row}000 |\n"))
                .collect()
        };
        let table = format!("| Tree | Value EUR |\n| --- | --: |\n{}", rows(0..60));
        let document = format!("# Trees\n\n{table}\nAll of them.\n");
        let found = cut(&document, 300, 40);
        let of = |part: &str| {
            let chunk = found.iter().find(|(_, text)| text.contains(part));
            chunk.map(|(headings, _)| headings.as_str())
        };
        assert_eq!(of("| Tree |"), Some("Trees"));
        assert_eq!(of("T-030"), Some("Trees › Tree | Value EUR"));
        assert_eq!(of("T-059"), Some("Trees › Tree | Value EUR"));
        // A table without a header row has none to keep, and text behind a table is in no table.
        let headless = rows(0..40);
        let bare = cut(&headless, 300, 0);
        assert!(
            bare.iter().all(|(headings, _)| headings.is_empty()),
            "{bare:?}"
        );
        let behind = format!("{table}\n{}", "Words that follow. ".repeat(40));
        let last = cut(&behind, 300, 0).pop().map(|(headings, _)| headings);
        assert_eq!(last.as_deref(), Some(""));
    }

    #[test]
    fn sentences_are_repeated_and_paragraphs_kept() {
        let document = "One is here. Two is here. Three is here. Four is here.";
        assert_eq!(
            cut(document, 30, 15),
            [
                (String::new(), "One is here. Two is here."),
                (String::new(), "Two is here. Three is here."),
                (String::new(), "Three is here. Four is here."),
            ]
        );
        let document = "Alpha beta gamma.\n\nDelta. Epsilon zeta eta theta.";
        assert_eq!(
            cut(document, 30, 0)
                .iter()
                .map(|(_, text)| *text)
                .collect::<Vec<_>>(),
            ["Alpha beta gamma.", "Delta. Epsilon zeta eta theta."]
        );
    }

    #[test]
    fn nothing_is_lost_of_hostile_texts() {
        let line = "x".repeat(10_000_000);
        let found = chunks(
            &line,
            &ChunkSizes {
                length: 1_000,
                overlap: 150,
            },
        );
        assert_eq!(found.len(), 10_000);
        let headings = "# a\n## b\n".repeat(100_000);
        assert!(
            !chunks(
                &headings,
                &ChunkSizes {
                    length: 1_000,
                    overlap: 150
                }
            )
            .is_empty()
        );
        let deep = format!("{} deep\ntext", "#".repeat(100_000));
        assert_eq!(
            cut(&deep, 200_000, 10).len(),
            1,
            "more than six levels are no heading"
        );
        let nul = "\0\0 a\0b \0";
        assert_eq!(cut(nul, 100, 10), [(String::new(), "a\0b")]);
        assert!(cut(" \n\t\0", 100, 10).is_empty());
        assert!(cut("", 100, 10).is_empty());
        let dots = ". ".repeat(100_000);
        let words: usize = chunks(
            &dots,
            &ChunkSizes {
                length: 1_000,
                overlap: 400,
            },
        )
        .iter()
        .map(|chunk| chunk.text(&dots).matches('.').count())
        .sum();
        assert!(words >= 100_000);
        let emoji = "👩‍👩‍👧‍👦é".repeat(1_000);
        let found = chunks(
            &emoji,
            &ChunkSizes {
                length: 7,
                overlap: 3,
            },
        );
        let whole: String = found.iter().map(|chunk| chunk.text(&emoji)).collect();
        assert_eq!(whole, emoji);
        assert_eq!(cut("abc", 0, 0).len(), 3);
    }
}
