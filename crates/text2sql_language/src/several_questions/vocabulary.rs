//! The words that separate questions.

use text2sql_domain::words;

/// Words before a question that say nothing.
pub(super) const COURTESY: &[&str] = &[
    "please", "hi", "hello", "hey", "can", "could", "you", "bitte", "hallo", "kannst", "du", "mir",
];

/// Words between two questions.
pub(super) const CONNECTORS: &[&str] = words!(
    "and, also, plus, please, additionally, furthermore, moreover, und, auch, sowie, ausserdem, \
     außerdem, zudem, ferner, bitte"
);

/// Those that join.
pub(super) const ANDS: &[&str] = &["and", "plus", "und", "sowie"];

/// Words that join, and words that open a question, in the languages of prompts.
pub(super) const FOREIGN_ANDS: &[&str] = &[
    "and", "und", "et", "y", "e", "ed", "en", "plus", "also", "sowie", "ainsi", "además", "inoltre",
];
pub(super) const FOREIGN_OPENERS: &[&str] = words!(
    "how, which, what, who, whose, where, when, wie, welche, welcher, welches, welchen, wer, wo, \
     wann, was, zeige, nenne, combien, quel, quelle, quels, quelles, qui, où, quand, cuántos, \
     cuántas, cuánto, qué, cuál, cuáles, quién, dónde, quanti, quante, quanto, quale, quali, chi, \
     dove, quantos, quantas, qual, quais, quem, onde, hoeveel, welke, wie, waar, wanneer"
);

/// Requests, which need one of the words after them: "price and list price" is no request.
pub(super) const REQUESTS: &[&str] = words!(
    "show, list, give, find, count, display, compare, tell, zeige, zeig, liste, nenne, nenn, gib, \
     finde, zähle, vergleiche"
);
pub(super) const REQUESTED: &[&str] = &[
    "me", "us", "all", "the", "every", "my", "our", "top", "how", "which", "what", "mir", "uns",
    "alle", "die", "den", "das", "der", "jede", "jeden", "wie", "welche",
];

/// After "which" and "who" these begin a clause about the word before: "orders which were cancelled and which …".
pub(super) const RELATIVE: &[&str] = words!(
    "is, are, was, were, has, have, had, do, does, did, can, could, will, would, in, on, at, of, \
     from, for, by, with, per, to, not, never, ist, sind, war, waren, hat, haben, hatte, hatten, \
     wird, werden, wurde, wurden, im, aus, von, für, mit, bei, nicht, nie, they, he, she, it"
);

/// Words by which a part refers to another one.
pub(super) const POINTING_BACK: &[&str] = words!(
    "it, its, they, them, their, theirs, those, he, she, his, her, hers, him, same, latter, \
     former, respective, respectively, ones, such, corresponding, else, instead, again, then, \
     both, either, remaining, rest, other, others, another, so, er, sie, ihr, ihre, ihrer, ihren, \
     ihrem, ihnen, ihm, ihn, sein, seine, seiner, seinen, seinem, deren, dessen, denen, davon, \
     dabei, damit, darin, daran, darunter, dort, dann, danach, jeweils, jeweilige, jeweiligen, \
     beide, beiden, solche, solchen, andere, anderen, übrigen, dieselbe, dieselben, derselbe, \
     derselben, desselben"
);

/// Stretches of time: "this month" points to no other part.
pub(super) const TIMES: &[&str] = &[
    "day", "week", "month", "quarter", "year", "morning", "tag", "woche", "monat", "quartal",
    "jahr", "monats", "jahres", "quartals",
];
