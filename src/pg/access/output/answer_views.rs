//! Views that hold the SQL of an answer: created as the caller, in the caller's schema, from SQL that the guard
//! accepted.
//!
//! The statement is parsed again when the view is created, so the guard checks the result: it judges a query
//! over the view, and thereby the view's own tree. The view is `security_invoker`: it is read with the
//! privileges of the role that queries it, and never shows more than that role can see.

use std::ffi::CStr;

use pgrx::pg_sys;
use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::json_rows::unique_names;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::{Definition, quote_identifier, quote_literal};
use text2sql_domain::sql_result::ResultColumn;

use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::objects::answer_comment::{MADE_BY, is_answer_comment};
use crate::pg::access::objects::creation_schema;
use crate::pg::access::output::target::parsed;
use crate::pg::server::error::Raised;
use crate::pg::server::spi;
use crate::pg::server::spi::owner::can_write;

const PLACE: &str = "
    SELECT quote_ident(n.nspname), n.oid = pg_my_temp_schema()
    FROM pg_namespace n
    WHERE CASE WHEN $1 = 'pg_temp' THEN n.oid = pg_my_temp_schema()
               WHEN $1 IS NULL THEN n.oid = $2
               ELSE n.nspname = $1 END";
const DEFINITION: &str = "SELECT left(pg_get_viewdef(to_regclass($1)), 1000000)";
const THERE: &str = "
    SELECT c.oid, c.relkind::text, coalesce(left(obj_description(c.oid, 'pg_class'), 100000), '')
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE quote_ident(n.nspname) = $1 AND c.relname = $2";

/// The columns of a relation, with their types as written in SQL.
const COLUMNS: &str = "
    SELECT a.attname::text, format_type(a.atttypid, a.atttypmod)
    FROM pg_attribute a
    WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum";

/// A view to be created or replaced.
#[derive(Debug)]
pub(crate) struct NewView {
    /// Its schema as written in SQL; `pg_temp` where the session has no temporary schema yet.
    schema: String,
    name: String,
    is_temporary: bool,
    /// The view to be replaced.
    replaced: Option<u32>,
}

/// The search path under which the definition of a view of this session is resolved.
const WITHOUT_PATH: &[(&CStr, &CStr)] = &[(c"search_path", c"pg_catalog, pg_temp")];

/// The content of its comment.
#[derive(Debug)]
pub(crate) struct Origin<'a> {
    /// The question.
    pub(crate) question: &'a str,
    /// The model that wrote the SQL.
    pub(crate) model: &'a str,
    /// Identifies the question in the history.
    pub(crate) trace_id: pgrx::Uuid,
    /// The definitions that the question uses.
    pub(crate) definitions: &'a [Definition],
    /// What the view omits, one line each.
    pub(crate) left_out: &'a [String],
}

impl NewView {
    /// Reads a name, and checks that the view can be created before a model is called.
    pub(crate) fn named(name: Option<&str>) -> Result<Self, Raised> {
        if !can_write() {
            return Err(Raised {
                hint: Some("Call ask_view() on the primary server, outside a read-only transaction; to_sql() returns the SQL without creating a view.".to_owned()),
                ..Raised::new("25006", "cannot create a view on a standby or in a read-only transaction")
            });
        }
        let written = name.map(str::trim).unwrap_or_default();
        if written.is_empty() {
            return Err(bad("view name must not be empty".to_owned()));
        }
        let mut parts = parsed(written)?;
        let (Some(name), schema, None) = (parts.pop(), parts.pop(), parts.pop()) else {
            return Err(bad(format!("\"{written}\" is not a valid view name")));
        };
        let path = creation_schema();
        let place = spi::read_rows(PLACE, &[schema.clone().into(), path.into()], 1, |row| {
            Ok((
                row.read::<String>(1)?.unwrap_or_default(),
                row.read::<bool>(2)?.unwrap_or_default(),
            ))
        })?;
        let mut view = match (place.into_iter().next(), schema.as_deref()) {
            (Some((schema, is_temporary)), _) => Self {
                schema,
                name,
                is_temporary,
                replaced: None,
            },
            (None, Some("pg_temp")) => Self {
                schema: "pg_temp".to_owned(),
                name,
                is_temporary: true,
                replaced: None,
            },
            (None, Some(schema)) => {
                return Err(Raised::new(
                    "3F000",
                    format!("schema \"{schema}\" does not exist"),
                ));
            }
            (None, None) => {
                return Err(Raised {
                    hint: Some(
                        "Name the schema: SELECT text2sql.ask_view('How many orders by month?', 'reports.orders_by_month').".to_owned(),
                    ),
                    ..Raised::new("3F000", "no schema has been selected to create in")
                });
            }
        };
        view.replaced = view.existing()?;
        Ok(view)
    }

