//! Words of a question that say which side answers it.

use text2sql_domain::words;

/// The words of a question in lower case.
pub(super) struct Cues<'w> {
    words: Vec<&'w str>,
}

/// Beginnings of questions about a figure.
const ASKING_FOR_FIGURE: &[&str] = words!(
    "how many, how much, how often, what is the number, what is the total, what is the average, \
     what percentage, what share, wie viele, wie viel, wieviel, wieviele, wie oft, wie hoch"
);

/// Beginnings of other questions about rows.
const QUANTITY: &[&str] = words!(
    "how old, how high, number of, count, list, show, which, who, whose, when, where, give me, \
     total, sum, average, top, what was the total, what was the average, wie alt, anzahl, zähle, \
     zeige, zeig, liste, welche, welcher, welches, welchen, wer, wann, wo, nenne, gib, summe, \
     durchschnitt, wie lautet die anzahl"
);

/// Beginnings of those among them that a text may answer as well: "which rules apply to returns?".
const TEXTUAL_WHICH: &[&str] = words!(
    "which rules, which rule, which complaints do, which arguments, which advice, welche regeln, \
     welche regel, welche vorschriften, welche beschwerden haben, welche argumente, who may, \
     who is allowed, wer darf, when may, wann darf, where does it say, wo steht, \
     where do the reviews say, list the arguments"
);

const REASONS: &[&str] = words!(
    "why, how come, for what reason, for which reason, for what reasons, for which reasons, \
     what is the reason, what are the reasons, what was the reason, what were the reasons, \
     what explains, what caused, what causes, what led to, what made, what is behind, warum, \
     weshalb, wieso, weswegen, aus welchem grund, aus welchen gründen, was ist der grund, \
     was sind die gründe, was war der grund, was waren die gründe, woran liegt, woran lag, \
     was steckt hinter, wie kommt es, wie kam es, was erklärt, was verursacht"
);

/// Words of a change, or of an unusual size, of a figure.
const CHANGES: &[&str] = words!(
    "rise, rises, risen, rose, rising, increase, increases, increased, increasing, grow, grows, \
     grew, grown, growing, drop, drops, dropped, dropping, fall, falls, fell, fallen, falling, \
     decline, declines, declined, declining, decrease, decreases, decreased, decreasing, climb, \
     climbed, jump, jumped, spike, spiked, surge, surged, shrink, shrank, shrunk, collapse, \
     collapsed, peak, peaked, double, doubled, many, few, high, higher, low, lower, fewer, \
     gestiegen, stieg, stiegen, steigt, steigen, gesunken, sank, sanken, sinkt, sinken, gefallen, \
     fiel, fielen, fällt, fallen, zugenommen, nahm, nahmen, abgenommen, nehmen, eingebrochen, \
     verdoppelt, gewachsen, wuchs, wuchsen, zurückgegangen, viele, wenige, wenig, viel, hoch, \
     niedrig, höher, niedriger, down, up, worse, better, besser, schlechter"
);

/// What people or texts say.
const SAYINGS: &[&str] = words!(
    "what do customers, what do people, what do clients, what do users, what do guests, \
     what do reviewers, what do buyers, what do employees, what do patients, what do students, \
     what do the reviews, what do reviews, what do the customers, what do the documents, \
     what did customers, what did people, what does the policy, what does our policy, \
     what does the handbook, what does our handbook, what does the manual, \
     what does the document, what does the contract, what does the guide, what do the rules, \
     what do the guidelines, what does it say, what is our policy, what is the policy, \
     what are the rules, according to the policy, according to the handbook, \
     according to the manual, according to our policy, according to our handbook, \
     according to the reviews, according to the documents, according to the guidelines, \
     summarise, summarize, what opinions, what complaints, what feedback, opinions on, \
     opinions about, feedback on, feedback about, impressions of, which complaints do, \
     which arguments, list the arguments, where does it say, where do the reviews say, \
     what is said, what reasons did, what reasons do, complaints about, what is written about, \
     was sagen, was meinen, was denken, was schreiben, was halten, was steht, was sagt, \
     was schreibt, was bemängeln, was kritisieren, was loben, worüber beschweren, worüber klagen, \
     laut richtlinie, laut der richtlinie, laut handbuch, laut dem handbuch, \
     laut den bewertungen, nach der richtlinie, fasse, fass, zusammenfassung der, \
     welche meinungen, welche gründe nennen, welche gründe gaben, beschwerden über, \
     welche beschwerden haben, welche argumente, meinungen über, meinungen zu, rückmeldungen zu, \
     wo steht, what problems do, what do they complain, what did they complain, what do they say, \
     which problems do, welche probleme haben, welche probleme nennen"
);

