//! Which chart fits a result.
//!
//! | columns of the result | chart |
//! |---|---|
//! | one category, one measure | bar |
//! | one category, several measures of one unit | grouped bar |
//! | two categories, one measure | grouped bar; stacked, where it adds up |
//! | one time, one or more measures of one unit | line |
//! | one time, one category, one measure | line, one for each category; stacked bar, where it adds up |
//! | two measures, or too many categories with two measures | point |
//!
//! None where a chart would mislead: a single row; nothing to measure, or only numbers that are names; more
//! categories or lines than can be told apart; a column of units with several units in it; a measure of which half
//! is NULL; several rows for one mark.
//!
//! Sources of the rule:
//!
//! - Which marks for which kinds of columns: J. Mackinlay, "Automating the design of graphical presentations of
//!   relational information", ACM Transactions on Graphics 5 (1986), and J. Mackinlay, P. Hanrahan, C. Stolte, "Show
//!   Me: automatic presentation for visual analysis", IEEE TVCG 13 (2007): a category and a measure are bars, a date
//!   and a measure a line, two measures points.
//! - Why positions and lengths, never angles (no pie): W. S. Cleveland, R. McGill, "Graphical perception", Journal of
//!   the American Statistical Association 79 (1984). Which kind serves which task: B. Saket, A. Endert, Ç. Demiralp,
//!   "Task-based effectiveness of basic visualizations", IEEE TVCG 25 (2019).
//! - Bars begin at zero, lines need not: their length, their slope is what is compared. Vega-Lite's default
//!   (`scale.zero`) is the same, and E. Tufte's "lie factor" (The visual display of quantitative information, 1983)
//!   says why.
//! - At most seven series: the palette of M. Okabe and K. Ito (2008; B. Wong, "Points of view: color blindness",
//!   Nature Methods 8, 2011) has seven colours besides black.
//! - The other limits are what was readable when the charts of the demo were drawn 720 pixels wide: a bar needs 20
//!   pixels for its label, and thirty of them fill a screen.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::moments::{Grain, Moment, common_grain};
use crate::numbers::Number;
use crate::request::{ChartRequest, Kind};
use crate::roles::{Field, Role, adds_up, fields, names_a_share};

pub(crate) const MAX_CATEGORIES: usize = 30;
/// Groups of bars.
const MAX_GROUPS: usize = 15;
/// Colours of the palette.
pub(crate) const MAX_SERIES: usize = 7;
/// Bars over time, which are thinner and labelled now and then.
const MAX_TIME_BARS: usize = 48;
const MAX_POINTS: usize = 2_000;
/// Fewer points show no relation.
const MIN_POINTS: usize = 5;
/// A line through two points says no more than two bars.
const MIN_LINE: usize = 3;
/// Measures whose largest values differ by more share no axis: one of them would be flat.
const MAX_MAGNITUDES: f64 = 20.0;

/// Values of one measure, or of one category of a measure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// One for each category or time; none is a gap.
    pub(crate) values: Vec<Option<Number>>,
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Design {
    /// Values of categories, in the order of the rows.
    Categories {
        measure: String,
        category: String,
        /// `None` is NULL.
        labels: Vec<Option<String>>,
        series: Vec<Series>,
    },
    /// Values over time, in its order.
    Times {
        measure: String,
        time: String,
        moments: Vec<Moment>,
        grain: Grain,
        series: Vec<Series>,
    },
    /// Pairs of values.
    Pairs {
        x: String,
        y: String,
        points: Vec<(Number, Number, Option<String>)>,
    },
}

/// Why a result has a chart, or none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reason {
    NoRows,
    OneRow,
    NoMeasure,
    OnlyIdentifiers,
    NothingToCompare,
    MixedUnits {
        column: String,
    },
    MostlyNull {
        column: String,
    },
    TooManyCategories {
        column: String,
        count: usize,
    },
    TooManySeries {
        column: String,
        count: usize,
    },
    TooManyPoints {
        count: usize,
    },
    TooManyColumns,
    RowsShareAMark {
        column: String,
    },
    Bars {
        category: String,
        count: usize,
        measure: String,
    },
    GroupedBars {
        category: String,
        count: usize,
        series: usize,
    },
    TimeBars {
        time: String,
        count: usize,
    },
    Line {
        time: String,
        count: usize,
        series: usize,
    },
    Points {
        x: String,
        y: String,
        count: usize,
    },
}

