//! The checks of the fuzz targets (`make fuzz`) on their seeds, on what fuzzing once found, and on some
//! thousand mutations of them: the same ones each time.

use std::path::Path;

use crate::checks;

type Check = fn(&[u8]);

const CHECKS: [(&str, Check); 6] = [
    ("reply", checks::reply),
    ("sentence", checks::sentence),
    ("sql", checks::sql),
    ("builtin", checks::builtin),
    ("providers", checks::providers),
    ("settings", checks::settings),
];

/// Pieces that mean something to one of the readers.
const PIECES: [&[u8]; 24] = [
    b"{",
    b"}",
    b"\"",
    b"```",
    b"\n",
    b"(",
    b")",
    b"'",
    b"SELECT ",
    b" FROM orders ",
    b"\\u202e",
    b"]",
    b"[",
    b"{rows[0].name}",
    b"https://",
    b"\xff",
    b"\xe2\x80\xae",
    b"</think>",
    b"--",
    b"/*",
    b" last month ",
    b" per ",
    b"0.5",
    b"NULL",
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound.max(1)
    }
}

fn mutated(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut data = seeds[dice.below(seeds.len())].clone();
    for _ in 0..=dice.below(4) {
        let at = dice.below(data.len() + 1);
        match dice.below(5) {
            0 => data.truncate(at),
            1 => drop(data.drain(at..(at + dice.below(9)).min(data.len()))),
            2 => drop(data.splice(at..at, PIECES[dice.below(PIECES.len())].iter().copied())),
            3 => {
                let other = &seeds[dice.below(seeds.len())];
                data.extend_from_slice(&other[dice.below(other.len())..]);
            }
            _ if at < data.len() => data[at] = data[at].wrapping_add(1),
            _ => {}
        }
    }
    data
}

#[test]
fn the_checks_of_the_fuzz_targets_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    for (name, check) in CHECKS {
        let mut files: Vec<_> = std::fs::read_dir(folder.join(name))
            .unwrap()
            .flatten()
            .collect();
        files.sort_by_key(std::fs::DirEntry::path);
        let seeds: Vec<Vec<u8>> = files
            .iter()
            .map(|file| std::fs::read(file.path()).unwrap())
            .collect();
        let mut dice = Dice(4711);
        for seed in &seeds {
            check(seed);
        }
        for _ in 0..1_000 {
            let data = mutated(&seeds, &mut dice);
            let outcome = std::panic::catch_unwind(|| check(&data));
            assert!(
                outcome.is_ok(),
                "{name}: {:?}",
                String::from_utf8_lossy(&data)
            );
        }
    }
}
