//! Values of the database that match phrases, and whether a literal occurs.

use std::ffi::CStr;
use std::sync::LazyLock;

use pgrx::pg_sys::Oid;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{KnownValue, NearWord, Phrase, ValueHit};
use text2sql_language::edit_distance::is_typo;
use text2sql_language::terms::Analyzer;
use text2sql_retrieval::values::{MIN_SIMILARITY, literal_keys, look_up};

use super::joins::most;
use super::readable_tables::{StoredValue, remembered_values};
use super::remembered::{Search, with_remembered};
use crate::pg::access::protection::{self, Level};
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

const VALUES: &str = include_str!("../../../../sql/queries/values_of.sql");
static COLUMN: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../../../sql/queries/values_of_column.sql")
        .replace("%ROWS%", super::storage::ROWS_STATE)
});
const MEANT: &str = "SELECT DISTINCT v.value FROM text2sql._index_values v
     WHERE v.key = ANY ($1) AND v.relation = $2 AND v.attribute = $3 ORDER BY 1 LIMIT 5";

/// Keys that begin with a word.
const BEGINNING: &str = "SELECT wanted.place, k.key
     FROM unnest($1) WITH ORDINALITY AS wanted(key, place)
     CROSS JOIN LATERAL (
         SELECT n.key FROM text2sql._index_value_keys n WHERE n.key LIKE wanted.key || '%' ORDER BY n.key LIMIT $2
     ) AS k";

/// The settings of the search for similar keys. The threshold is the filter of pg_trgm's operator; one wrong
/// letter in six leaves 0.4. The other settings leave the trigram index as the only choice: a plan is kept, and
/// one that reads all keys because they were few would be slow when they are many.
pub(super) const NEAR_SETTINGS: &[(&CStr, &CStr)] = &[
    (c"pg_trgm.similarity_threshold", c"0.3"),
    (c"enable_indexscan", c"off"),
    (c"enable_indexonlyscan", c"off"),
];

/// The settings of the search by key: a bitmap would hold every row of a value that occurs in all tables, of
/// which only the first few are needed.
const BY_KEY: &[(&CStr, &CStr)] = &[(c"enable_bitmapscan", c"off")];

/// Maximum number of phrases searched by similarity: each costs a search through the trigrams.
const MAX_FUZZY: usize = 8;

/// Maximum number of values proposed for one that does not occur.
const MAX_NEAREST: usize = 5;

/// Maximum number of similar keys considered for one phrase.
const MAX_NEAR: i64 = 20;

/// The values that the phrases may refer to.
pub(super) fn values(
    owner: &EffectiveRole,
    role: &EffectiveRole,
    listed: Option<&[u32]>,
    phrases: &[Phrase],
    per_phrase: usize,
) -> Result<Vec<ValueHit>, Error> {
    let mut wanted: Vec<(usize, String, f32)> = Vec::new();
    for (at, phrase) in phrases.iter().enumerate() {
        let keys = phrase.keys.iter().map(|key| (at, key.clone(), 1.0));
        wanted.extend(keys);
    }
    let mut hits = find(owner, role, listed, &wanted, per_phrase)?;
    let is_fuzzy =
        |at: usize, phrase: &Phrase| !phrase.exact_only && !hits.iter().any(|hit| hit.phrase == at);
    let fuzzy: Vec<(usize, &str)> = phrases
        .iter()
        .enumerate()
        .filter(|(at, phrase)| is_fuzzy(*at, phrase))
        .filter_map(|(at, phrase)| Some((at, phrase.keys.first()?.as_str())))
        .take(MAX_FUZZY)
        .collect();
    if !fuzzy.is_empty() {
        let near = similar(owner, &fuzzy)?;
        hits.extend(find(owner, role, listed, &near, per_phrase)?);
    }
    hits.extend(shortened(owner, role, listed, phrases, &hits)?);
    hits.sort_by(|one, other| {
        let by_similarity = other.similarity.total_cmp(&one.similarity);
        one.phrase.cmp(&other.phrase).then(by_similarity)
    });
    let mut kept: Vec<ValueHit> = Vec::with_capacity(hits.len());
    for hit in hits {
        let of_phrase = kept.iter().filter(|known| known.phrase == hit.phrase);
        let is_known = |known: &&ValueHit| {
            (known.table, known.column, &known.value) == (hit.table, hit.column, &hit.value)
        };
        if of_phrase.clone().count() < per_phrase
            && !of_phrase.clone().any(|known| is_known(&known))
        {
            kept.push(hit);
        }
    }
    Ok(kept)
}

