//! Vectors made on several threads, and used by the calling one while the others make the next.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::TakeVectors;

/// The vectors of some texts, in their order.
type Vectors = Vec<Vec<f32>>;

/// How long the calling thread waits for another one between two calls of `look`.
const WAIT: Duration = Duration::from_millis(20);

/// Hands the vectors of each part to `take`, in the order of `parts`, as soon as they are there.
///
/// `helpers` threads run `embed`, and nothing else. The calling thread embeds too, wherever the next vectors are not
/// ready; it alone runs `take`, and before each part `look`, which may unwind, for example for a cancel. What `guard`
/// makes lives while the threads are started. All threads end before this returns, whatever ends it: each finishes its
/// part at most.
pub fn side_by_side<Guard>(
    parts: &[&[&str]],
    helpers: usize,
    embed: impl Fn(&[&str]) -> Result<Vectors, Error> + Sync,
    guard: impl FnOnce() -> Guard,
    look: &mut dyn FnMut(),
    take: &mut TakeVectors<'_>,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let claim = || {
        let place = next.fetch_add(1, Ordering::Relaxed);
        parts.get(place).map(|part| (place, *part))
    };
    // A panic of a thread would be waited for in vain.
    let embed_caught = |part| {
        catch_unwind(AssertUnwindSafe(|| embed(part)))
            .unwrap_or_else(|_| Err(failure!(Internal, "a thread that embeds texts failed")))
    };
    std::thread::scope(|scope| {
        let _stop = NothingLeft {
            next: &next,
            count: parts.len(),
        };
        let (made, ready) = channel();
        // The calling thread takes a part as well.
        let helpers = helpers.min(parts.len().saturating_sub(1));
        if helpers > 0 {
            let while_starting = guard();
            for _ in 0..helpers {
                let made = made.clone();
                let work = move || {
                    while let Some((place, part)) = claim() {
                        if made.send((place, embed_caught(part))).is_err() {
                            break;
                        }
                    }
                };
                // Where the system has no more threads, those that there are do all of it.
                if std::thread::Builder::new()
                    .spawn_scoped(scope, work)
                    .is_err()
                {
                    break;
                }
            }
            drop(while_starting);
        }
        drop(made);
        let mut waiting: HashMap<usize, Result<Vectors, Error>> = HashMap::new();
        for place in 0..parts.len() {
            let vectors = loop {
                look();
                waiting.extend(ready.try_iter());
                if let Some(vectors) = waiting.remove(&place) {
                    break vectors?;
                }
                if let Some((claimed, part)) = claim() {
                    waiting.insert(claimed, embed(part));
                    continue;
                }
                match ready.recv_timeout(WAIT) {
                    Ok((claimed, vectors)) => {
                        waiting.insert(claimed, vectors);
                    }
                    Err(RecvTimeoutError::Timeout) => (),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(failure!(Internal, "the vectors of some texts are missing"));
                    }
                }
            };
            take(vectors)?;
        }
        Ok(())
    })
}

/// Leaves the threads no further part when it is dropped, also while a panic unwinds.
struct NothingLeft<'a> {
    next: &'a AtomicUsize,
    count: usize,
}

