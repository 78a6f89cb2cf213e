//! What was imported, for people: figures on the screen, and a file of all that is not as it was published.

use std::fmt::Write;

use crate::gold::{Checked, Outcome};
use crate::kind::Kind;
use crate::load::Loaded;
use crate::options::Options;
use crate::suites::{self, Refused};

/// What was imported.
#[derive(Debug)]
pub struct Imported {
    kind: Kind,
    suite: String,
    databases: Vec<ImportedDatabase>,
    /// Databases of questions that have no file.
    pub(crate) without_database: Vec<String>,
    /// The cases of all databases, as `text2sql_eval --cases` reads them.
    pub cases: String,
}

#[derive(Debug)]
struct ImportedDatabase {
    id: String,
    name: String,
    tables: usize,
    rows: u64,
    kept: usize,
    not_compared: usize,
    notes: Vec<String>,
    /// Key, question, reason, and the query that was tried.
    left_out: Vec<(String, String, String, Option<String>)>,
}

impl Imported {
    pub(crate) fn new(kind: Kind, options: &Options) -> Self {
        Self {
            kind,
            suite: options.suite_name(kind),
            databases: Vec::new(),
            without_database: Vec::new(),
            cases: String::new(),
        }
    }

    pub(crate) fn add(
        &mut self,
        id: &str,
        name: &str,
        loaded: Loaded,
        checked: Vec<Checked<'_>>,
        refused: Vec<Refused>,
    ) {
        let mut one = ImportedDatabase {
            id: id.to_owned(),
            name: name.to_owned(),
            tables: loaded.tables,
            rows: loaded.rows,
            kept: 0,
            not_compared: 0,
            notes: loaded.notes,
            left_out: Vec::new(),
        };
        for case in checked {
            let question = case.question;
            let refusal = refused.iter().find(|(key, _)| *key == question.key);
            match (&case.outcome, refusal) {
                (Outcome::LeftOut { reason, tried }, _) => one.left_out.push((
                    question.key.clone(),
                    question.question.clone(),
                    reason.clone(),
                    tried.clone(),
                )),
                (Outcome::Kept { gold, .. }, Some((_, problem))) => one.left_out.push((
                    question.key.clone(),
                    question.question.clone(),
                    format!("refused by the extension: {problem}"),
                    gold.first().cloned(),
                )),
                (Outcome::Kept { is_compared, .. }, None) => {
                    one.kept += 1;
                    one.not_compared += usize::from(!is_compared);
                    self.cases.extend(suites::line(&case, Some(name)));
                    self.cases.push('\n');
                }
            }
        }
        self.databases.push(one);
    }

    /// Number of questions that are cases now.
    pub fn kept(&self) -> usize {
        self.databases.iter().map(|one| one.kept).sum()
    }

    /// Number of questions that are not.
    pub fn left_out(&self) -> usize {
        self.databases.iter().map(|one| one.left_out.len()).sum()
    }

    /// A line or two for the screen.
    pub fn summary(&self) -> String {
        let (tables, rows) = self.databases.iter().fold((0, 0), |(tables, rows), one| {
            (tables + one.tables, rows + one.rows)
        });
        let mut text = format!(
            "{}: {} databases, {tables} tables, {rows} rows; suite \"{}\" with {} cases, {} questions left out\n",
            self.kind.name(),
            self.databases.len(),
            self.suite,
            self.kept(),
            self.left_out()
        );
        let not_compared: usize = self.databases.iter().map(|one| one.not_compared).sum();
        if not_compared > 0 {
            let _ = writeln!(
                text,
                "{not_compared} cases have gold that runs, and no original to compare it with"
            );
        }
        if !self.without_database.is_empty() {
            let _ = writeln!(
                text,
                "there is no database for questions about {}",
                self.without_database.join(", ")
            );
        }
        text
    }

    /// All that is not as it was published, as Markdown.
    pub fn report(&self) -> String {
        let mut text = format!("# Import of {}\n\n{}", self.kind.name(), self.summary());
        for one in &self.databases {
            let _ = write!(
                text,
                "\n## {}\n\nDatabase `{}`: {} tables, {} rows, {} cases, {} questions left out.\n",
                one.id,
                one.name,
                one.tables,
                one.rows,
                one.kept,
                one.left_out.len()
            );
            if !one.notes.is_empty() {
                text.push_str("\nTables that are not as published:\n\n");
                for note in &one.notes {
                    let _ = writeln!(text, "- {}", on_one_line(note));
                }
            }
            if !one.left_out.is_empty() {
                text.push_str("\nQuestions left out:\n\n");
                for (key, question, reason, tried) in &one.left_out {
                    let _ = writeln!(
                        text,
                        "- {key}: {} ({})",
                        on_one_line(question),
                        on_one_line(reason)
                    );
                    if let Some(sql) = tried {
                        let _ = writeln!(text, "  `{}`", on_one_line(sql));
                    }
                }
            }
        }
        text
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}