/// Values by key; each key with its phrase and its similarity.
fn find(
    owner: &EffectiveRole,
    role: &EffectiveRole,
    listed: Option<&[u32]>,
    wanted: &[(usize, String, f32)],
    per_phrase: usize,
) -> Result<Vec<ValueHit>, Error> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut unknown: Vec<String> = remembered_values(|known| {
        let keys = wanted.iter().map(|(_, key, _)| key.clone());
        let keys = keys.filter(|key| !known.contains_key(&(key.clone(), per_phrase)));
        keys.collect()
    });
    unknown.sort_unstable();
    unknown.dedup();
    if !unknown.is_empty() {
        let found = read(owner, role, listed, &unknown, per_phrase)?;
        remembered_values(|known| {
            let found = unknown.into_iter().zip(found);
            known.extend(found.map(|(key, values)| ((key, per_phrase), values)));
        });
    }
    let found = remembered_values(|known| {
        let mut found = Vec::new();
        for (phrase, key, similarity) in wanted {
            let values = known.get(&(key.clone(), per_phrase));
            for (table, column, value) in values.into_iter().flatten() {
                found.push(ValueHit {
                    phrase: *phrase,
                    table: *table,
                    column: *column,
                    value: value.clone(),
                    similarity: *similarity,
                });
            }
        }
        found
    });
    if protection::protects_nothing()? {
        return Ok(found);
    }
    let mut open = Vec::with_capacity(found.len());
    for hit in found {
        // Protected since it was read.
        if protection::of_column(hit.table.into(), hit.column)? == Level::Open {
            open.push(hit);
        }
    }
    Ok(open)
}

/// The values of each key, from the index.
fn read(
    owner: &EffectiveRole,
    role: &EffectiveRole,
    listed: Option<&[u32]>,
    keys: &[String],
    per_phrase: usize,
) -> Result<Vec<Vec<StoredValue>>, Error> {
    let arguments = [
        keys.to_vec().into(),
        role.oid.into(),
        most(per_phrase),
        listed.map(super::joins::oids).into(),
    ];
    let rows = with_role(owner, || {
        let read = |row: &spi::Row| {
            let value: StoredValue = (
                row.read::<Oid>(2)?.map_or(0, Oid::to_u32),
                row.read(3)?.unwrap_or_default(),
                row.read(4)?.unwrap_or_default(),
            );
            Ok((row.read::<i64>(1)?.unwrap_or_default(), value))
        };
        spi::with_settings(&[BY_KEY], || spi::read_rows(VALUES, &arguments, 0, read))
    })?;
    let mut found = vec![Vec::new(); keys.len()];
    for (place, value) in rows {
        let place = usize::try_from(place).ok();
        let place = place.and_then(|place| place.checked_sub(1));
        if let Some(values) = place.and_then(|place| found.get_mut(place)) {
            values.push(value);
        }
    }
    Ok(found)
}

/// Values that begin with a phrase without an exact match: only where there is exactly one.
fn shortened(
    owner: &EffectiveRole,
    role: &EffectiveRole,
    listed: Option<&[u32]>,
    phrases: &[Phrase],
    known: &[ValueHit],
) -> Result<Vec<ValueHit>, Error> {
    let short: Vec<(usize, &str)> = phrases
        .iter()
        .enumerate()
        .filter(|(at, phrase)| phrase.may_be_short && !known.iter().any(|hit| hit.phrase == *at))
        .filter_map(|(at, phrase)| Some((at, phrase.keys.first()?.as_str())))
        .take(MAX_FUZZY)
        .collect();
    if short.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<String> = short.iter().map(|(_, key)| (*key).to_owned()).collect();
    let rows = with_role(owner, || {
        spi::read_rows(BEGINNING, &[keys.into(), MAX_NEAR.into()], 0, |row| {
            Ok((
                row.read::<i64>(1)?.unwrap_or_default(),
                row.read::<String>(2)?.unwrap_or_default(),
            ))
        })
    })?;
    // With more than the maximum it is unknown whether they are spellings of one value.
    let is_cut = |place: i64| rows.iter().filter(|row| row.0 == place).count() as i64 >= MAX_NEAR;
    let wanted: Vec<(usize, String, f32)> = rows
        .iter()
        .filter(|row| !is_cut(row.0))
        .filter_map(|(place, key)| {
            let place = usize::try_from(*place).ok()?.checked_sub(1)?;
            Some((short.get(place)?.0, key.clone(), MIN_SIMILARITY))
        })
        .collect();
    let hits = find(owner, role, listed, &wanted, MAX_NEAREST)?;
    let is_only = |hit: &ValueHit| {
        let same = hits.iter().filter(|other| other.phrase == hit.phrase);
        same.map(|other| &other.value)
            .all(|value| *value == hit.value)
    };
    Ok(hits.iter().filter(|hit| is_only(hit)).cloned().collect())
}

