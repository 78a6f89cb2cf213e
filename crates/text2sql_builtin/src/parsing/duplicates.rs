//! "(each once)" and "(once for each order)", the readings that say how often a row is listed.

use crate::parsing::parser::Parser;
use crate::parsing::request::Repeats;

impl Parser<'_> {
    /// The reading that the binder offers: "(each once)", "(once for each order)".
    pub(crate) fn repeats_phrase(&mut self) -> bool {
        let before = self.at;
        self.eat("(");
        let found = if self.eat("each once") {
            Some(Repeats::Once)
        } else if self.eat("once for each") && self.entity_at(self.at).is_some() {
            self.at = self.entity_at(self.at).map_or(self.at, |(_, end)| end);
            Some(Repeats::ForEach)
        } else {
            None
        };
        let Some(found) = found else {
            self.at = before;
            return false;
        };
        self.eat(")");
        self.request.repeats = found;
        true
    }
}
