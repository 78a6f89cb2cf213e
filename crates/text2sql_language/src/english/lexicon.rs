//! English words of the grammar. No list names a table or a column: nouns come from the schema.

use std::collections::HashSet;
use std::sync::LazyLock;
use text2sql_domain::words;

/// Whether the grammar knows the word; a word that is neither this nor linked is reported as missing.
pub fn is_known(lower: &str) -> bool {
    LISTS.iter().any(|list| list.contains(&lower))
        || aggregate(lower).is_some()
        || adjective(lower).is_some()
        || superlative(lower).is_some()
        || comparative(lower).is_some()
        || month_of(lower).is_some()
}

/// The lists of words of the grammar.
const LISTS: [&[&str]; 20] = [
    OPENERS,
    EMPTY,
    AUXILIARIES,
    RELATIVES,
    PREPOSITIONS,
    CONJUNCTIONS,
    DISTINCT_WORDS,
    EACH_WORDS,
    COUNT_WORDS,
    LINKING_VERBS,
    EVENT_VERBS,
    PRONOUNS,
    COMPARISON_WORDS,
    ORDER_WORDS,
    NEGATIONS,
    TIME_WORDS,
    LITERAL_WORDS,
    WHOLE_ROW_WORDS,
    DIMENSION_WORDS,
    CURRENCIES,
];

/// The words of the lists, to find the one that a misspelt word stands for.
pub fn listed_words() -> impl Iterator<Item = &'static str> {
    LISTS.iter().copied().flatten().copied()
}

/// Whether the word has a role in the grammar other than that of a verb.
pub fn is_grammar(lower: &str) -> bool {
    is_function_word(lower)
        || TIME_WORDS.contains(&lower)
        || LITERAL_WORDS.contains(&lower)
        || WHOLE_ROW_WORDS.contains(&lower)
        || aggregate(lower).is_some()
        || adjective(lower).is_some()
        || superlative(lower).is_some()
        || comparative(lower).is_some()
        || month_of(lower).is_some()
}

/// Ways to begin a request.
pub const OPENERS: &[&str] = words!(
    "show, list, give, find, return, display, tell, get, report, print, retrieve, fetch, name, \
     what, which, who, please, can, could, you, would, like, to, know, see, want, i, me, us, we, \
     need, provide, compute, calculate, determine, identify, select, enumerate, how, high, look"
);

/// Words without a meaning of their own.
pub const EMPTY: &[&str] = words!(
    "the, a, an, all, any, some, there, exactly, our, my, your, please, currently, yet, overall, \
     altogether, together, also, then, respectively, respective, corresponding, database, system, \
     information, full, entire, whole, details, data, record, records, value, values, various, \
     whatever, result, results, times, time"
);

/// Auxiliary verbs.
pub const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "being", "do", "does", "did", "have", "has", "had",
    "having",
];

/// Relative pronouns.
pub const RELATIVES: &[&str] = &[
    "that", "which", "who", "whose", "where", "when", "with", "whom", "what",
];

/// Prepositions.
pub const PREPOSITIONS: &[&str] = &[
    "of", "in", "from", "for", "at", "on", "by", "to", "within", "during", "per", "among",
    "across", "under", "into", "out",
];

/// Conjunctions.
pub const CONJUNCTIONS: &[&str] = &[
    "and", "or", "as", "well", "along", "both", "but", "also", "either", "neither", "nor", "plus",
];

/// Words that ask for different rows or values.
pub const DISTINCT_WORDS: &[&str] = &["different", "distinct", "unique"];

/// Words before a grouping noun.
pub const EACH_WORDS: &[&str] = &["each", "every", "per"];

/// Words that ask for a count.
pub const COUNT_WORDS: &[&str] = &[
    "number", "count", "many", "much", "total", "amount", "quantity", "numbers",
];

/// Pronouns.
pub const PRONOUNS: &[&str] = &[
    "its", "their", "them", "it", "they", "these", "those", "this", "his", "her", "one", "ones",
];

/// Negations.
pub const NEGATIONS: &[&str] = &["not", "no", "without", "never", "non"];

pub use super::verbs::{EVENT_VERBS, EXISTENCE_VERBS, LINKING_VERBS, LOCATING_VERBS, verb_root};

/// Words of comparisons.
pub const COMPARISON_WORDS: &[&str] = words!(
    "more, less, fewer, greater, higher, lower, larger, smaller, bigger, than, over, above, \
     below, under, least, most, at, exceeds, exceed, exceeding, between, equal, equals, up, \
     before, after, since, until, till, starting, starts, start, begin, begins, beginning, \
     ending, ends, end, containing, contains, contain, letter, letters, substring, word, top, \
     bottom, first, last, earlier, later, older, younger, ranges, range, ranging, average, \
     missing, empty, null, unknown, known, true, false, yes, prior, longer, shorter, cheaper, \
     following, no, only, just, exact"
);

/// Words that measure and compare by themselves.
pub const DIMENSION_WORDS: &[&str] = words!(
    "percentage, percent, share, proportion, fraction, times, multiplied, divided, minus, plus, \
     low, small, large, worst, best, duplicates, repetition, repeats, either, multiple, such, \
     recent, recently, newest, common, popular, frequent, commonly, frequently, old, age, cost, \
     costs, costing, priced, years-old"
);

/// Words of rankings and orders.
pub const ORDER_WORDS: &[&str] = words!(
    "order, ordered, sort, sorted, ascending, descending, alphabetical, alphabetic, \
     alphabetically, lexicographical, lexicographic, asc, desc, rank, ranked, reverse, \
     increasing, decreasing, chronological, group, grouped, broken, down, according"
);