impl Drop for NothingLeft<'_> {
    fn drop(&mut self) {
        self.next.store(self.count, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;
    use std::thread::ThreadId;

    use super::*;

    const WORDS: [&str; 12] = [
        "a", "bb", "ccc", "dddd", "e", "ff", "ggg", "hhhh", "i", "jj", "kkk", "llll",
    ];

    /// A vector that shows its text.
    fn lengths(part: &[&str]) -> Vectors {
        part.iter().map(|text| vec![text.len() as f32]).collect()
    }

    fn failed() -> Error {
        failure!(Limit, "no more")
    }

    /// All vectors of parts of two words, in the order in which they were taken.
    fn taken(
        helpers: usize,
        embed: impl Fn(&[&str]) -> Result<Vectors, Error> + Sync,
    ) -> Result<Vectors, Error> {
        let parts: Vec<&[&str]> = WORDS.chunks(2).collect();
        let mut all = Vec::new();
        side_by_side(&parts, helpers, embed, || (), &mut || (), &mut |vectors| {
            all.extend(vectors);
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn vectors_come_in_the_order_of_the_texts() {
        for helpers in [0, 1, 3, 20] {
            // The first parts take longest, so that the later ones are ready before them.
            let made = taken(helpers, |part| {
                if part[0].len() == 1 {
                    std::thread::sleep(Duration::from_millis(30));
                }
                Ok(lengths(part))
            });
            assert_eq!(made.unwrap(), lengths(&WORDS), "{helpers} helpers");
        }
    }

    #[test]
    fn without_texts_nothing_is_started() {
        let started = AtomicBool::new(false);
        let guard = || started.store(true, Ordering::Relaxed);
        let mut take = |_| Err(failed());
        side_by_side(&[], 3, |_| Err(failed()), guard, &mut || (), &mut take).unwrap();
        assert!(!started.into_inner());
    }

    #[test]
    fn the_next_vectors_are_made_while_the_first_are_taken() {
        let parts: Vec<&[&str]> = WORDS.chunks(2).collect();
        let made = AtomicUsize::new(0);
        let embed = |part: &[&str]| {
            made.fetch_add(1, Ordering::Relaxed);
            Ok(lengths(part))
        };
        let mut is_first = true;
        let outcome = side_by_side(&parts, 1, embed, || (), &mut || (), &mut |_| {
            // Would wait for ever if the other thread waited for this one.
            while is_first && made.load(Ordering::Relaxed) < parts.len() {
                std::thread::yield_now();
            }
            is_first = false;
            Ok(())
        });
        outcome.unwrap();
        assert_eq!(made.into_inner(), parts.len(), "each once");
    }

    #[test]
    fn only_the_calling_thread_takes_and_looks() {
        let own = std::thread::current().id();
        let embedding: Mutex<Vec<ThreadId>> = Mutex::default();
        let parts: Vec<&[&str]> = WORDS.chunks(1).collect();
        let embed = |part: &[&str]| {
            std::thread::sleep(Duration::from_millis(5));
            embedding.lock().unwrap().push(std::thread::current().id());
            Ok(lengths(part))
        };
        let mut look = || assert_eq!(std::thread::current().id(), own);
        side_by_side(&parts, 2, embed, || (), &mut look, &mut |_| {
            assert_eq!(std::thread::current().id(), own);
            Ok(())
        })
        .unwrap();
        let mut threads = embedding.into_inner().unwrap();
        assert!(
            threads.contains(&own),
            "the calling thread does not only wait"
        );
        threads.retain(|thread| *thread != own);
        assert!(!threads.is_empty(), "the others do something");
    }

    /// How many parts were embedded of thousands, when `ended` ended it after the first.
    fn embedded_after(ended: impl FnOnce(&mut dyn FnMut(bool))) -> usize {
        let parts: Vec<&[&str]> = std::iter::repeat_n(&WORDS[..1], 5_000).collect();
        let (embedded, running) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let embed = |part: &[&str]| {
            running.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(1));
            embedded.fetch_add(1, Ordering::SeqCst);
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(lengths(part))
        };
        let mut run = |is_unwinding: bool| {
            let mut looked = 0;
            let mut look = || {
                looked += 1;
                if is_unwinding && looked == 3 {
                    // resume_unwind skips the panic report, which takes longer than the rest.
                    std::panic::resume_unwind(Box::new("a cancel"));
                }
            };
            let mut take = |_| if is_unwinding { Ok(()) } else { Err(failed()) };
            let error = side_by_side(&parts, 2, embed, || (), &mut look, &mut take).unwrap_err();
            assert_eq!(error.message(), "no more");
        };
        ended(&mut run);
        assert_eq!(running.load(Ordering::SeqCst), 0, "no thread runs on");
        embedded.into_inner()
    }

    #[test]
    fn an_error_of_the_taker_ends_all_threads() {
        assert!(embedded_after(|run| run(false)) < 100);
    }

    #[test]
    fn so_does_what_unwinds() {
        let embedded = embedded_after(|run| {
            let unwound = catch_unwind(AssertUnwindSafe(|| run(true)));
            let payload = unwound.unwrap_err();
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"a cancel"));
        });
        assert!(embedded < 100);
    }

    #[test]
    fn an_error_of_embedding_comes_back() {
        for helpers in [0, 2] {
            let made = taken(helpers, |part| match part[0] {
                "ggg" => Err(failed()),
                _ => Ok(lengths(part)),
            });
            assert_eq!(made.unwrap_err().message(), "no more", "{helpers} helpers");
        }
    }

    #[test]
    fn a_panic_of_a_thread_is_an_error() {
        let own = std::thread::current().id();
        let made = taken(1, |part| {
            // Long enough for the other thread to get a part.
            std::thread::sleep(Duration::from_millis(10));
            assert_eq!(std::thread::current().id(), own, "not here");
            Ok(lengths(part))
        });
        assert_eq!(
            made.unwrap_err().message(),
            "a thread that embeds texts failed"
        );
    }
}
