//! Texts with varied words: each is about one of 300 topics, with words that this topic has, words of trade, words that
//! every text has, and rare ones, some 20,000, whose frequencies fall as those of a language do.

use std::ops::RangeInclusive;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const SYLLABLES: [&str; 20] = [
    "ba", "ke", "lo", "mi", "nu", "ra", "ste", "tri", "vo", "zan", "pel", "gor", "dim", "fas",
    "hul", "jen", "qua", "wex", "yor", "cla",
];
const THINGS: &[&str] = &[
    "jacket", "zipper", "sleeve", "boot", "heel", "lamp", "shade", "carton", "parcel", "courier",
    "delay", "refund", "invoice", "warranty", "battery", "charger", "screen", "kettle", "handle",
    "lid", "bottle", "strap", "buckle", "pocket", "seam", "lining", "colour", "size", "fabric",
    "smell", "noise", "motor", "blade", "filter", "hose", "pump", "valve", "hinge", "drawer",
    "shelf", "screw", "paint", "scratch", "dent", "crack", "leak", "rust", "stain", "label",
    "manual", "plug", "cable", "switch", "sensor", "alarm", "lock", "key",
];
const USUAL: &[&str] = &[
    "the", "a", "and", "was", "with", "after", "before", "again", "very", "quite", "still", "only",
    "because", "when", "customer", "service", "order", "product", "store", "week", "day", "month",
    "price", "quality", "good", "bad", "new", "old", "came", "broke", "stopped", "worked",
    "arrived", "returned", "replaced", "asked", "wrote", "called",
];
const RARE: usize = 20_000;
const TOPICS: usize = 300;

/// Writes texts, always the same ones.
pub(crate) struct Writer {
    random: Xoshiro256PlusPlus,
    rare: Vec<String>,
    topics: Vec<Vec<String>>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(20);
        let rare: Vec<String> = (0..RARE)
            .map(|_| {
                (0..random.random_range(2..=4))
                    .filter_map(|_| SYLLABLES.choose(&mut random))
                    .copied()
                    .collect()
            })
            .collect();
        let topics = (0..TOPICS)
            .map(|_| {
                let things = (0..6).filter_map(|_| THINGS.choose(&mut random));
                let mut topic: Vec<String> = things.map(|word| (*word).to_owned()).collect();
                topic.extend((0..12).filter_map(|_| rare.choose(&mut random)).cloned());
                topic
            })
            .collect();
        Self {
            random,
            rare,
            topics,
        }
    }

    /// One of 100.
    pub(crate) fn region(&mut self) -> u32 {
        self.random.random_range(0..100)
    }

    /// A title and a text of this many words.
    pub(crate) fn text(&mut self, words: RangeInclusive<usize>) -> (String, String) {
        let topic = self.random.random_range(0..TOPICS);
        let title = self.sentence(topic, 3);
        let mut left = self.random.random_range(words);
        let mut body = String::new();
        while left > 0 {
            let length = self.random.random_range(6..=14).min(left);
            body.push_str(&self.sentence(topic, length));
            body.push_str(". ");
            left -= length;
        }
        (title, body.trim_end().to_owned())
    }

    /// Some words about one topic.
    pub(crate) fn question(&mut self) -> String {
        let topic = self.random.random_range(0..TOPICS);
        let length = self.random.random_range(3..=8);
        self.sentence(topic, length)
    }

    fn sentence(&mut self, topic: usize, words: usize) -> String {
        let words: Vec<String> = (0..words).map(|_| self.word(topic)).collect();
        words.join(" ")
    }

    fn word(&mut self, topic: usize) -> String {
        let random = &mut self.random;
        let topic = self.topics.get(topic).map(Vec::as_slice);
        let word = match random.random_range(0..100) {
            0..45 => USUAL.choose(random).copied(),
            45..75 => topic
                .and_then(|words| words.choose(random))
                .map(String::as_str),
            75..85 => THINGS.choose(random).copied(),
            _ => {
                // The frequency of the n-th is about 1 / n.
                let place = (RARE as f64).powf(random.random::<f64>()) as usize;
                self.rare.get(place.saturating_sub(1)).map(String::as_str)
            }
        };
        word.unwrap_or_default().to_owned()
    }
}