/// First words of the phrases of [`REASONS`] and [`SAYINGS`] that begin a question of their own.
const ASKING: &[&str] = words!(
    "what, why, how, for, which, where, was, warum, weshalb, wieso, weswegen, woran, worüber, \
     wie, aus, wo, welche, fasse, fass, summarise, summarize"
);

/// What makes a figure one of a rule: "how many days may a customer wait".
const OF_RULE: &[&str] =
    words!("do i, do we have, do customers have, can i, may, darf, dürfen, habe ich, haben kunden");

/// How something is done, and whether it may be.
const RULES: &[&str] = words!(
    "how do i, how do we, how can i, how can we, how can a customer, how long may, how long can, \
     how long do customers have, how should i, how should we, how does one, am i allowed, \
     are we allowed, are customers allowed, is it allowed, is it permitted, may i, may we, \
     may customers, may a customer, can a customer, can customers, can i return, do i need, \
     do we need, do customers need, must i, must we, must customers, what should i do, \
     what should we do, what happens if, what happens when, what must, who may, who is allowed, \
     when may, which rules, which rule, which advice, under which conditions, \
     under what conditions, wie gehe ich, wie gehen wir, wie kann ich, wie können wir, \
     wie kann ein kunde, wie lange darf, wie lange dürfen, wie lange kann, wie lange können, \
     wie soll ich, wie sollen wir, wie sollte ich, darf ich, dürfen wir, darf man, darf ein, \
     dürfen kunden, ist es erlaubt, muss ich, müssen wir, müssen kunden, muss ein, \
     was passiert wenn, was passiert wenn, was muss ich, was müssen, was tun wir, wer darf, \
     wann darf, welche regeln, welche regel, welche vorschriften, unter welchen bedingungen, \
     kann ein kunde, können kunden, kann ich"
);

/// Words of a figure: no text answers a question with one of them.
const FIGURES: &[&str] = words!(
    "many, much, number, count, total, sum, average, mean, median, percentage, percent, share, \
     ratio, maximum, minimum, highest, lowest, most, least, top, revenue, sales, turnover, per, \
     viele, viel, anzahl, summe, gesamt, durchschnitt, durchschnittliche, durchschnittlicher, \
     prozent, anteil, höchste, höchsten, niedrigste, meisten, wenigsten, umsatz, pro, je"
);

/// First words of questions that may be answered by a text, if no table answers them.
const OPEN: &[&str] = words!(
    "what, how, is, are, does, do, can, must, should, may, was, wie, ist, sind, kann, muss, darf, \
     gibt, explain, describe, erkläre, beschreibe, tell"
);

impl<'w> Cues<'w> {
    pub(super) fn of(words: &'w [String]) -> Self {
        const COURTESY: &[&str] = &[
            "please", "bitte", "so", "and", "und", "hi", "hello", "hallo", "but", "aber",
        ];
        let words = words.iter().map(String::as_str);
        Self {
            words: words.skip_while(|word| COURTESY.contains(word)).collect(),
        }
    }

