//! "upgrades vs downgrades", "men and women separately": a figure for each of two values of one column.

use super::*;
use text2sql_domain::words;

impl Composer<'_> {
    pub(super) fn values_compared(&mut self) -> Result<Option<SemanticQuery>, Stop> {
        let is_apart = |span: &Span| {
            words!("separately, respectively, getrennt, jeweils")
                .contains(&span.text.to_lowercase().as_str())
        };
        let apart = self.spans.iter().position(is_apart);
        let joint = match apart {
            Some(_) => (0..self.spans.len())
                .find(|at| self.is(*at, Concept::And) && self.two_values(*at).is_some()),
            None => self.find(Concept::Compare).or_else(|| self.more_of_two()),
        };
        let Some((joint, (left, right, table, column))) =
            joint.and_then(|joint| Some((joint, self.two_values(joint)?)))
        else {
            return Ok(None);
        };
        let both = [left, right].map(|at| {
            let of_column = self.values_of(at).into_iter();
            let own = of_column.filter(
                |name| matches!(name.kind, NameKind::Value(t, c, _) if (t, c) == (table, column)),
            );
            own.collect::<Vec<_>>()
        });
        for at in [left, right, joint].into_iter().chain(apart) {
            self.take(at);
        }
        if let Some(span) = self.spans.get_mut(joint) {
            span.concept = None;
            span.names = vec![Name {
                kind: NameKind::Column(table, column),
                score: 1.0,
            }];
        }
        self.groups.push(Group::Named(joint));
        self.asked.push(Asked::Values {
            names: both.to_vec(),
            is_negated: false,
            near: None,
            happens: false,
            is_each: false,
        });
        let done = self.verbs().into_iter();
        let done = done
            .filter_map(|(at, verb)| Some((at, self.done_by(verb)?)))
            .next();
        match done {
            Some((at, measured)) => {
                self.take(at);
                self.measures.push(measured);
                // "Do customers in Japan or in China rent more?" compares what they do.
                let party = self.first_noun().filter(|noun| {
                    self.table_of(*noun)
                        .is_some_and(|table| self.is_party(table))
                });
                party.into_iter().for_each(|party| self.take(party));
            }
            None => self.read_measures()?,
        }
        if self.measures.is_empty() {
            let noun = self.first_noun();
            // "Do we make more with horror or with comedy?" counts no genres.
            if noun.is_none() && self.schema.shown(table).contains(&column) {
                return stop("what is compared is not clear");
            }
            let counted = noun.and_then(|noun| self.table_of(noun)).unwrap_or(table);
            if let Some(noun) = noun {
                self.take(noun);
            }
            self.measures.push(Measured {
                function: Function::Count,
                what: What::Rows(counted),
            });
        }
        let subject = self.subject_of_measure();
        self.finish_conditions(subject)?;
        self.figures(None).map(Some)
    }

    /// What is compared where a verb says it: pieces sold, money earned, rentals.
    fn done_by(&self, verb: &str) -> Option<Measured> {
        let (function, what) = match verb {
            "sell" => (Function::Sum, What::Units),
            "earn" | "spend" | "pay" => (Function::Sum, What::Revenue),
            verb => (Function::Count, What::Rows(self.event_of(verb)?)),
        };
        Some(Measured { function, what })
    }

    /// "Do we sell more jazz or more blues?": the "or" between two values of which there is more of one.
    fn more_of_two(&mut self) -> Option<usize> {
        let is_more = |span: &Span| {
            words!("more, mehr").contains(&span.text.to_lowercase().as_str())
                && span.names.is_empty()
                && span.concept.is_none()
        };
        // "or more" is one span.
        let is_joint = |span: &Span| {
            span.is(Concept::Or)
                || words!("or more, oder mehr").contains(&span.text.to_lowercase().as_str())
        };
        let joint = self.spans.iter().position(is_joint)?;
        let more: Vec<usize> = (0..self.spans.len())
            .filter(|at| self.span(*at).is_some_and(is_more))
            .collect();
        let said = self.spans.clone();
        for at in &more {
            if let Some(span) = self.spans.get_mut(*at) {
                span.concept = Some(Concept::Filler);
            }
        }
        if more.is_empty() || self.two_values(joint).is_none() {
            self.spans = said;
            return None;
        }
        for at in more {
            self.take(at);
        }
        Some(joint)
    }

    /// The spans on both sides that are values of one column, if it is the only one.
    fn two_values(&self, joint: usize) -> Option<(usize, usize, usize, usize)> {
        let (mut left, right) = (self.before(joint)?, self.after(joint)?);
        // "horror films or sports films"
        if self.is_noun(left) && self.values_of(left).is_empty() {
            left = self.before(left)?;
        }
        if self.is_used(left) || self.is_used(right) {
            return None;
        }
        let columns = |at: usize| -> Vec<(usize, usize)> {
            let values = self.values_of(at).into_iter();
            let columns = values.filter_map(|name| match name.kind {
                NameKind::Value(table, column, _) => Some((table, column)),
                _ => None,
            });
            columns.collect()
        };
        let others = columns(right);
        let mut common = columns(left)
            .into_iter()
            .filter(|column| others.contains(column));
        let (table, column) = common.next()?;
        // Of three, two are not all.
        let is_third =
            |at: usize| at != left && at != right && columns(at).contains(&(table, column));
        let is_only = common.next().is_none() && !(0..self.spans.len()).any(is_third);
        is_only.then_some((left, right, table, column))
    }
}
