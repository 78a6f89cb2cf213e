//! SQL in stored knowledge, judged by the guard like generated SQL: whether it is valid now, and what it reads.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ffi::CString;

use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::object_name;
use text2sql_domain::ports::{Database, Outcome};

use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::execution::inspect::Inspection;
use crate::pg::access::objects::{Object, resolve};
use crate::pg::access::protection::owner;
use crate::pg::access::query_tree::reads::quoted_name;
use crate::pg::server::session::user_oid;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi;
use crate::pg::server::spi::internal_settings::with_settings;
use crate::pg::server::spi::role::EffectiveRole;

/// Judges SQL that is stored and not run now.
pub(crate) struct SqlCheck {
    database: GuardedDatabase,
    limits: Limits,
    /// Resolved names: an import contains the same few thousand names many times.
    resolved: RefCell<HashMap<String, Object>>,
}

/// The relations that the caller reads with all of the queries, those behind views included, as `schema.name of owner`,
/// sorted; `None` where it may not run them. After a rebuild of a table they are the same; a table that the caller puts in the
/// place of another is not.
pub(crate) fn names_read(queries: &[String]) -> Result<Option<Vec<String>>, Error> {
    Ok(oids_read(queries)?.map(|oids| owned_names(&oids)))
}

/// The same, with what decides about the rows of these relations.
pub(crate) fn names_and_policies_read(queries: &[String]) -> Result<Option<Vec<String>>, Error> {
    let oids = oids_read(queries)?;
    oids.map(names_and_policies).transpose()
}

/// The relations as `schema.name of owner`, and which policies and definitions of views decide about their rows for the
/// caller: rows that were kept are hidden when that has changed since.
pub(crate) fn names_and_policies(oids: BTreeSet<u32>) -> Result<Vec<String>, Error> {
    let mut read = owned_names(&oids);
    let arguments = [spi::oid_array(oids.into_iter()), user_oid().into()];
    let policies = spi::read_rows(POLICIES, &arguments, 0, |row| row.read::<String>(1))?;
    read.extend(policies.into_iter().flatten());
    Ok(read)
}

const POLICIES: &str = include_str!("../../../../sql/queries/policies_read.sql");