    /// Whether the words begin with one of the phrases.
    fn begins(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.has_at(0, phrase))
    }

    fn has_at(&self, place: usize, phrase: &str) -> bool {
        let mut rest = self.words.iter().skip(place);
        phrase.split(' ').all(|word| rest.next() == Some(&word))
    }

    /// Whether one of the phrases occurs.
    fn has(&self, phrases: &[&str]) -> bool {
        (0..self.words.len()).any(|place| phrases.iter().any(|phrase| self.has_at(place, phrase)))
    }

    pub(super) fn begins_with_quantity(&self) -> bool {
        (self.begins(ASKING_FOR_FIGURE) || self.begins(QUANTITY)) && !self.begins(TEXTUAL_WHICH)
    }

    /// Whether it begins so, or with a period before: "in March, why …".
    pub(super) fn asks_for_reason(&self) -> bool {
        self.begins(REASONS)
            || (self.has(&[
                "why did", "why do", "why are", "why were", "warum", "weshalb", "wieso",
            ]) && !self.begins(OPEN))
    }

    pub(super) fn has_change(&self) -> bool {
        self.has(CHANGES)
    }

    pub(super) fn asks_what_texts_say(&self) -> bool {
        // "What do customers pay on average" asks for a figure.
        self.has(SAYINGS) && !self.has(CLEAR_FIGURES) && !self.has(PAYMENTS)
    }

    pub(super) fn asks_for_rule(&self) -> bool {
        self.begins(RULES) && !self.has(CLEAR_FIGURES)
    }

    /// "How did our top customers perform": figures, and what reports say of them.
    pub(super) fn asks_how_it_went(&self) -> bool {
        self.begins(COURSES) && self.has(WENT)
    }

    /// Whether it asks for a reason, for what texts say, or for a rule.
    pub(super) fn is_about_texts(&self) -> bool {
        !self.begins_with_quantity()
            && (self.begins(REASONS) || self.asks_what_texts_say() || self.asks_for_rule())
    }

    /// Whether what follows "and" is a question about texts; a rule only where it is set apart from what is before it.
    pub(super) fn goes_on_about_texts(&self, is_apart: bool) -> bool {
        let is_asking = self.words.first().is_some_and(|word| ASKING.contains(word));
        is_asking && (self.begins(REASONS) || self.begins(SAYINGS))
            || is_apart && self.begins(RULES)
    }

    pub(super) fn begins_with_figure(&self) -> bool {
        self.begins(ASKING_FOR_FIGURE) && !self.has(OF_RULE)
    }

    pub(super) fn asks_for_judgement(&self) -> bool {
        self.has(JUDGEMENTS) && !self.has(CLEAR_FIGURES)
    }

    pub(super) fn may_be_texts(&self) -> bool {
        self.begins(OPEN) && !self.has(FIGURES)
    }
}

/// Words of a figure that leave no doubt.
const CLEAR_FIGURES: &[&str] = words!(
    "on average, in total, how many, how much, number of, count of, percentage, im durchschnitt, \
     insgesamt, wie viele, wie viel, anzahl"
);

/// Beginnings of questions about how something went, and the words that say so.
const COURSES: &[&str] = words!(
    "how did, how do, how does, how have, how has, how are, how is, how were, how was, wie haben, wie hat, wie lief, \
     wie liefen, wie entwickelt, wie entwickeln"
);
const WENT: &[&str] = words!(
    "perform, performed, performing, doing, develop, developed, developing, entwickelt, entwickeln, entwickelten, \
     abgeschnitten, gelaufen, lief, liefen"
);

/// What customers do that tables count.
const PAYMENTS: &[&str] = &["pay", "spend", "cost", "order most", "buy most"];

/// What no query expresses: to judge, to sum up, to compare texts.
const JUDGEMENTS: &[&str] = words!(
    "summarise, summarize, sum up, what do customers say, what do people say, \
     what do reviewers say, what do customers think, what do customers complain, \
     what do people complain, what do they complain, what opinions, what complaints, fasse, fass, \
     was sagen, was meinen, was denken, worüber beschweren, worüber klagen"
);
