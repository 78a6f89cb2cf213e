//! English.

use super::PlainWords;

#[rustfmt::skip]
pub(super) const ENGLISH: PlainWords = PlainWords {
    function: &[
        "a", "about", "above", "across", "after", "against", "all", "along", "also", "am", "among", "an", "and", "any",
        "are", "around", "as", "at", "be", "been", "before", "being", "below", "between", "both", "but", "by", "can",
        "could", "did", "do", "does", "doing", "don", "down", "during", "each", "either", "every", "for", "from",
        "had", "has", "have", "having", "he", "her", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
        "just", "many", "may", "me", "might", "more", "most", "much", "must", "my", "no", "nor", "not", "of", "off", "on",
        "once", "only", "onto", "or", "other", "our", "ours", "out", "over", "own", "per", "please", "s", "same", "she",
        "should", "since", "so", "some", "such", "t", "than", "that", "the", "their", "them", "then", "there", "these",
        "they", "this", "those", "through", "till", "to", "too", "under", "until", "up", "us", "very", "was", "we",
        "were", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with",
        "within", "without", "would", "yet", "you", "your",
    ],
    general: &[
        "again", "age", "alphabetical", "alphabetically", "amount", "amounts", "anything", "ascending", "ask", "average",
        "averages", "became", "become", "best", "biggest", "bottom", "broken", "calculate", "call", "called", "came",
        "change", "changed", "check", "checked", "common", "compare", "compared", "contain", "containing", "contains", "count",
        "counts", "current", "currently", "data", "date", "dates", "day", "days", "descending", "detail", "details",
        "determine", "difference", "different", "display", "distinct", "earlier", "earliest", "ever", "everything",
        "exactly", "fewer", "fewest", "find", "first", "following", "found", "full", "get", "give", "given", "go", "got",
        "greater", "group", "grouped", "happened", "high", "higher", "highest", "hour", "hours", "id", "identify", "ids", "including", "info",
        "information", "item", "items", "kind", "kinds", "know", "known", "large", "larger", "largest", "last", "late",
        "later", "latest", "least", "length", "less", "let", "list", "listed", "little", "live", "long", "longest", "look", "low", "lower",
        "lowest", "made", "make", "maximum", "max", "mean", "median", "min", "minimum", "minute", "minutes", "missing", "month", "monthly", "months",
        "name", "named", "names", "need", "never", "new", "newest", "next", "number", "numbers", "often", "old", "oldest",
        "one", "ones", "order", "ordered", "overall", "part", "people", "percent", "percentage", "person", "place", "placed", "popular",
        "previous", "provide", "quarter", "quarters", "range", "rank", "ranked", "rate", "ratio", "recent", "recently", "record",
        "records", "report", "respectively", "result", "results", "retrieve", "return", "rows", "second", "see", "show",
        "shown", "single", "small", "smaller", "smallest", "something", "sort", "sorted", "sum", "table", "tables", "take", "taken",
        "tell", "thing", "things", "third", "time", "times", "today", "together", "took", "top", "total", "totals", "twice", "two", "type", "types",
        "unique", "use", "used", "using", "value", "values", "various", "want", "week", "weeks", "whole", "work", "worked", "worst", "year",
        "yearly", "years", "yesterday", "young", "youngest",
    ],
    capitalises_nouns: false,
};
