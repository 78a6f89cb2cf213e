//! The periods of a question that are counted from today: for the prompt, and for people.

mod dutch;
mod english_and_german;
mod french;
mod italian;
mod mentioned_period;
mod other_languages;
mod portuguese;
mod spanish;
#[cfg(test)]
mod tests;
mod wording;

pub use self::english_and_german::mentioned_periods;
pub use self::mentioned_period::MentionedPeriod;