/// What was decided.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decision {
    pub(crate) design: Option<Design>,
    /// The best first.
    pub(crate) kinds: Vec<Kind>,
    pub(crate) reason: Reason,
    /// How many of the measures of one unit are drawn.
    measures_drawn: usize,
    /// Measures that are not drawn.
    pub(crate) left_out: Vec<String>,
    /// Rows that are not drawn, because they have no time or no value.
    pub(crate) rows_left_out: usize,
    pub(crate) truncated: bool,
}

impl Decision {
    fn none(reason: Reason) -> Self {
        Self::of(None, &[], reason)
    }

    fn of(design: Option<Design>, kinds: &[Kind], reason: Reason) -> Self {
        Self {
            design,
            kinds: kinds.to_vec(),
            reason,
            measures_drawn: 1,
            left_out: Vec::new(),
            rows_left_out: 0,
            truncated: false,
        }
    }
}

struct Measure<'a> {
    name: &'a str,
    values: &'a [Option<Number>],
}

struct Category<'a> {
    name: &'a str,
    values: &'a [Option<String>],
    distinct: usize,
}

struct Times<'a> {
    name: &'a str,
    values: &'a [Option<Moment>],
}

/// Decides which chart fits a result.
pub(crate) fn decide(request: &ChartRequest) -> Decision {
    let rows = request.result_rows.len();
    let fields = fields(&request.result_columns, &request.result_rows);
    let mut decision = match rows {
        0 => Decision::none(Reason::NoRows),
        1 => Decision::none(Reason::OneRow),
        _ => of_fields(&fields, rows),
    };
    decision.truncated = request.truncated && decision.design.is_some();
    decision
}

fn of_fields(fields: &[Field], rows: usize) -> Decision {
    if let Some(unit) = fields
        .iter()
        .find(|field| field.role == Role::Unit && field.distinct > 1)
    {
        return Decision::none(Reason::MixedUnits {
            column: unit.name.clone(),
        });
    }
    let (mut measures, mut categories, mut identifiers, mut times) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for field in fields {
        let name = field.name.as_str();
        match &field.role {
            Role::Measure(values) => {
                if field.missing * 2 > rows {
                    return Decision::none(Reason::MostlyNull {
                        column: field.name.clone(),
                    });
                }
                measures.push(Measure { name, values });
            }
            // What is the same in every row tells nothing apart.
            Role::Category(values) if field.distinct > 1 || field.missing > 0 => {
                categories.push(Category {
                    name,
                    values,
                    distinct: field.distinct + usize::from(field.missing > 0),
                });
            }
            Role::Identifier(values) => identifiers.push(Category {
                name,
                values,
                distinct: field.distinct + usize::from(field.missing > 0),
            }),
            Role::Time(values) if field.distinct > 1 => times.push(Times { name, values }),
            _ => {}
        }
    }
    if measures.is_empty() {
        return Decision::none(if identifiers.is_empty() {
            Reason::NoMeasure
        } else {
            Reason::OnlyIdentifiers
        });
    }
    let (drawn, left_out) = of_one_unit(measures);
    let mut decision = of_roles(&drawn, &left_out, categories, identifiers, &times, rows);
    decision.left_out = drawn
        .iter()
        .skip(decision.measures_drawn)
        .chain(&left_out)
        .map(|measure| measure.name.to_owned())
        .collect();
    if let Some(Design::Pairs { x, y, .. }) = &decision.design {
        decision.left_out.retain(|name| name != x && name != y);
    }
    decision
}

/// The measures that share an axis with the first one, and the others.
fn of_one_unit(measures: Vec<Measure<'_>>) -> (Vec<Measure<'_>>, Vec<Measure<'_>>) {
    let largest = |measure: &Measure<'_>| {
        measure
            .values
            .iter()
            .flatten()
            .map(|number| number.value.abs())
            .fold(0.0, f64::max)
    };
    let Some(first) = measures.first() else {
        return (measures, Vec::new());
    };
    let (magnitude, is_share) = (largest(first), names_a_share(first.name));
    measures.into_iter().partition(|measure| {
        let other = largest(measure);
        names_a_share(measure.name) == is_share
            && other <= magnitude * MAX_MAGNITUDES
            && magnitude <= other * MAX_MAGNITUDES
    })
}

