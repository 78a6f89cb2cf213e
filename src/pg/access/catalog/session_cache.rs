//! What a session remembers of the database, until the catalog says that tables, privileges or stored knowledge may have
//! changed.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;
use std::thread::LocalKey;

use super::generation::catalog_generation;

/// Values by what they depend on besides the catalog: the role, most often. Never borrowed while a value is read, which may
/// run queries, raise, and come back here.
pub(crate) struct SessionCache<K, V> {
    /// With so many values, all are forgotten before another one is kept.
    max_values: usize,
    /// The state of the catalog in which the values were read.
    generation: Cell<u64>,
    values: RefCell<HashMap<K, V>>,
}

impl<K: Eq + Hash, V: Clone> SessionCache<K, V> {
    /// An empty one, for at most this many values.
    pub(crate) fn new(max_values: usize) -> Self {
        Self {
            max_values,
            generation: Cell::new(0),
            values: RefCell::default(),
        }
    }

    /// The value that is known of `key`.
    pub(crate) fn get(cache: &'static LocalKey<Self>, key: &K) -> Option<V> {
        let generation = catalog_generation();
        cache.with(|cache| {
            if cache.generation.replace(generation) != generation {
                cache.values.borrow_mut().clear();
            }
            cache.values.borrow().get(key).cloned()
        })
    }

    /// The same; where nothing is known, what `read` gives, which is kept unless the catalog changes meanwhile.
    pub(crate) fn get_or_read<E>(
        cache: &'static LocalKey<Self>,
        key: K,
        read: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        if let Some(value) = Self::get(cache, &key) {
            return Ok(value);
        }
        let generation = cache.with(|cache| cache.generation.get());
        let value = read()?;
        cache.with(|cache| {
            if cache.generation.get() == generation {
                let mut values = cache.values.borrow_mut();
                if values.len() >= cache.max_values {
                    values.clear();
                }
                values.insert(key, value.clone());
            }
        });
        Ok(value)
    }
}