/// Words of periods.
pub const TIME_WORDS: &[&str] = words!(
    "first, second, third, fourth, today, yesterday, year, month, quarter, week, day, days, \
     years, months, weeks, last, this, past, previous, current, q1, q2, q3, q4"
);

/// Units behind an amount of money.
pub const CURRENCIES: &[&str] = &["dollar", "dollars", "euro", "euros", "pounds"];

/// Words for the key of a row.
pub const LITERAL_WORDS: &[&str] = &["id", "ids"];

/// Words around "all the information about …".
pub const WHOLE_ROW_WORDS: &[&str] =
    words!("about, complete, info, columns, fields, attributes, regarding");

/// An aggregate function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// `sum`
    Sum,
    /// `avg`
    Average,
    /// `min`
    Minimum,
    /// `max`
    Maximum,
    /// `percentile_cont(0.5)`
    Median,
}

impl Aggregate {
    /// The function's name in SQL.
    pub fn function(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Average => "avg",
            Self::Minimum => "min",
            Self::Maximum => "max",
            Self::Median => "percentile_cont",
        }
    }

    /// The aggregate of an expression in SQL.
    pub fn call(self, expression: &str) -> String {
        match self {
            Self::Median => format!("percentile_cont(0.5) WITHIN GROUP (ORDER BY {expression})"),
            _ => format!("{}({expression})", self.function()),
        }
    }

    /// The word before a column's name in the output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sum => "total",
            Self::Average => "average",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::Median => "median",
        }
    }
}

/// The aggregate that a word before a column asks for.
pub fn aggregate(lower: &str) -> Option<Aggregate> {
    Some(match lower {
        "sum" | "total" => Aggregate::Sum,
        "average" | "mean" | "avg" => Aggregate::Average,
        "median" => Aggregate::Median,
        "minimum" | "min" | "lowest" | "smallest" | "least" | "earliest" => Aggregate::Minimum,
        "maximum" | "max" | "highest" | "largest" | "greatest" | "biggest" | "latest" => {
            Aggregate::Maximum
        }
        _ => return None,
    })
}

/// Whether the word asks for the upper (`true`) or lower end of a measure that is named after it.
pub fn superlative(lower: &str) -> Option<bool> {
    Some(match lower {
        "most" | "highest" | "largest" | "greatest" | "biggest" | "maximum" | "max" | "latest"
        | "longest" => true,
        "least" | "fewest" | "lowest" | "smallest" | "minimum" | "min" | "earliest"
        | "shortest" => false,
        _ => return None,
    })
}

/// The measures of adjectives.
pub const PRICE: &[&str] = &["price", "cost"];
/// The measures of "old" and "young".
pub const AGE: &[&str] = &["age"];
/// The measures of "long" and "short".
pub const LENGTH: &[&str] = &["length", "duration"];
const HEIGHT: &[&str] = &["height"];
const WEIGHT: &[&str] = &["weight"];

/// A comparative that names a dimension: whether more of it is meant, and the measures.
pub fn comparative(lower: &str) -> Option<(bool, &'static [&'static str])> {
    Some(match lower {
        "expensive" | "costly" => (true, PRICE),
        "cheaper" => (false, PRICE),
        "older" => (true, AGE),
        "younger" => (false, AGE),
        "longer" => (true, LENGTH),
        "shorter" => (false, LENGTH),
        "taller" => (true, HEIGHT),
        "heavier" => (true, WEIGHT),
        "lighter" => (false, WEIGHT),
        _ => return None,
    })
}

/// Adjectives that take "more" and "most".
pub fn needs_more(lower: &str) -> bool {
    matches!(lower, "expensive" | "costly")
}

/// An adjective that names a dimension, with the ends of the measures that it may mean.
pub fn adjective(lower: &str) -> Option<(bool, &'static [&'static str])> {
    Some(match lower {
        "expensive" | "costly" | "priciest" | "costliest" | "dearest" => (true, PRICE),
        "cheapest" => (false, PRICE),
        "oldest" => (true, AGE),
        "youngest" => (false, AGE),
        "longest" => (true, LENGTH),
        "shortest" => (false, LENGTH),
        "tallest" => (true, HEIGHT),
        "heaviest" => (true, WEIGHT),
        "lightest" => (false, WEIGHT),
        _ => return None,
    })
}

/// The month that a word names.
pub fn month_of(lower: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = *words!(
        "january, february, march, april, may, june, july, august, september, october, november, \
         december"
    );
    let short = lower.trim_end_matches('.');
    let position = MONTHS
        .iter()
        .position(|name| *name == short || (short.len() == 3 && name.starts_with(short)))?;
    i8::try_from(position + 1).ok()
}

/// Words so common that only an exact spelling may make them a value.
static FUNCTION_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    [
        EMPTY,
        AUXILIARIES,
        RELATIVES,
        PREPOSITIONS,
        CONJUNCTIONS,
        PRONOUNS,
        NEGATIONS,
        EACH_WORDS,
        OPENERS,
        COUNT_WORDS,
        COMPARISON_WORDS,
        DISTINCT_WORDS,
        ORDER_WORDS,
    ]
    .concat()
    .into_iter()
    .collect()
});

/// Whether the word is one of `FUNCTION_WORDS`.
pub fn is_function_word(lower: &str) -> bool {
    FUNCTION_WORDS.contains(lower)
}
