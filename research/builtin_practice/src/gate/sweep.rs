//! What each threshold would catch, and at which price.

use super::graded::Graded;

type Measure = (&'static str, fn(&Graded) -> Option<f64>, &'static [f64]);

const MEASURES: [Measure; 3] = [
    (
        "topic",
        |one| one.topic,
        &[0.2, 0.26, 0.34, 0.4, 0.45, 0.5, 0.51, 0.6, 0.67, 0.75],
    ),
    (
        "completeness",
        |one| one.completeness,
        &[0.2, 0.26, 0.34, 0.4, 0.45, 0.5, 0.51, 0.6, 0.67, 0.75, 1.0],
    ),
    (
        "total",
        |one| Some(one.mean),
        &[0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95],
    ),
];

/// For each threshold: the right queries below it, and the wrong ones, in both halves.
pub(super) fn print(halves: &[Vec<Graded>; 2]) {
    for (name, measure, thresholds) in MEASURES {
        println!("below {name:<14} right 1 / 2 (%)   wrong 1 / 2 (%)   broken alone 1 / 2 (%)");
        for threshold in thresholds {
            let below = |wanted: &dyn Fn(&Graded) -> bool| -> Vec<String> {
                halves
                    .iter()
                    .map(|half| {
                        let own: Vec<&Graded> = half.iter().filter(|one| wanted(one)).collect();
                        let low = own
                            .iter()
                            .filter(|one| measure(one).is_some_and(|value| value < *threshold));
                        format!(
                            "{:.2}",
                            100.0 * low.count() as f64 / own.len().max(1) as f64
                        )
                    })
                    .collect()
            };
            let right = below(&|one| one.is_right && one.kind != "rightly empty");
            let wrong = below(&|one| !one.is_right);
            let broken = below(&|one| !one.is_right && one.kind != "another question");
            println!(
                "  {threshold:<18} {:<17} {:<17} {}",
                right.join(" / "),
                wrong.join(" / "),
                broken.join(" / ")
            );
        }
    }
}