/// The relations that the queries read, by OID.
pub(crate) fn oids_read(queries: &[String]) -> Result<Option<BTreeSet<u32>>, Error> {
    let check = SqlCheck::new()?;
    let mut all = BTreeSet::new();
    for sql in queries {
        match check.relations_read(sql)? {
            Some(oids) => all.extend(oids),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

/// The relations as `schema.name of owner`, sorted.
pub(crate) fn owned_names(oids: &BTreeSet<u32>) -> Vec<String> {
    let owned_name = |oid: &u32| {
        let owner = owner((*oid).into()).map(|oid| EffectiveRole {
            oid,
            is_switched: false,
        });
        let owner = owner.map(|owner| owner.name()).unwrap_or_default();
        format!("{} of {owner}", quoted_name((*oid).into()))
    };
    let names: BTreeSet<String> = oids.iter().map(owned_name).collect();
    names.into_iter().collect()
}

/// Bytes of a `search_path` that somebody else wrote: all of it is looked up for each list of queries.
const MAX_PATH_BYTES: usize = 8_192;

/// The same for queries that were written under a `search_path`; `None` as well where that is too long.
pub(crate) fn names_read_under(
    search_path: &str,
    queries: &[String],
    with_policies: bool,
) -> Result<Option<Vec<String>>, Error> {
    let read = match with_policies {
        true => names_and_policies_read,
        false => names_read,
    };
    match CString::new(search_path) {
        Ok(path) if search_path.len() <= MAX_PATH_BYTES => {
            with_settings(&[&[(c"search_path", &path)]], || read(queries))
        }
        _ => Ok(None),
    }
}

/// Why SQL cannot be used.
#[derive(Debug)]
pub(crate) struct Problem {
    /// In words.
    pub(crate) message: String,
    /// The server's hint.
    pub(crate) hint: Option<String>,
    /// Whether it contains a name that does not exist.
    pub(crate) is_unknown_name: bool,
}

impl SqlCheck {
    /// Judges for the caller.
    pub(crate) fn new() -> Result<Self, Error> {
        Ok(Self {
            database: GuardedDatabase::new()?,
            // The cost matters only when it runs: `LIMIT 0` over an aggregate is not cheap.
            limits: Limits {
                max_cost: 0.0,
                ..settings::limits(&Overrides::default())
            },
            resolved: RefCell::default(),
        })
    }

    /// The role for which it judges.
    pub(crate) fn role(&self) -> &EffectiveRole {
        self.database.role()
    }

    /// What `sql` reads, or why it cannot be used.
    pub(crate) fn reads(&self, sql: &str) -> Result<Result<Vec<Object>, Problem>, Error> {
        let Inspection {
            outcome, contents, ..
        } = self.database.inspect(sql, &self.limits)?;
        if let Some(problem) = problem(outcome) {
            return Ok(Err(problem));
        }
        let contents = contents.map(|contents| (contents.columns, contents.relations));
        let (columns, relations) = contents.unwrap_or_default();
        let has_columns =
            |relation: &String| columns.iter().any(|column| is_column_of(column, relation));
        // The word distinguishes a table of a schema from a column of a table.
        let bare = relations
            .iter()
            .filter(|relation| !has_columns(relation))
            .map(|relation| format!("table {relation}"));
        let columns = columns.iter().map(|column| format!("column {column}"));
        let mut objects = Vec::new();
        for name in bare.chain(columns) {
            objects.push(self.resolved(&name)?);
        }
        Ok(Ok(objects))
    }

    fn resolved(&self, name: &str) -> Result<Object, Error> {
        if let Some(object) = self.resolved.borrow().get(name) {
            return Ok(object.clone());
        }
        let object = resolve(name)?;
        self.resolved
            .borrow_mut()
            .insert(name.to_owned(), object.clone());
        Ok(object)
    }

    /// The relations that `sql` reads, those behind views included, by OID, sorted; `None` when it cannot be used.
    pub(crate) fn relations_read(&self, sql: &str) -> Result<Option<Vec<u32>>, Error> {
        self.database.relations_read(sql, &self.limits)
    }

    /// The relations behind the views that `sql` names, with their names; none when it cannot be used.
    pub(crate) fn behind_views(&self, sql: &str) -> Result<Vec<(u32, String)>, Error> {
        self.database.behind_views(sql, &self.limits)
    }

    /// Why `sql` cannot be used; `None` when it can.
    pub(crate) fn problem(&self, sql: &str) -> Result<Option<Problem>, Error> {
        Ok(problem(self.database.check(sql, &self.limits)?))
    }

    /// Type name of the first result column of `sql`; `None` when it cannot be used.
    pub(crate) fn first_type(&self, sql: &str) -> Result<Option<String>, Error> {
        Ok(match self.database.check(sql, &self.limits)? {
            Outcome::Passed(columns) => columns.into_iter().next().map(|column| column.type_name),
            Outcome::Rejected(_) | Outcome::Failed(_) => None,
        })
    }
}

impl Problem {
    /// As the error of a call with this SQL as an argument.
    pub(crate) fn into_error(self, what: &str) -> Error {
        let error = failure!(Setting, "{what}: {}", self.message);
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

fn problem<T>(outcome: Outcome<T>) -> Option<Problem> {
    match outcome {
        Outcome::Passed(_) => None,
        Outcome::Rejected(rejection) => Some(Problem {
            message: rejection.reason,
            hint: None,
            is_unknown_name: false,
        }),
        Outcome::Failed(error) => Some(Problem {
            is_unknown_name: matches!(error.sqlstate.as_str(), "42703" | "42P01"),
            message: error.message,
            hint: error.hint,
        }),
    }
}

/// Whether `schema.table.column` is a column of `schema.table`.
fn is_column_of(column: &str, relation: &str) -> bool {
    object_name::split(column).is_some_and(|mut parts| {
        parts.pop();
        object_name::join(&parts) == relation || Some(parts) == object_name::split(relation)
    })
}
