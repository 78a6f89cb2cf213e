//! Tests whose cases are a text that a person reads: inputs, each with the output that was agreed to.
//!
//! An empty line ends a case. Its first line is the input after `> `, and the output follows. Blocks that
//! begin otherwise are headings and remarks. `UPDATE_EXPECT=1` writes the outputs anew: read the difference.

use expect_test::ExpectFile;

/// Compares the outputs in `file` with those of `answer`, and returns the number of cases.
pub fn check(file: &ExpectFile, answer: impl Fn(&str) -> String) -> usize {
    let text = file.data();
    let mut cases = 0;
    let blocks: Vec<String> = text
        .trim_end()
        .split("\n\n")
        .map(|block| {
            match block
                .lines()
                .next()
                .and_then(|line| line.strip_prefix("> "))
            {
                Some(input) => {
                    cases += 1;
                    format!("> {input}\n{}", answer(input))
                        .trim_end()
                        .to_owned()
                }
                None => block.to_owned(),
            }
        })
        .collect();
    assert!(cases > 0, "no cases in {}", file.path.display());
    file.assert_eq(&format!("{}\n", blocks.join("\n\n")));
    cases
}