fn of_roles(
    measures: &[Measure<'_>],
    others: &[Measure<'_>],
    mut categories: Vec<Category<'_>>,
    identifiers: Vec<Category<'_>>,
    times: &[Times<'_>],
    rows: usize,
) -> Decision {
    // A name that tells all rows apart is enough, whatever else a row says of the thing.
    let is_key = |category: &Category<'_>| category.distinct == rows;
    if let Some(position) = categories.iter().position(is_key) {
        let key = categories.swap_remove(position);
        return by_category(&key, measures, others, rows);
    }
    match (times, categories.as_slice()) {
        ([time], []) if is_unique(time.values) => over_time(time, measures),
        ([time], [category]) => over_time_by_category(time, category, measures),
        ([time], []) => Decision::none(Reason::RowsShareAMark {
            column: time.name.to_owned(),
        }),
        ([], []) => match identifiers.iter().find(|identifier| is_key(identifier)) {
            Some(key) => by_category(key, measures, others, rows),
            None => as_points(measures, others, None),
        },
        ([], [category]) => Decision::none(Reason::RowsShareAMark {
            column: category.name.to_owned(),
        }),
        ([], [first, second]) => by_two_categories(first, second, measures, rows),
        _ => Decision::none(Reason::TooManyColumns),
    }
}

fn is_unique(values: &[Option<Moment>]) -> bool {
    let mut seen = HashSet::new();
    values.iter().flatten().all(|moment| seen.insert(moment.at))
}

fn series_of(measures: &[Measure<'_>]) -> Vec<Series> {
    measures
        .iter()
        .take(MAX_SERIES)
        .map(|measure| Series {
            name: measure.name.to_owned(),
            values: measure.values.to_vec(),
        })
        .collect()
}

fn name_of(measures: &[Measure<'_>]) -> String {
    let names: Vec<_> = measures.iter().map(|measure| measure.name).collect();
    names.join(", ")
}

fn by_category(
    category: &Category<'_>,
    measures: &[Measure<'_>],
    others: &[Measure<'_>],
    rows: usize,
) -> Decision {
    if rows > MAX_CATEGORIES {
        let points = as_points(measures, others, Some(category));
        if points.design.is_some() {
            return points;
        }
        return Decision::none(Reason::TooManyCategories {
            column: category.name.to_owned(),
            count: rows,
        });
    }
    // Groups of bars need more room than single ones.
    let measures = if rows > MAX_GROUPS {
        measures.get(..1).unwrap_or_default()
    } else {
        measures
    };
    let design = Design::Categories {
        measure: name_of(measures),
        category: category.name.to_owned(),
        labels: category.values.to_vec(),
        series: series_of(measures),
    };
    match measures {
        [measure] => Decision::of(
            Some(design),
            &[Kind::Bar, Kind::Point],
            Reason::Bars {
                category: category.name.to_owned(),
                count: rows,
                measure: measure.name.to_owned(),
            },
        ),
        _ => Decision {
            measures_drawn: measures.len().min(MAX_SERIES),
            ..Decision::of(
                Some(design),
                &[Kind::GroupedBar, Kind::Point],
                Reason::GroupedBars {
                    category: category.name.to_owned(),
                    count: rows,
                    series: measures.len().min(MAX_SERIES),
                },
            )
        },
    }
}

fn over_time(time: &Times<'_>, measures: &[Measure<'_>]) -> Decision {
    let mut order: Vec<(usize, Moment)> = time
        .values
        .iter()
        .enumerate()
        .filter_map(|(row, moment)| Some((row, (*moment)?)))
        .collect();
    order.sort_by(|(_, one), (_, other)| one.seconds.total_cmp(&other.seconds));
    let series = measures
        .iter()
        .take(MAX_SERIES)
        .map(|measure| Series {
            name: measure.name.to_owned(),
            values: order
                .iter()
                .map(|(row, _)| measure.values.get(*row).cloned().flatten())
                .collect(),
        })
        .collect();
    let left_out = time.values.len() - order.len();
    let moments = order.into_iter().map(|(_, moment)| moment).collect();
    Decision {
        measures_drawn: measures.len().min(MAX_SERIES),
        ..times_design(
            time.name,
            name_of(measures),
            moments,
            series,
            left_out,
            false,
        )
    }
}

fn times_design(
    time: &str,
    measure: String,
    moments: Vec<Moment>,
    series: Vec<Series>,
    rows_left_out: usize,
    are_parts: bool,
) -> Decision {
    let (count, lines) = (moments.len(), series.len());
    if count < 2 {
        return Decision::none(Reason::NothingToCompare);
    }
    let bars = if lines == 1 {
        Kind::Bar
    } else {
        Kind::GroupedBar
    };
    let fits_bars = count * lines <= MAX_TIME_BARS;
    let (kinds, reason): (&[Kind], _) = if count < MIN_LINE {
        let reason = Reason::TimeBars {
            time: time.to_owned(),
            count,
        };
        (&[bars, Kind::Point], reason)
    } else {
        let reason = Reason::Line {
            time: time.to_owned(),
            count,
            series: lines,
        };
        match (fits_bars, bars) {
            (true, Kind::Bar) => (&[Kind::Line, Kind::Bar, Kind::Point], reason),
            (true, _) => (&[Kind::Line, Kind::GroupedBar, Kind::Point], reason),
            (false, _) => (&[Kind::Line, Kind::Point], reason),
        }
    };
    let grain = common_grain(&moments);
    let mut kinds = kinds.to_vec();
    if fits_bars && lines > 1 && are_parts {
        kinds.insert(kinds.len() - 1, Kind::StackedBar);
    }
    Decision {
        rows_left_out,
        ..Decision::of(
            Some(Design::Times {
                measure,
                time: time.to_owned(),
                moments,
                grain,
                series,
            }),
            &kinds,
            reason,
        )
    }
}

/// Whether the values of series stand on each other as parts of a whole: amounts of one measure that add up, none below zero.
fn are_parts(measure: &Measure<'_>) -> bool {
    adds_up(measure.name)
        && measure
            .values
            .iter()
            .flatten()
            .all(|number| number.value >= 0.0)
}

/// The values of a column, each once, in the order in which they come first.
fn in_order<T: Clone + Eq + Hash>(values: &[T]) -> Vec<T> {
    let mut seen = HashSet::new();
    values
        .iter()
        .filter(|value| seen.insert((*value).clone()))
        .cloned()
        .collect()
}

/// One series for each value of a category, over positions. None if two rows have the same place.
fn split(
    measure: &Measure<'_>,
    names: &[Option<String>],
    name_of_row: &[Option<String>],
    position_of_row: &[Option<usize>],
    positions: usize,
) -> Option<Vec<Series>> {
    let index: HashMap<_, _> = names
        .iter()
        .enumerate()
        .map(|(index, name)| (name, index))
        .collect();
    let mut series: Vec<Series> = names
        .iter()
        .map(|name| Series {
            name: name.clone().unwrap_or_else(|| "NULL".to_owned()),
            values: vec![None; positions],
        })
        .collect();
    let mut taken = HashSet::new();
    for ((name, position), value) in name_of_row.iter().zip(position_of_row).zip(measure.values) {
        let (Some(&line), Some(position)) = (index.get(name), *position) else {
            continue;
        };
        if !taken.insert((line, position)) {
            return None;
        }
        if let Some(place) = series
            .get_mut(line)
            .and_then(|series| series.values.get_mut(position))
        {
            place.clone_from(value);
        }
    }
    Some(series)
}

fn over_time_by_category(
    time: &Times<'_>,
    category: &Category<'_>,
    measures: &[Measure<'_>],
) -> Decision {
    let Some(measure) = measures.first() else {
        return Decision::none(Reason::NoMeasure);
    };
    if category.distinct > MAX_SERIES {
        return Decision::none(Reason::TooManySeries {
            column: category.name.to_owned(),
            count: category.distinct,
        });
    }
    let mut moments: Vec<Moment> = time.values.iter().flatten().copied().collect();
    moments.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    moments.dedup();
    let position: HashMap<_, _> = moments
        .iter()
        .enumerate()
        .map(|(index, moment)| (moment.at, index))
        .collect();
    let positions: Vec<_> = time
        .values
        .iter()
        .map(|moment| position.get(&(*moment)?.at).copied())
        .collect();
    let names = in_order(category.values);
    match split(measure, &names, category.values, &positions, moments.len()) {
        Some(series) => {
            let left_out = positions.iter().filter(|place| place.is_none()).count();
            times_design(
                time.name,
                measure.name.to_owned(),
                moments,
                series,
                left_out,
                are_parts(measure),
            )
        }
        None => Decision::none(Reason::RowsShareAMark {
            column: format!("{}, {}", time.name, category.name),
        }),
    }
}

fn by_two_categories(
    first: &Category<'_>,
    second: &Category<'_>,
    measures: &[Measure<'_>],
    rows: usize,
) -> Decision {
    let Some(measure) = measures.first() else {
        return Decision::none(Reason::NoMeasure);
    };
    // Two names that only together tell rows apart, such as first and last name.
    let together: Vec<Option<String>> = first
        .values
        .iter()
        .zip(second.values)
        .map(|pair| match pair {
            (None, None) => None,
            (Some(name), None) | (None, Some(name)) => Some(name.clone()),
            (Some(one), Some(other)) => Some(format!("{one} {other}")),
        })
        .collect();
    let (groups, colours) = if first.distinct >= second.distinct {
        (first, second)
    } else {
        (second, first)
    };
    let are_few = groups.distinct <= MAX_GROUPS && colours.distinct <= MAX_SERIES;
    if !are_few || rows * 2 < groups.distinct * colours.distinct {
        let name = format!("{}, {}", first.name, second.name);
        if in_order(&together).len() < rows {
            return Decision::none(Reason::RowsShareAMark { column: name });
        }
        let category = Category {
            name: &name,
            values: &together,
            distinct: rows,
        };
        return by_category(&category, measures, &[], rows);
    }
    let labels = in_order(groups.values);
    let index: HashMap<_, _> = labels
        .iter()
        .enumerate()
        .map(|(index, label)| (label, index))
        .collect();
    let positions: Vec<_> = groups
        .values
        .iter()
        .map(|label| index.get(label).copied())
        .collect();
    let names = in_order(colours.values);
    let Some(series) = split(measure, &names, colours.values, &positions, labels.len()) else {
        return Decision::none(Reason::RowsShareAMark {
            column: format!("{}, {}", first.name, second.name),
        });
    };
    let (count, lines) = (labels.len(), series.len());
    let mut kinds = vec![Kind::GroupedBar, Kind::Point];
    if are_parts(measure) {
        kinds.insert(1, Kind::StackedBar);
    }
    Decision::of(
        Some(Design::Categories {
            measure: measure.name.to_owned(),
            category: groups.name.to_owned(),
            labels,
            series,
        }),
        &kinds,
        Reason::GroupedBars {
            category: groups.name.to_owned(),
            count,
            series: lines,
        },
    )
}

fn as_points(
    measures: &[Measure<'_>],
    others: &[Measure<'_>],
    names: Option<&Category<'_>>,
) -> Decision {
    // Each axis has a unit of its own.
    let mut all = measures.iter().chain(others);
    let (Some(x), Some(y), None) = (all.next(), all.next(), all.next()) else {
        return Decision::none(Reason::NothingToCompare);
    };
    let points: Vec<_> = x
        .values
        .iter()
        .zip(y.values)
        .enumerate()
        .filter_map(|(row, (x, y))| {
            let name = names.and_then(|names| names.values.get(row).cloned().flatten());
            Some((x.clone()?, y.clone()?, name))
        })
        .collect();
    let count = points.len();
    if count < MIN_POINTS {
        return Decision::none(Reason::NothingToCompare);
    }
    if count > MAX_POINTS {
        return Decision::none(Reason::TooManyPoints { count });
    }
    let (x_name, y_name) = (x.name.to_owned(), y.name.to_owned());
    Decision {
        rows_left_out: x.values.len() - count,
        ..Decision::of(
            Some(Design::Pairs {
                x: x_name.clone(),
                y: y_name.clone(),
                points,
            }),
            &[Kind::Point],
            Reason::Points {
                x: x_name,
                y: y_name,
                count,
            },
        )
    }
}