/// The keys similar to the key of each phrase.
fn similar(
    owner: &EffectiveRole,
    fuzzy: &[(usize, &str)],
) -> Result<Vec<(usize, String, f32)>, Error> {
    let searches = fuzzy.iter().map(|(_, key)| Search::Keys((*key).to_owned()));
    let near = with_remembered(searches.collect(), |new| {
        let keys = new.iter().filter_map(|place| fuzzy.get(*place));
        let keys: Vec<String> = keys.map(|(_, key)| (*key).to_owned()).collect();
        with_role(owner, || similar_keys(keys))
    })?;
    let near = fuzzy.iter().zip(near).flat_map(|((phrase, _), near)| {
        near.into_iter()
            .map(|near| (*phrase, near.word, near.similarity))
    });
    Ok(near.collect())
}

/// The stored keys that are spelled like each key. As the owner of the index.
fn similar_keys(keys: Vec<String>) -> Result<Vec<Vec<NearWord>>, Error> {
    let mut all = vec![Vec::new(); keys.len()];
    let Some(schema) = super::storage::trigram_schema()? else {
        return Ok(all);
    };
    let sql = super::storage::similar_query(&schema);
    let arguments = [keys.clone().into(), MAX_NEAR.into()];
    let rows = spi::with_settings(&[NEAR_SETTINGS], || {
        spi::read_rows(sql, &arguments, 0, |row| {
            let near = NearWord {
                word: row.read(2)?.unwrap_or_default(),
                similarity: row.read(3)?.unwrap_or_default(),
            };
            Ok((row.read::<i64>(1)?.unwrap_or_default(), near))
        })
    })?;
    for (place, near) in rows {
        let place = usize::try_from(place).ok();
        let Some(place) = place.and_then(|place| place.checked_sub(1)) else {
            continue;
        };
        let (Some(key), Some(list)) = (keys.get(place), all.get_mut(place)) else {
            continue;
        };
        if near.similarity >= MIN_SIMILARITY || is_typo(&near.word, key) {
            list.push(near);
        }
    }
    Ok(all)
}

/// Whether a column holds a value; `None` when that is uncertain.
pub(super) fn value_of(
    owner: &EffectiveRole,
    role: &EffectiveRole,
    analyzer: &Analyzer,
    table: u32,
    column: i16,
    value: &str,
) -> Result<Option<KnownValue>, Error> {
    if protection::of_column(table.into(), column)? != Level::Open {
        return Ok(None);
    }
    let arguments = [Oid::from(table).into(), column.into(), role.oid.into()];
    let known: Option<Vec<String>> = with_role(owner, || spi::read_one(&COLUMN, &arguments))?;
    let known = known.map(|known| {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        if known.contains(&value) || literal_keys(value, analyzer).is_empty() {
            return KnownValue {
                occurs: known.contains(&value),
                nearest: Vec::new(),
            };
        }
        look_up(&known, value, analyzer)
    });
    if known.as_ref().is_none_or(|known| known.occurs) {
        return Ok(known);
    }
    // Values with the same meaning come before values with a similar spelling.
    let arguments = [
        literal_keys(value, analyzer).into(),
        Oid::from(table).into(),
        column.into(),
    ];
    let meant = with_role(owner, || {
        spi::read_rows(MEANT, &arguments, 0, |row| row.read::<String>(1))
    })?;
    Ok(known.map(|known| {
        let mut nearest: Vec<String> = meant.into_iter().flatten().collect();
        let others = known.nearest.into_iter();
        let others: Vec<String> = others.filter(|value| !nearest.contains(value)).collect();
        nearest.extend(others);
        nearest.truncate(MAX_NEAREST);
        KnownValue { nearest, ..known }
    }))
}
