//! Figures of one thing that is named, and columns of rows compared with each other.

use super::*;
use text2sql_domain::words;

impl Composer<'_> {
    /// "What does Chai cost?", "What does a sales manager earn?": the figure of the one thing that is named.
    pub(super) fn figure_of_named(&mut self) -> Result<Option<SemanticQuery>, Stop> {
        let verbs = self.verbs();
        let [(verb, says @ ("cost" | "earn"))] = verbs.as_slice() else {
            return Ok(None);
        };
        let (verb, is_cost) = (*verb, *says == "cost");
        let asks = self.spans.first().is_some_and(|span| {
            ["what", "how", "was", "wie"]
                .iter()
                .any(|start| span.text.to_lowercase().starts_with(start))
        });
        let columns = match is_cost {
            true => self.price_columns(),
            false => self.columns_with(&["salary", "wage"], |_| true),
        };
        let named = self.tables_of_values();
        let mut own = columns
            .into_iter()
            .filter(|(table, _)| named.contains(table) && self.schema.has_name(*table));
        let (Some((table, column)), None, true) = (own.next(), own.next(), asks) else {
            return Ok(None);
        };
        let shown = self.schema.shown(table);
        // Only its name says which thing is meant.
        let is_name = |name: &Name| matches!(name.kind, NameKind::Value(of, column, _) if of == table && shown.contains(&column));
        let values: Vec<usize> = (0..self.spans.len())
            .filter(|at| !self.values_of(*at).is_empty() && !self.is_used(*at))
            .collect();
        let [at] = values.as_slice() else {
            return Ok(None);
        };
        let mut names = self.values_of(*at);
        names.retain(is_name);
        if names.is_empty() {
            return Ok(None);
        }
        self.take(*at);
        self.take(verb);
        self.asked.push(Asked::Values {
            names: vec![names],
            is_negated: false,
            near: None,
            happens: false,
            is_each: false,
        });
        let figure = self.schema.own_column(table, column, Vec::new());
        self.says(
            format!("the figure is {}", self.column_name(table, column)),
            true,
        );
        self.finish_conditions(Some(table))?;
        self.list(table, figure.into_iter().collect(), None)
            .map(Some)
    }

    /// "employees who earn more than their boss"
    pub(super) fn compare_with_boss(&mut self, at: usize, operator: Operator, next: usize) -> bool {
        let text = self.span(next).map(|span| span.text.to_lowercase());
        let is_boss = text.is_some_and(|text| canonical(&text) == canonical("boss"));
        let earns = (0..at).find(|before| self.is(*before, Concept::Verb("earn")));
        let columns = self.salary_columns();
        let ([(table, column)], Some(earns), true) = (columns.as_slice(), earns, is_boss) else {
            return false;
        };
        if self.schema.own_reference(*table).is_none() {
            return false;
        }
        self.asked.push(Asked::AgainstAbove {
            table: *table,
            column: *column,
            operator,
        });
        for part in [at, earns, next] {
            self.take(part);
        }
        true
    }

    /// "ended at the same station where they began": two columns of the rows that differ in one word.
    pub(super) fn read_same(&mut self, subject: Option<usize>) {
        const SAME: &[&str] = words!("same, gleichen, gleiche, selben, derselben, demselben");
        let at = (0..self.spans.len()).find(|at| {
            self.span(*at)
                .is_some_and(|span| SAME.contains(&span.text.to_lowercase().as_str()))
        });
        let (Some(subject), Some(at)) = (subject, at) else {
            return;
        };
        let Some(noun) = self.after(at) else { return };
        let wanted = self
            .span(noun)
            .map(|span| canonical(&span.text.to_lowercase()));
        let described = self
            .schema
            .table(subject)
            .map_or(0, |table| table.columns.len());
        let words = |column| self.schema.column_words(subject, column);
        let mut pairs = Vec::new();
        for left in 0..described {
            for right in left + 1..described {
                let (one, other) = (words(left), words(right));
                let differing = one.iter().zip(other).filter(|(one, other)| one != other);
                let is_named = one.iter().any(|word| Some(canonical(word)) == wanted);
                if one.len() == other.len() && differing.count() == 1 && is_named {
                    pairs.push((left, right));
                }
            }
        }
        // The key of a station before its name.
        let is_coded = |(left, _): &&(usize, usize)| self.schema.is_key(subject, *left);
        let pair = match pairs.as_slice() {
            [only] => Some(*only),
            pairs => {
                let mut coded = pairs.iter().filter(is_coded);
                coded.next().filter(|_| coded.next().is_none()).copied()
            }
        };
        let Some((left, right)) = pair else { return };
        self.take(at);
        self.take(noun);
        let own: Vec<&String> = words(left).iter().chain(words(right)).collect();
        for (verb, name) in self.verbs() {
            if own.iter().any(|word| *word == name) {
                self.take(verb);
            }
        }
        let says = format!(
            "{} is {}",
            self.column_name(subject, left),
            self.column_name(subject, right)
        );
        self.says(says, true);
        self.asked.push(Asked::Columns {
            table: subject,
            left,
            operator: Operator::Equal,
            right,
        });
    }
}
