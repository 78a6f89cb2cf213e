//! The weights of the score's dimensions, as set by `score_weights` of `text2sql.tuning`.

use serde_json::Value;

use super::dimension::Dimension;

/// Permitted difference of the sum from 1: thirds are written with three digits.
const TOLERANCE: f64 = 0.001;

/// The weights of the dimensions; they sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights([f64; Dimension::ALL.len()]);

impl Weights {
    /// Reads `{"correctness": 0.35, "safety": 0.20, …}`: every dimension, summing to 1. The error
    /// text continues the name of the option.
    pub fn from_json(value: &Value) -> Result<Self, String> {
        let given = value
            .as_object()
            .ok_or_else(|| "is not an object of dimensions with their weights".to_owned())?;
        let known = |name: &str| Dimension::ALL.iter().any(|one| one.as_str() == name);
        if let Some(name) = given.keys().find(|name| !known(name)) {
            return Err(format!("names no dimension with \"{name}\""));
        }
        let mut weights = [0.0; Dimension::ALL.len()];
        for (dimension, slot) in Dimension::ALL.iter().zip(&mut weights) {
            let name = dimension.as_str();
            let weight = given
                .get(name)
                .ok_or_else(|| format!("has no weight for \"{name}\""))?;
            *slot = weight
                .as_f64()
                .filter(|weight| (0.0..=1.0).contains(weight))
                .ok_or_else(|| {
                    format!("has a weight for \"{name}\" that is not a number from 0 to 1")
                })?;
        }
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > TOLERANCE {
            return Err(format!("has weights that add up to {sum:.3}, not to 1"));
        }
        Ok(Self(weights))
    }

    /// The weights as [`from_json`](Self::from_json) reads them.
    pub fn to_json(&self) -> Value {
        let weights = Dimension::ALL
            .iter()
            .map(|one| (one.as_str().to_owned(), Value::from(self.of(*one))));
        Value::Object(weights.collect())
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

/// Correctness has the highest weight, safety the next.
impl Default for Weights {
    fn default() -> Self {
        Self([0.35, 0.20, 0.15, 0.10, 0.10, 0.05, 0.05])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_every_dimension() {
        let mut weights = Weights::default().to_json();
        assert_eq!(Weights::from_json(&weights), Ok(Weights::default()));
        weights["correctness"] = json!(0.45);
        assert_eq!(
            Weights::from_json(&weights),
            Err("has weights that add up to 1.100, not to 1".to_owned())
        );
    }

    #[test]
    fn invalid_weights_are_explained() {
        for (value, problem) in [
            (
                json!("correctness 1"),
                "is not an object of dimensions with their weights",
            ),
            (json!({"correctness": 1}), "has no weight for \"safety\""),
            (json!({"beauty": 1}), "names no dimension with \"beauty\""),
            (
                json!({"correctness": "much"}),
                "has a weight for \"correctness\" that is not a number from 0 to 1",
            ),
            (
                json!({"correctness": -1}),
                "has a weight for \"correctness\" that is not a number from 0 to 1",
            ),
        ] {
            assert_eq!(Weights::from_json(&value), Err(problem.to_owned()));
        }
    }
}