    /// OID of the view to be replaced: its answer must not be read from itself.
    pub(crate) fn replaced(&self) -> Option<u32> {
        self.replaced
    }

    /// OID of the view created by ask_view with this name; an error if another relation has it.
    fn existing(&self) -> Result<Option<u32>, Raised> {
        let there = spi::read_rows(
            THERE,
            &[self.schema.as_str().into(), self.name.as_str().into()],
            1,
            |row| {
                let oid = row.read::<pg_sys::Oid>(1)?.map(pg_sys::Oid::to_u32);
                let kind = row.read::<String>(2)?.unwrap_or_default();
                let comment = row.read::<String>(3)?.unwrap_or_default();
                Ok(oid.filter(|_| kind == "v" && is_answer_comment(&comment)))
            },
        )?;
        match there.first() {
            None => Ok(None),
            Some(Some(oid)) => Ok(Some(*oid)),
            Some(None) => Err(Raised {
                hint: Some("Choose another name.".to_owned()),
                ..Raised::new(
                    "42P07",
                    format!(
                        "{} already exists and was not created by ask_view()",
                        self.sql_name()
                    ),
                )
            }),
        }
    }

    /// Its qualified name as written in SQL.
    pub(crate) fn sql_name(&self) -> String {
        // The name of the temporary schema depends on the session.
        let schema = if self.is_temporary {
            "pg_temp"
        } else {
            &self.schema
        };
        format!("{schema}.{}", quote_identifier(&self.name))
    }

    /// Creates the view.
    pub(crate) fn make(
        &self,
        sql: &str,
        columns: &[ResultColumn],
        origin: &Origin<'_>,
        database: &GuardedDatabase,
        limits: &Limits,
    ) -> Result<(), Raised> {
        self.check_columns(columns)?;
        let columns: Vec<String> = unique_names(columns)
            .iter()
            .map(|name| quote_identifier(name))
            .collect();
        let create = match (self.replaced, self.is_temporary) {
            (Some(_), _) => "CREATE OR REPLACE",
            (None, true) => "CREATE TEMPORARY",
            (None, false) => "CREATE",
        };
        let list = match columns.is_empty() {
            true => String::new(),
            false => format!(" ({})", columns.join(", ")),
        };
        let name = self.sql_name();
        spi::define(&format!(
            "{create} VIEW {name}{list} WITH (security_invoker = true) AS {sql}"
        ))?;
        spi::define(&format!(
            "COMMENT ON VIEW {name} IS {}",
            quote_literal(&origin.comment())
        ))?;
        let (query, outcome) = self.judged(database, limits)?;
        match outcome {
            Outcome::Passed(_) => Ok(()),
            Outcome::Rejected(rejection) => Err(Raised::refusal(&rejection, &query)),
            // Retrieval omits the view, but a model or a verified example may have named it anyway.
            Outcome::Failed(error) if self.replaced.is_some() && error.sqlstate == "42P17" => {
                Err(Raised {
                    hint: Some(format!(
                        "Run DROP VIEW {name} first, or choose another name for the view."
                    )),
                    ..Raised::new(
                        "42P17",
                        format!("the query would read view {name}, which it would replace"),
                    )
                })
            }
            Outcome::Failed(error) => Err(Raised::database(error, &query)),
        }
    }
}

