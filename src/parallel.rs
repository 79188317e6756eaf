//! Work on many items, on all processors.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does the work on each item, on as many threads as the machine has processors, each of which takes `at_once` items at a
/// time; the results are in the order of the items.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], at_once: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let parts: Vec<&[T]> = items.chunks(at_once).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(parts.len());
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let (next, parts, work) = (&AtomicUsize::new(0), &parts, &work);
    let take = move || {
        let taken = std::iter::from_fn(|| {
            let at = next.fetch_add(1, Ordering::Relaxed);
            Some((at, *parts.get(at)?))
        });
        taken.map(|(at, part)| (at, part.iter().map(work).collect::<Vec<R>>())).collect::<Vec<_>>()
    };
    let mut done: Vec<(usize, Vec<R>)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.flatten().collect()
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..200).collect();
        let work = |item: &u64| {
            thread::sleep(Duration::from_micros(200 - item));
            item * 2
        };
        for at_once in [1, 7, 500] {
            assert_eq!(in_parallel(&items, at_once, work), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
        assert_eq!(in_parallel(&items[..1], 1, work), [0]);
        assert!(in_parallel(&items[..0], 1, work).is_empty());
    }
}
