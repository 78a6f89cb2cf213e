//! What the tokens of a model cost.

/// The prices of an endpoint, for a million tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// Price of input tokens.
    pub input: f64,
    /// Price of output tokens.
    pub output: f64,
    /// Price of input tokens that the endpoint read from its cache.
    pub cached_input: f64,
    /// Their currency, an ISO 4217 code.
    pub currency: String,
}

/// Tokens of one request, as counted by the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenCount {
    /// Input, with what was read from a cache.
    pub input: u64,
    /// The part of the input that was read from a cache.
    pub cached_input: u64,
    /// Output.
    pub output: u64,
}

/// What one request used.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Usage {
    /// Its tokens.
    pub tokens: TokenCount,
    /// Its cost, if the model has prices.
    pub cost: Option<Cost>,
}

/// What something cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// In millionths of the currency.
    pub micros: f64,
    /// The currency.
    pub currency: String,
}

impl Prices {
    /// The currency where none is given.
    pub const DEFAULT_CURRENCY: &str = "USD";

    /// The cost of these tokens: a price for a million tokens is a price in millionths for one.
    pub fn cost(&self, tokens: TokenCount) -> Cost {
        let cached = tokens.cached_input.min(tokens.input);
        let read = tokens.input - cached;
        Cost {
            micros: read as f64 * self.input
                + cached as f64 * self.cached_input
                + tokens.output as f64 * self.output,
            currency: self.currency.clone(),
        }
    }
}

impl Cost {
    /// The amount in the currency.
    pub fn amount(&self) -> f64 {
        self.micros / 1.0e6
    }

    /// The sum of costs in each currency, in the order of their first mention.
    pub fn sums<'a>(costs: impl IntoIterator<Item = &'a Self>) -> Vec<Self> {
        let mut sums: Vec<Self> = Vec::new();
        for cost in costs {
            match sums.iter_mut().find(|sum| sum.currency == cost.currency) {
                Some(sum) => sum.micros += cost.micros,
                None => sums.push(cost.clone()),
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prices() -> Prices {
        Prices {
            input: 2.5,
            output: 10.0,
            cached_input: 1.25,
            currency: "USD".to_owned(),
        }
    }

    #[test]
    fn a_price_for_a_million_tokens_is_one_in_millionths_for_each() {
        let cost = prices().cost(TokenCount {
            input: 1_000_000,
            cached_input: 0,
            output: 100_000,
        });
        assert_eq!(cost.micros, 3_500_000.0);
        assert_eq!(cost.currency, "USD");
    }

    #[test]
    fn cached_input_has_its_own_price_and_is_never_more_than_the_input() {
        let cost = |cached_input| {
            let tokens = TokenCount {
                input: 100,
                cached_input,
                output: 0,
            };
            prices().cost(tokens).micros
        };
        assert_eq!(cost(40), 60.0 * 2.5 + 40.0 * 1.25);
        assert_eq!(cost(1_000), 125.0);
    }

    #[test]
    fn currencies_are_not_added_up() {
        let cost = |micros, currency: &str| Cost {
            micros,
            currency: currency.to_owned(),
        };
        let sums = Cost::sums(&[cost(1.0, "USD"), cost(2.0, "EUR"), cost(3.0, "USD")]);
        assert_eq!(sums, [cost(4.0, "USD"), cost(2.0, "EUR")]);
    }
}
