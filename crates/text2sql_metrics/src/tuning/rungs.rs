//! How many cases the trials of each rung are asked, and how many trials remain.

/// The smallest number of cases of the first rung.
const FEWEST: usize = 4;

/// The numbers of cases: the first rung has an eighth, and each has twice as many as the one before.
pub(super) fn rungs(cases: usize) -> Vec<usize> {
    let mut rungs = Vec::new();
    let mut next = FEWEST.max(cases.div_ceil(8));
    // A last step of less than half would only be another cut.
    while 2 * next <= cases + next / 2 && next < cases {
        rungs.push(next);
        next *= 2;
    }
    rungs.push(cases);
    rungs
}

/// After how many cases a trial is looked at.
pub(super) fn block(cases: usize) -> usize {
    rungs(cases).first().copied().unwrap_or(FEWEST).max(1)
}

/// How many of these trials pass a rung.
pub(super) fn kept(trials: usize) -> usize {
    trials.div_ceil(2).max(trials.min(2))
}
