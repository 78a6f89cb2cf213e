//! What each dimension of a score weighs, as `text2sql.score_weights` says it.

use super::Dimension;

/// How far the weights may miss 1: thirds are written with three digits.
const TOLERANCE: f64 = 0.001;

/// The weight of each dimension; they add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights([f64; Dimension::ALL.len()]);

/// The weights of the design: what is wrong counts most, what is unsafe next.
pub const DEFAULT_WEIGHTS: &str = "correctness 0.35, safety 0.20, efficiency 0.15, completeness 0.10, semantic_accuracy 0.10, best_practices 0.05, plan_quality 0.05";

impl Weights {
    /// Reads `correctness 0.35, safety 0.20, …`: each dimension once, in any order, adding up to 1.
    /// The error says what is wrong with the text.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut weights = [None; Dimension::ALL.len()];
        for part in text.split(',') {
            let part = part.trim();
            let (name, number) = part
                .split_once([' ', '=', ':'])
                .ok_or_else(|| format!("\"{part}\" is not a dimension with its weight"))?;
            let (name, number) = (
                name.trim(),
                number.trim_start_matches([' ', '=', ':']).trim(),
            );
            let place = Dimension::ALL
                .iter()
                .position(|dimension| dimension.as_str() == name)
                .ok_or_else(|| format!("there is no dimension \"{name}\""))?;
            let weight = number
                .parse::<f64>()
                .ok()
                .filter(|weight| (0.0..=1.0).contains(weight))
                .ok_or_else(|| {
                    format!("the weight of {name} is not a number from 0 to 1: \"{number}\"")
                })?;
            match weights.get_mut(place) {
                Some(slot @ None) => *slot = Some(weight),
                _ => return Err(format!("{name} has two weights")),
            }
        }
        for (dimension, weight) in Dimension::ALL.iter().zip(&weights) {
            if weight.is_none() {
                return Err(format!("{} has no weight", dimension.as_str()));
            }
        }
        let weights = weights.map(Option::unwrap_or_default);
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > TOLERANCE {
            return Err(format!("the weights add up to {sum:.3}, not to 1"));
        }
        Ok(Self(weights))
    }

    /// The weight of a dimension.
    pub fn of(&self, dimension: Dimension) -> f64 {
        Dimension::ALL
            .iter()
            .position(|one| *one == dimension)
            .and_then(|place| self.0.get(place))
            .copied()
            .unwrap_or(0.0)
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self([0.35, 0.20, 0.15, 0.10, 0.10, 0.05, 0.05])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_what_its_text_says() {
        assert_eq!(Weights::read(DEFAULT_WEIGHTS), Ok(Weights::default()));
        let other = DEFAULT_WEIGHTS.replace(' ', "").replace("0.", "=0.");
        assert_eq!(Weights::read(&other), Ok(Weights::default()));
    }

    #[test]
    fn says_what_is_wrong_with_weights() {
        for (text, problem) in [
            ("", "\"\" is not a dimension with its weight"),
            ("correctness 1", "safety has no weight"),
            ("beauty 1", "there is no dimension \"beauty\""),
            (
                "correctness much",
                "the weight of correctness is not a number from 0 to 1: \"much\"",
            ),
            (
                "correctness -1",
                "the weight of correctness is not a number from 0 to 1: \"-1\"",
            ),
            (
                "correctness 0.5, correctness 0.5",
                "correctness has two weights",
            ),
        ] {
            assert_eq!(Weights::read(text), Err(problem.to_owned()));
        }
        let heavy = DEFAULT_WEIGHTS.replace("0.35", "0.45");
        assert_eq!(
            Weights::read(&heavy),
            Err("the weights add up to 1.100, not to 1".to_owned())
        );
    }
}
