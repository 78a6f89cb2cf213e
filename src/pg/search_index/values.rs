//! Values of the database that match phrases, and whether a literal occurs.

use std::ffi::CStr;
use std::sync::LazyLock;

use pgrx::pg_sys::Oid;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{KnownValue, Phrase, ValueHit};
use text2sql_language::edit_distance::is_typo;
use text2sql_language::terms::Analyzer;
use text2sql_retrieval::values::{MIN_SIMILARITY, literal_keys, look_up};

use super::joins::most;
use crate::pg::protection::{self, Level};
use crate::pg::spi;
use crate::pg::spi::role::{EffectiveRole, with_role};

const VALUES: &str = include_str!("../../../sql/queries/values_of.sql");
static COLUMN: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../../sql/queries/values_of_column.sql")
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
        let near = with_role(owner, || similar(&fuzzy))?;
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
    let keys: Vec<String> = wanted.iter().map(|(_, key, _)| key.clone()).collect();
    let arguments = [
        keys.into(),
        role.oid.into(),
        most(per_phrase),
        listed.map(super::joins::oids).into(),
    ];
    let rows = with_role(owner, || {
        let read = |row: &spi::Row| {
            Ok((
                row.read::<i64>(1)?.unwrap_or_default(),
                row.read::<Oid>(2)?.map_or(0, Oid::to_u32),
                row.read::<i16>(3)?.unwrap_or_default(),
                row.read::<String>(4)?.unwrap_or_default(),
            ))
        };
        spi::with_settings(&[BY_KEY], || spi::read_rows(VALUES, &arguments, 0, read))
    })?;
    let is_protected = !protection::protects_nothing()?;
    let mut open = Vec::with_capacity(rows.len());
    for row in rows {
        // Protected since it was read.
        if !is_protected || protection::of_column(row.1.into(), row.2)? == Level::Open {
            open.push(row);
        }
    }
    let hits = open
        .into_iter()
        .filter_map(|(place, table, column, value)| {
            let place = usize::try_from(place).ok()?.checked_sub(1)?;
            let (phrase, _, similarity) = wanted.get(place)?;
            Some(ValueHit {
                phrase: *phrase,
                table,
                column,
                value,
                similarity: *similarity,
            })
        });
    Ok(hits.collect())
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
fn similar(fuzzy: &[(usize, &str)]) -> Result<Vec<(usize, String, f32)>, Error> {
    let Some(schema) = super::storage::trigram_schema()? else {
        return Ok(Vec::new());
    };
    let sql = super::storage::similar_query(&schema);
    let phrases: Vec<String> = fuzzy.iter().map(|(_, key)| (*key).to_owned()).collect();
    let rows = spi::with_settings(&[NEAR_SETTINGS], || {
        spi::read_rows(sql, &[phrases.into(), MAX_NEAR.into()], 0, |row| {
            Ok((
                row.read::<i64>(1)?.unwrap_or_default(),
                row.read::<String>(2)?.unwrap_or_default(),
                row.read::<f32>(3)?.unwrap_or_default(),
            ))
        })
    })?;
    let near = rows.into_iter().filter_map(|(place, key, similarity)| {
        let place = usize::try_from(place).ok()?.checked_sub(1)?;
        let (phrase, text) = fuzzy.get(place)?;
        let is_near = similarity >= MIN_SIMILARITY || is_typo(&key, text);
        is_near.then_some((*phrase, key, similarity))
    });
    Ok(near.collect())
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