impl NewView {
    /// A replaced view keeps its columns, and may get more after them, because others may read it.
    fn check_columns(&self, columns: &[ResultColumn]) -> Result<(), Raised> {
        let Some(replaced) = self.replaced else {
            return Ok(());
        };
        let replaced = pg_sys::Oid::from(replaced);
        let known = spi::read_rows(COLUMNS, &[replaced.into()], 0, |row| {
            Ok((
                row.read::<String>(1)?.unwrap_or_default(),
                row.read::<String>(2)?.unwrap_or_default(),
            ))
        })?;
        let new = unique_names(columns);
        let types = columns.iter().map(|column| column.type_name.as_str());
        let new: Vec<(&str, &str)> = new.iter().map(String::as_str).zip(types).collect();
        let stays = |(place, (name, type_name)): (usize, &(String, String))| {
            new.get(place).is_some_and(|(other, other_type)| {
                other == name && is_same_type(type_name, other_type)
            })
        };
        if known.iter().enumerate().all(stays) {
            return Ok(());
        }
        let written = |columns: &mut dyn Iterator<Item = (&str, &str)>| {
            let columns: Vec<String> = columns
                .map(|(name, type_name)| format!("{} {type_name}", quote_identifier(name)))
                .collect();
            columns.join(", ")
        };
        let mut old = known
            .iter()
            .map(|(name, type_name)| (name.as_str(), type_name.as_str()));
        let name = self.sql_name();
        Err(Raised {
            detail: Some(format!(
                "the view has ({}), the answer has ({})",
                written(&mut old),
                written(&mut new.iter().copied())
            )),
            hint: Some(format!(
                "Run DROP VIEW {name} first, or choose another name for the view."
            )),
            ..Raised::new(
                "42P16",
                format!("the query returns other columns than view {name}, which it would replace"),
            )
        })
    }

    /// The guard's verdict on the view as it is now, and the query that it judged.
    fn judged(
        &self,
        database: &GuardedDatabase,
        limits: &Limits,
    ) -> Result<(String, Outcome<Vec<ResultColumn>>), Error> {
        let name = self.sql_name();
        if !self.is_temporary {
            let query = format!("SELECT * FROM {name}");
            let outcome = database.check(&query, limits)?;
            return Ok((query, outcome));
        }
        // Questions may not use temporary relations, so the guard refuses their names: it judges the definition
        // instead, in which every name is schema-qualified.
        let definition: Option<String> = spi::read_one(DEFINITION, &[name.into()])?;
        let query = definition.unwrap_or_default();
        let query = query.trim_end_matches(';').to_owned();
        let outcome = spi::with_settings(&[WITHOUT_PATH], || database.check(&query, limits))?;
        Ok((query, outcome))
    }
}

impl Origin<'_> {
    fn comment(&self) -> String {
        let mut comment = self.question.to_owned();
        for definition in self.definitions {
            let meaning = match &definition.sql_expression {
                Some(expression) => expression,
                None => &definition.meaning,
            };
            comment.push_str(&format!("\n{} := {meaning}", definition.term));
        }
        for line in self.left_out {
            comment.push_str(&format!("\n{line}"));
        }
        comment.push_str(&format!(
            "\n{MADE_BY}{}, trace {}",
            self.model, self.trace_id
        ));
        comment
    }
}

/// Whether two names may refer to the same type: whether the schema is included depends on the search path. If
/// they differ, PostgreSQL itself refuses to replace the view.
fn is_same_type(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        let front = long.strip_suffix(short);
        front.is_some_and(|front| front.is_empty() || front.ends_with('.'))
    };
    ends(one, other) || ends(other, one)
}

fn bad(message: String) -> Raised {
    Raised::from(
        Error::new(ErrorKind::Setting, message)
            .with_hint("Name a view, in pg_temp for a temporary one: SELECT text2sql.ask_view('How many orders by month?', 'reports.orders_by_month');"),
    )
}
