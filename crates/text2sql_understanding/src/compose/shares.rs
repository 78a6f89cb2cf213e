//! Shares of a whole, and comparisons of two periods or values.

use super::*;

/// How many months back "the year before" is that a figure is compared with.
fn months_of_before(span: &Span) -> Option<i32> {
    let text = span.text.to_lowercase();
    let units = [
        (["year before", "vorjahr"], 12),
        (["quarter before", "vorquartal"], 3),
        (["month before", "vormonat"], 1),
    ];
    let is_said = |words: &[&str; 2]| words.iter().any(|word| text.contains(word));
    let unit = units.iter().find(|(words, _)| is_said(words));
    unit.filter(|_| span.is(Concept::Growth))
        .map(|(_, months)| *months)
}

fn months_of_part(part: DatePart) -> Option<i32> {
    match part {
        DatePart::Year => Some(12),
        DatePart::Quarter => Some(3),
        DatePart::Month => Some(1),
        _ => None,
    }
}

impl Composer<'_> {
    /// "what share of orders go to the USA", "what percentage of revenue came from beverages"
    pub(super) fn share(&mut self) -> Result<SemanticQuery, Stop> {
        if let Some(at) = self.find(Concept::Percent) {
            self.take(at);
        }
        if let Some(at) = self.find(Concept::Share) {
            self.take(at);
        }
        self.read_measures()?;
        if self.measures.is_empty() {
            let Some(noun) = self.first_noun() else {
                return stop("of what the share is is not clear");
            };
            let Some(table) = self.table_of(noun) else {
                return stop("of what the share is is not clear");
            };
            self.take(noun);
            self.measures.push(Measured {
                function: Function::Count,
                what: What::Rows(table),
            });
        }
        if self.measures.len() > 1 {
            return stop("of what the share is is not clear");
        }
        let subject = self.subject_of_measure();
        let periods = std::mem::take(&mut self.periods);
        self.finish_conditions(subject)?;
        let part = std::mem::take(&mut self.asked);
        self.asked = periods
            .into_iter()
            .map(|period| Asked::Days { period, by: None })
            .collect();
        if part.is_empty() && self.groups.is_empty() {
            return stop("the part of the share is not clear");
        }
        self.at_some_grain(|composer, grain| composer.share_at(grain, &part))
    }

    /// A figure over the rows of a table, and the groups that the question asks for.
    fn grouped_at(
        &self,
        grain: usize,
        measured: &Measured,
        said: &mut Said,
    ) -> Result<(Aggregate, Vec<Dimension>), Stop> {
        let groups = self.groups.iter();
        let dimensions = groups.map(|group| self.dimension_at(grain, group, said));
        let dimensions = dimensions.collect::<Result<_, Misfit>>()?;
        let (whole, says) = self
            .aggregate_at(grain, measured)
            .ok_or(Stop::from(Misfit::Unreachable))?;
        if !says.is_empty() {
            said.push((format!("{} is {says}", self.name_of(measured)), true));
        }
        Ok((whole, dimensions))
    }

    pub(super) fn share_at(&mut self, grain: usize, part: &[Asked]) -> Result<SemanticQuery, Stop> {
        let Some(measured) = self.measures.first().cloned() else {
            return stop("no measure");
        };
        let mut said = Vec::new();
        let (whole, dimensions) = self.grouped_at(grain, &measured, &mut said)?;
        let only = place(self.schema, grain, part, &mut said)?;
        let mut conditions = place(self.schema, grain, &self.asked, &mut said)?;
        self.leave_out_cancelled(grain, &mut conditions, &mut said);
        let value = match part.is_empty() {
            true => Value::ShareOfAll(whole),
            false => Value::Percentage(
                Aggregate {
                    only,
                    ..whole.clone()
                },
                whole,
            ),
        };
        self.said.extend(said);
        let measures = vec![Measure {
            name: "percent".to_owned(),
            value,
        }];
        let answer = Answer::Figures {
            measures,
            dimensions,
        };
        self.query(grain, conditions, answer, None)
    }

    /// Two periods beside each other, growth from one to the other, or groups of two values.
    pub(super) fn comparison(&mut self) -> Result<SemanticQuery, Stop> {
        let before = self.spans.iter().find_map(months_of_before);
        let is_growth = self.has(Concept::Growth);
        // "compared with the year before" asks for both, "how much more in percent" for the growth.
        let says_growth = self
            .spans
            .iter()
            .any(|span| span.is(Concept::Growth) && months_of_before(span).is_none())
            || is_growth && (self.has(Concept::Percent) || self.has(Concept::Share));
        let is_compared = self.has(Concept::Compare);
        for at in 0..self.spans.len() {
            // "Did it rise or fall?"
            let is_either = is_growth && self.is(at, Concept::Or);
            if is_either
                || [
                    Concept::Compare,
                    Concept::Growth,
                    Concept::Percent,
                    Concept::Than,
                    Concept::And,
                ]
                .iter()
                .any(|one| self.is(at, *one))
            {
                self.take(at);
            }
        }
        // "with the number in July": the same number again.
        let counts: Vec<usize> = (0..self.spans.len())
            .filter(|at| self.is(*at, Concept::Count) && !self.is_used(*at))
            .collect();
        for again in counts.into_iter().skip(1) {
            if !(again..self.spans.len()).any(|at| self.is_noun(at)) {
                self.take(again);
            }
        }
        self.read_measures()?;
        if self.measures.is_empty()
            && self.rank.is_none()
            && let Some(noun) = self.first_noun()
            && let Some(table) = self
                .table_of(noun)
                .filter(|at| day_of(self.schema, *at).is_some())
        {
            self.take(noun);
            self.measures.push(Measured {
                function: Function::Count,
                what: What::Rows(table),
            });
        }
        if self.measures.is_empty() {
            if self.rank.is_some() {
                return stop("a ranked comparison is not understood");
            }
            return stop("what is compared is not clear");
        }
        let subject = self.subject_of_measure();
        if is_growth
            && self.periods.len() < 2
            && self.rank.is_none()
            && let [Group::Part(part)] = self.groups.as_slice()
        {
            // "by month, compared with the year before" is about the same month of that year.
            if before.is_some_and(|months| months_of_part(*part) != Some(months)) {
                return stop("a period is compared with another one than the one before");
            }
            self.finish_conditions(subject)?;
            return self.growth_by_period();
        }
        let mut periods = std::mem::take(&mut self.periods);
        if let ([only], Some(months)) = (periods.as_slice(), before) {
            periods.extend(only.months_before(months));
        }
        periods.sort_by(|one, other| one.from.cmp(&other.from));
        self.finish_conditions(subject)?;
        let [first, second] = periods.as_slice() else {
            if is_compared && periods.len() < 2 {
                let values = self
                    .asked
                    .iter()
                    .filter(|one| matches!(one, Asked::Values { .. }))
                    .count();
                if values == 2 {
                    self.asked.extend(
                        periods
                            .into_iter()
                            .map(|period| Asked::Days { period, by: None }),
                    );
                    return self.compared_values();
                }
            }
            return stop("what is compared is not clear");
        };
        let (first, second) = (first.clone(), second.clone());
        self.at_some_grain(|composer, grain| {
            composer.compared_at(grain, &first, &second, says_growth)
        })
    }

    /// "growth by month": beside each figure, by how many percent it is more than the one before.
    fn growth_by_period(&mut self) -> Result<SemanticQuery, Stop> {
        let mut query = self.figures(None)?;
        let Answer::Figures { measures, .. } = &mut query.answer else {
            return stop("what is compared is not clear");
        };
        let [
            Measure {
                value: Value::Aggregate(one),
                ..
            },
        ] = measures.as_slice()
        else {
            return stop("several figures are compared");
        };
        let growth = Measure {
            name: "growth_percent".to_owned(),
            value: Value::GrowthByPeriod(one.clone()),
        };
        measures.push(growth);
        Ok(query)
    }

    pub(super) fn compared_at(
        &mut self,
        grain: usize,
        first: &Period,
        second: &Period,
        is_growth: bool,
    ) -> Result<SemanticQuery, Stop> {
        let Some(measured) = self
            .measures
            .first()
            .cloned()
            .filter(|_| self.measures.len() == 1)
        else {
            return stop("several figures are compared");
        };
        let mut said = Vec::new();
        let (whole, dimensions) = self.grouped_at(grain, &measured, &mut said)?;
        let of = |period: &Period, said: &mut Said| -> Result<Aggregate, Stop> {
            let asked = [Asked::Days {
                period: period.clone(),
                by: None,
            }];
            Ok(Aggregate {
                only: place(self.schema, grain, &asked, said)?,
                ..whole.clone()
            })
        };
        let (one, other) = (of(first, &mut said)?, of(second, &mut said)?);
        let mut conditions = place(self.schema, grain, &self.asked, &mut said)?;
        self.leave_out_cancelled(grain, &mut conditions, &mut said);
        let name = self.name_of(&measured);
        let named = |period: &Period, place: &str| match &period.from {
            Some(day) => format!("{name}_from_{}", day.replace('-', "_")),
            None => format!("{name}_{place}"),
        };
        let measures = match is_growth {
            true => vec![Measure {
                name: "growth_percent".to_owned(),
                value: Value::Growth(one, other),
            }],
            false => vec![
                Measure {
                    name: named(first, "before"),
                    value: Value::Aggregate(one.clone()),
                },
                Measure {
                    name: named(second, "after"),
                    value: Value::Aggregate(other.clone()),
                },
                Measure {
                    name: "change".to_owned(),
                    value: Value::Change(one, other),
                },
            ],
        };
        self.said.extend(said);
        let answer = Answer::Figures {
            measures,
            dimensions,
        };
        self.query(grain, conditions, answer, None)
    }

    /// "compare revenue from US customers with that from German customers": a row for each value.
    pub(super) fn compared_values(&mut self) -> Result<SemanticQuery, Stop> {
        let mut names = Vec::new();
        let mut near = None;
        self.asked.retain(|one| match one {
            Asked::Values {
                names: own,
                is_negated: false,
                near: at,
                ..
            } => {
                names.extend(own.clone());
                near = near.or(*at);
                false
            }
            _ => true,
        });
        for grain in self.grains() {
            let mut said = Vec::new();
            let values = Asked::Values {
                names: names.clone(),
                is_negated: false,
                near,
                happens: false,
                is_each: false,
            };
            let Ok(placed) = place(self.schema, grain, std::slice::from_ref(&values), &mut said)
            else {
                continue;
            };
            let [Condition::OneOf { column, .. }] = placed.as_slice() else {
                continue;
            };
            let Ok(mut conditions) = place(self.schema, grain, &self.asked, &mut said) else {
                continue;
            };
            let Some(measured) = self.measures.first().cloned() else {
                continue;
            };
            let Some((aggregate, says)) = self.aggregate_at(grain, &measured) else {
                continue;
            };
            said.push((format!("{} is {says}", self.name_of(&measured)), true));
            self.leave_out_cancelled(grain, &mut conditions, &mut said);
            let dimension = Dimension::Column(column.clone());
            conditions.extend(placed);
            let measures = vec![Measure {
                name: self.name_of(&measured),
                value: Value::Aggregate(aggregate),
            }];
            self.said.extend(said);
            return self.query(
                grain,
                conditions,
                Answer::Figures {
                    measures,
                    dimensions: vec![dimension],
                },
                None,
            );
        }
        stop("what is compared is not clear")
    }
}
