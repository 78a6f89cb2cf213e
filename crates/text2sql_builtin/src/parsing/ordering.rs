//! "sorted by name in descending order".

use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::Target;
use crate::parsing::request::{Order, OrderBy};
use text2sql_language::english::lexicon;
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    /// "sorted by name in descending order", "in alphabetical order".
    pub(crate) fn order(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        self.eat_any(&["and", ","]);
        self.eat_any(&["and"]);
        self.eat_any(&["the result", "the results", "results", "them", "it"]);
        if self.eat_any(&[
            "in alphabetical order",
            "in alphabetic order",
            "alphabetically",
            "in lexicographical order",
            "in lexicographic order",
            "sorted alphabetically",
            "ordered alphabetically",
            "sorted in alphabetical order",
            "ordered in alphabetical order",
            "in ascending alphabetical order",
            "sort alphabetically",
        ]) {
            let by = if self.eat_any(&["by", "of", "on", "according to"]) {
                self.order_key()?
            } else {
                OrderBy::Label
            };
            self.request.order.push(Order {
                by,
                is_descending: false,
            });
            return Ok(true);
        }
        let direction = |parser: &mut Self| {
            if parser.eat_any(&[
                "in descending order",
                "in decreasing order",
                "descending",
                "desc",
                "in reverse order",
                "decreasingly",
                "from highest to lowest",
                "from high to low",
                "in descending",
                "in decreasing",
            ]) {
                Some(true)
            } else if parser.eat_any(&[
                "in ascending order",
                "in increasing order",
                "ascending",
                "asc",
                "from lowest to highest",
                "from low to high",
                "in ascending",
                "in increasing",
            ]) {
                Some(false)
            } else {
                parser.end_to_end()
            }
        };
        let says_of = self.eat_any(&[
            "in order of",
            "in the order of",
            "by order of",
            "by the order of",
        ]);
        if says_of
            || self.eat_any(&[
                "sorted", "ordered", "sort", "order", "ranked", "rank", "listed", "arranged",
            ])
        {
            self.eat_any(&[
                "the results",
                "results",
                "them",
                "the result",
                "it",
                "the list",
            ]);
            let early = direction(self);
            if !(says_of
                || self.eat_any(&[
                    "by",
                    "of",
                    "on",
                    "according to",
                    "in the order of",
                    "in order of",
                    "using",
                    "based on",
                ])
                || self.lower(0).is_empty()
                || early.is_some())
            {
                self.at = before;
                return Ok(false);
            }
            self.eat_any(&["ascending order of", "ascending"]);
            loop {
                let by = self.order_key()?;
                let late = direction(self);
                self.request.order.push(Order {
                    by,
                    is_descending: early.or(late).unwrap_or(false),
                });
                let comma = self.at;
                if !(self.separator() && self.is_at_name()) {
                    self.at = comma;
                    return Ok(true);
                }
            }
        }
        if let Some(is_descending) = direction(self)
            && (self.eat_any(&["of", "by", "on"]) || self.is_at_name())
        {
            let by = self.order_key()?;
            self.request.order.push(Order { by, is_descending });
            return Ok(true);
        }
        self.at = before;
        Ok(false)
    }

    /// "from the highest to the lowest".
    fn end_to_end(&mut self) -> Option<bool> {
        const UPPER: &[&str] = &[
            "highest", "largest", "greatest", "biggest", "most", "high", "large", "longest",
            "heaviest", "tallest", "z", "latest", "newest", "best",
        ];
        const LOWER: &[&str] = &[
            "lowest", "smallest", "least", "fewest", "low", "small", "shortest", "lightest", "a",
            "earliest", "worst",
        ];
        let before = self.at;
        self.eat(",");
        if !self.eat("from") {
            self.at = before;
            return None;
        }
        self.eat("the");
        let first = self.lower(0);
        self.at += 1;
        self.eat_any(&["expensive", "recent"]);
        let joined = self.eat("to");
        self.eat("the");
        let second = self.lower(0);
        self.at += 1;
        self.eat_any(&["expensive", "recent"]);
        if joined && UPPER.contains(&first) && LOWER.contains(&second) {
            Some(true)
        } else if joined && LOWER.contains(&first) && UPPER.contains(&second) {
            Some(false)
        } else {
            self.at = before;
            None
        }
    }

    pub(crate) fn is_at_name(&self) -> bool {
        self.links.name_at(self.at).is_some()
    }

    pub(crate) fn order_key(&mut self) -> Result<OrderBy, Stop> {
        self.skip(lexicon::EMPTY);
        self.skip(lexicon::PRONOUNS);
        if self.eat_any(&["number of", "count of"]) {
            let counted = self.entity_at(self.at).filter(|(table, _)| {
                self.request
                    .targets
                    .iter()
                    .any(|target| matches!(target, Target::Count(counted) if counted == table))
            });
            return match counted {
                Some((_, end)) => {
                    self.at = end;
                    Ok(OrderBy::Count)
                }
                None => self.unplaced(),
            };
        }
        if self.eat("count") {
            return Ok(OrderBy::Count);
        }
        if let Some((table, end)) = self.entity_at(self.at)
            && self
                .tokens
                .get(end)
                .is_some_and(|token| token.kind == TokenKind::Possessive)
            && Some(table) == self.request.subject
        {
            self.at = end + 1;
        }
        let Some(mention) = self.links.name_at(self.at) else {
            return self.unplaced();
        };
        self.at = mention.end;
        Ok(OrderBy::Column(mention.clone()))
    }
}
