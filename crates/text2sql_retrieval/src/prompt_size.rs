//! How much of the catalog a prompt shows, by how certain the search is of the tables that it found.

use crate::certainty::{Certainty, Level};
use crate::tables::search::MAX_TABLES_FOUND;
use text2sql_domain::config::SchemaChars;

/// How many tables a prompt shows where the search found the right ones, but among others: see
/// [`crate::certainty`] for how often they are among them. They take about 15,000 characters.
const USUAL_TABLES: usize = MAX_TABLES_FOUND;

/// How many tables a prompt shows at least: the columns of a few more than needed tell the right table from
/// another one.
const FEWEST_TABLES: usize = 12;

/// How many tables are shown of a catalog that is too large for a prompt and in which the search is not certain. Of
/// 306 such practice questions over 795 tables, 294 have all their tables within the first 60, 298 within 100, and
/// none has its last between 101 and 300: further ones are listed by name only.
const MOST_TABLES: usize = 100;

/// The usual size of a table in a prompt: 364 characters, the mean over the practice schemas.
const CHARS_PER_TABLE: usize = 400;

/// The share of the schema's part of a prompt that the names of the other tables may take: a thousand names in
/// 30,000 of 120,000 characters. Where the search is certain, fewer are worth their tokens.
const SHARE_OF_NAMES: usize = 4;
const SHARE_OF_NAMES_IF_CERTAIN: usize = 8;

/// How many tables are shown of a catalog that is searched.
pub fn tables(certainty: &Certainty, chars: SchemaChars) -> usize {
    match certainty.level {
        Level::Certain => certainty.close.clamp(FEWEST_TABLES, USUAL_TABLES),
        Level::Likely => USUAL_TABLES,
        Level::Uncertain => (chars.largest / CHARS_PER_TABLE).clamp(USUAL_TABLES, MOST_TABLES),
    }
}

/// How many of the best tables are described in full where a catalog is searched. The others are a line each, with the
/// names of all columns and the keys: a query can be written over them, and they take a third of the characters.
pub fn in_full(level: Level) -> usize {
    match level {
        Level::Certain => 8,
        // Where the search is not sure, its best are no likelier than the other tables whose columns are shown.
        Level::Likely | Level::Uncertain => 12,
    }
}

/// Size of the schema part of a prompt.
pub fn chars(level: Level, chars: SchemaChars) -> usize {
    match level {
        Level::Certain | Level::Likely => chars.usual,
        Level::Uncertain => chars.largest,
    }
}

/// How many characters of it the names of the tables that are not shown may take.
pub fn name_chars(level: Level, chars: usize) -> usize {
    match level {
        Level::Certain => chars / SHARE_OF_NAMES_IF_CERTAIN,
        Level::Likely | Level::Uncertain => chars / SHARE_OF_NAMES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHARS: SchemaChars = SchemaChars {
        usual: 30_000,
        largest: 120_000,
    };

    fn shown(level: Level, close: usize, chars: SchemaChars) -> usize {
        let certainty = Certainty {
            level,
            close,
            ..Certainty::default()
        };
        tables(&certainty, chars)
    }

    #[test]
    fn the_number_of_tables_follows_the_certainty() {
        assert_eq!(shown(Level::Certain, 1, CHARS), 12);
        assert_eq!(shown(Level::Certain, 15, CHARS), 15);
        assert_eq!(shown(Level::Likely, 15, CHARS), 40);
        assert_eq!(shown(Level::Uncertain, 15, CHARS), 100);
        let small = SchemaChars {
            usual: 8_000,
            largest: 8_000,
        };
        assert_eq!(shown(Level::Uncertain, 15, small), 40);
    }
}
