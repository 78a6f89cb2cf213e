//! How many questions were answered, and how many of those right.

/// Counts of one set of questions.
#[derive(Default, Clone)]
pub(crate) struct Tally {
    pub(crate) asked: usize,
    pub(crate) answered: usize,
    pub(crate) right: usize,
    pub(crate) failed: usize,
}

impl Tally {
    /// Counts one question: `None` was declined.
    pub(crate) fn add(&mut self, verdict: Option<&Result<bool, String>>) {
        self.asked += 1;
        self.answered += usize::from(verdict.is_some());
        self.right += usize::from(matches!(verdict, Some(Ok(true))));
        self.failed += usize::from(matches!(verdict, Some(Err(_))));
    }

    pub(crate) fn line(&self, name: &str) -> String {
        format!(
            "{name:<32} asked {:>5}  answered {:>5} ({:>5.1} %)  right {:>5} ({:>5.1} %)  errors {}",
            self.asked,
            self.answered,
            share(self.answered, self.asked),
            self.right,
            share(self.right, self.answered),
            self.failed
        )
    }

    /// A row of a table in Markdown.
    pub(crate) fn row(&self, name: &str) -> String {
        let right = if self.answered == 0 {
            "–".to_owned()
        } else {
            format!("{:.1} %", share(self.right, self.answered))
        };
        format!(
            "| {name} | {} | {} ({:.1} %) | {} | {right} |",
            self.asked,
            self.answered,
            share(self.answered, self.asked),
            self.right
        )
    }
}

pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

/// What a gold query does, by its words.
pub(crate) fn kind_of(gold: &str) -> &'static str {
    let has = |word: &str| gold.contains(word);
    if has("INTERSECT") || has("UNION") || has("EXCEPT") {
        "set operation"
    } else if gold.matches("SELECT").count() > 1 {
        "sub-query"
    } else if has("GROUP BY") && has("LIMIT") {
        "ranked groups"
    } else if has("HAVING") {
        "having"
    } else if has("GROUP BY") {
        "groups"
    } else if has("LIMIT") {
        "superlative"
    } else if has("COUNT(") {
        "count"
    } else if has("SUM(") || has("AVG(") || has("MIN(") || has("MAX(") {
        "aggregate"
    } else if has("JOIN") {
        "list with join"
    } else if has("WHERE") {
        "list with filter"
    } else {
        "list"
    }
}
