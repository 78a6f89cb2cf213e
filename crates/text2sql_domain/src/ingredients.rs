//! Which kinds of facts about tables the model of a question is shown: all, unless the worth of one is being measured.
//! Checks of queries always see the whole catalog.

use std::borrow::Cow;
use std::sync::Arc;

use crate::schema::{Column, Table};

/// The kinds of facts about tables that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ingredients {
    /// Tables and columns.
    pub schema: bool,
    /// Descriptions by `describe()`.
    pub descriptions: bool,
    /// `COMMENT ON`.
    pub comments: bool,
    /// Synonyms of tables and columns.
    pub synonyms: bool,
    /// Meanings of coded values.
    pub meanings: bool,
    /// Values and ranges of columns, and samples by the owner.
    pub samples: bool,
    /// Primary, unique and foreign keys that the catalog declares.
    pub keys: bool,
    /// Joins that curators added.
    pub taught_joins: bool,
    /// Joins that nobody declared.
    pub inferred_joins: bool,
}

impl Ingredients {
    /// All of them.
    pub const ALL: Self = Self {
        schema: true,
        descriptions: true,
        comments: true,
        synonyms: true,
        meanings: true,
        samples: true,
        keys: true,
        taught_joins: true,
        inferred_joins: true,
    };

    /// The table with these facts only.
    pub fn of(self, table: &Table) -> Cow<'_, Table> {
        match self == Self::ALL {
            true => Cow::Borrowed(table),
            false => Cow::Owned(self.only(table.clone())),
        }
    }

    /// The shared table with these facts only.
    pub fn of_shared(self, table: &Arc<Table>) -> Arc<Table> {
        match self == Self::ALL {
            true => Arc::clone(table),
            false => Arc::new(self.only(Table::clone(table))),
        }
    }

    fn only(self, mut table: Table) -> Table {
        self.text(&mut table.comment, &mut table.described_over);
        if !self.synonyms {
            table.synonyms.clear();
        }
        if !self.samples {
            table.samples.clear();
        }
        if !self.keys {
            table.primary_key.clear();
            table.unique_keys.clear();
        }
        let (keys, taught) = (self.keys, self.taught_joins);
        table
            .foreign_keys
            .retain(|key| if key.is_taught { taught } else { keys });
        if !self.inferred_joins {
            table.likely_joins.clear();
        }
        for column in &mut table.columns {
            self.column(column);
        }
        table
    }

    fn column(self, column: &mut Column) {
        self.text(&mut column.comment, &mut column.described_over);
        if !self.synonyms {
            column.synonyms.clear();
        }
        if !self.meanings {
            column.value_meanings.clear();
        }
        if !self.samples {
            column.shows_samples = false;
            column.mentioned_values.clear();
            if let Some(facts) = &mut column.statistics {
                facts.most_common_values.clear();
                facts.most_common_shares.clear();
                facts.distinct_values = None;
                (facts.lowest, facts.highest) = (None, None);
            }
        }
    }

    /// The text shown about an object: its description, else its comment. `over` is the comment that a description
    /// covers.
    fn text(self, text: &mut Option<String>, over: &mut Option<Option<String>>) {
        if !self.descriptions
            && let Some(comment) = over.take()
        {
            *text = comment;
        }
        if !self.comments && over.is_none() {
            *text = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let some = |text: &str| Some(text.to_owned());
        Table {
            comment: some("described"),
            described_over: Some(some("commented")),
            columns: vec![
                Column {
                    comment: some("commented"),
                    ..Column::default()
                },
                Column {
                    comment: some("described"),
                    described_over: Some(None),
                    ..Column::default()
                },
            ],
            ..Table::default()
        }
    }

    #[test]
    fn without_descriptions_the_comments_beneath_are_shown() {
        let texts = |ingredients: Ingredients| -> Vec<Option<String>> {
            let table = ingredients.of(&table()).into_owned();
            let columns = table.columns.into_iter().map(|column| column.comment);
            std::iter::once(table.comment).chain(columns).collect()
        };
        let some = |text: &str| Some(text.to_owned());
        let all = Ingredients::ALL;
        let (described, commented) = (some("described"), some("commented"));
        assert_eq!(
            texts(all),
            [described.clone(), commented.clone(), described.clone()]
        );
        let descriptions = false;
        assert_eq!(
            texts(Ingredients {
                descriptions,
                ..all
            }),
            [commented.clone(), commented, None]
        );
        let comments = false;
        assert_eq!(
            texts(Ingredients { comments, ..all }),
            [described.clone(), None, described]
        );
        assert_eq!(
            texts(Ingredients {
                descriptions,
                comments,
                ..all
            }),
            [None, None, None]
        );
    }
}
