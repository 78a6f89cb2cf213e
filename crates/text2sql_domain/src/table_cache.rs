//! Values that stages compute from a table, cached with it for later questions.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

/// Values cached with a [`Table`](crate::schema::Table), one of each type. They are not part of its identity: tables
/// compare equal whatever their caches hold, and a clone, which may be modified, starts with an empty cache.
#[derive(Default)]
pub struct TableCache(OnceLock<Box<Entry>>);

struct Entry {
    value: Box<dyn Any + Send + Sync>,
    next: TableCache,
}

impl TableCache {
    /// The value of this type; computed by `make` on first use.
    pub fn get_or_make<T: Any + Send + Sync>(&self, make: impl Fn() -> T) -> &T {
        let mut cache = self;
        loop {
            let entry = cache.0.get_or_init(|| {
                Box::new(Entry {
                    value: Box::new(make()),
                    next: Self::default(),
                })
            });
            match entry.value.downcast_ref::<T>() {
                Some(value) => return value,
                None => cache = &entry.next,
            }
        }
    }
}

impl Clone for TableCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for TableCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for TableCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TableCache")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_one_value_of_each_type() {
        let cache = TableCache::default();
        assert_eq!(*cache.get_or_make(|| 1_u8), 1);
        assert_eq!(cache.get_or_make(|| "one"), &"one");
        assert_eq!(*cache.get_or_make(|| 2_u8), 1);
        assert_eq!(cache.get_or_make(|| "two"), &"one");
        let copy = cache.clone();
        assert_eq!(copy, cache);
        assert_eq!(*copy.get_or_make(|| 2_u8), 2);
    }
}
