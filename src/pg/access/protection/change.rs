//! Implements `text2sql.protect()`, after checking the caller's privileges.

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};

use super::{Level, as_owner, forget, of_column};
use crate::pg::access::objects::{self, Object, ObjectKind, catalog_stamp};
use crate::pg::server::compat::object_privileges;
use crate::pg::server::spi;
use crate::pg::server::spi::encoding::text_of;

const FOLLOW: &str = "SELECT text2sql._follow_protections()";
const UNPROTECT: &str = include_str!("../../../../sql/queries/unprotect.sql");
const DEPENDENT_VIEWS: &str = include_str!("../../../../sql/queries/dependent_views.sql");
const PROTECT: &str = include_str!("../../../../sql/queries/protect.sql");

/// Sets or removes the protection of the object that `name` refers to.
///
/// The owner of an object may protect it. To publish what is protected because of another object (a view over a
/// hidden table, a table in a hidden schema) requires the privileges of the database's owner.
pub(crate) fn protect(name: &str, level: &str) -> Result<(), Error> {
    let Some(level) = Level::of(level) else {
        return Err(failure!(Setting, "invalid protection level \"{level}\"")
            .with_hint("The levels are 'sample', 'open', 'private' and 'hidden'."));
    };
    let object = objects::resolve(name)?;
    check_owner(&object)?;
    let is_administrator = is_administrator();
    if level == Level::Sample {
        check_open(&object)?;
    }
    let views = dependent_views(&object)?;
    write(UNPROTECT, &object, None)?;
    // The level that it has without an explicit one of its own.
    let inherited = match (object.kind, object.relation_oid) {
        (ObjectKind::Schema, _) | (_, None) => Level::Open,
        (_, Some(relation)) => {
            of_column(relation.into(), object.column_number.unwrap_or_default())?
        }
    };
    if level == Level::Sample && inherited > Level::Open {
        // It was published by a rule of its own, which this one would replace.
        return Err(failure!(
            Setting,
            "{} is {} because of another object, and open by a rule of its own",
            object.sql_name(),
            inherited.as_str()
        )
        .with_hint("Write samples instead: SELECT text2sql.describe('…', samples => '[…]');"));
    }
    if level == Level::Open && inherited > level && !is_administrator {
        return Err(failure!(Denied, "{} is {} because of another object",
            object.sql_name(),
            inherited.as_str()).with_hint(
            "Lower the protection of that object, or ask the owner of the database to declare this one 'open'.",
        ));
    }
    if level != Level::Open || inherited != Level::Open {
        write(PROTECT, &object, Some(level))?;
    }
    if level == Level::Private && inherited == Level::Hidden {
        pgrx::notice!(
            "{} stays hidden because of another object",
            object.sql_name()
        );
    }
    tell_of_views(&views)
}

/// A view, its quoted name, and its level.
type View = (u32, String, Level);

/// Maximum number of views that a notice names.
const MAX_VIEWS_NAMED: usize = 10;

/// The views that read the object, or anything in the schema.
fn dependent_views(object: &Object) -> Result<Vec<View>, Error> {
    let arguments = [
        pg_sys::Oid::from(object.schema_oid).into(),
        object.relation_oid.map(pg_sys::Oid::from).into(),
    ];
    let views: Vec<(u32, String)> = spi::read_json(DEPENDENT_VIEWS, &arguments)?;
    let views = views.into_iter();
    views
        .map(|(oid, name)| Ok((oid, name, of_column(oid.into(), 0)?)))
        .collect()
}

/// Reports which views are now more protected, which the caller may not expect.
fn tell_of_views(views: &[View]) -> Result<(), Error> {
    for level in [Level::Hidden, Level::Private] {
        let mut names = Vec::new();
        for (oid, name, before) in views {
            if *before < level && of_column((*oid).into(), 0)? == level {
                names.push(name.as_str());
            }
        }
        if names.is_empty() {
            continue;
        }
        let more = names.len().saturating_sub(MAX_VIEWS_NAMED);
        names.truncate(MAX_VIEWS_NAMED);
        let mut list = names.join(", ");
        if more > 0 {
            list = format!("{list} and {more} more");
        }
        pgrx::notice!("views that read it are now {} too: {list}", level.as_str());
    }
    Ok(())
}

/// Runs an internal statement about the object as the owner of the table.
fn write(sql: &'static str, object: &Object, level: Option<Level>) -> Result<(), Error> {
    // SAFETY: a look-up in the role cache, which returns a palloc'd name.
    let user = unsafe { text_of(pg_sys::GetUserNameFromId(pg_sys::GetUserId(), true)) };
    let oid = |oid: Option<u32>| pg_sys::Oid::from(oid.unwrap_or(0));
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let written = as_owner(|| {
        if level.is_none() {
            spi::write(FOLLOW, &[], |_| Ok(()))?;
        }
        let mut arguments = vec![
            object.schema.clone().into(),
            text(&object.relation).into(),
            text(&object.column).into(),
            catalog_stamp().into(),
            oid(Some(object.schema_oid)).into(),
            oid(object.relation_oid).into(),
            object.column_number.unwrap_or(0).into(),
        ];
        if let Some(level) = level {
            arguments.push(level.as_str().into());
            arguments.push(user.into());
        }
        spi::write(sql, &arguments, |_| Ok(()))
    });
    forget();
    match written {
        Some(written) => written.map(|_| ()),
        None => Err(failure!(
            Setup,
            "the extension of this database is older than its library"
        )
        .with_hint("ALTER EXTENSION pg_text2sql UPDATE")),
    }
}

/// Refuses a caller who neither owns the object nor has the privileges of the database's owner, and objects of the
/// system.
pub(crate) fn check_owner(object: &Object) -> Result<(), Error> {
    refuse_system(object)?;
    if is_administrator() || is_owner(object) {
        return Ok(());
    }
    Err(failure!(Denied, "must be owner of {}", object.sql_name()))
}

/// Refuses samples of what is private or hidden, and of a schema.
pub(crate) fn check_open(object: &Object) -> Result<(), Error> {
    let Some(relation) = object.relation_oid else {
        return Err(failure!(Setting, "{} is a schema", object.sql_name())
            .with_hint("Samples are shown of a table or a column."));
    };
    let level = of_column(relation.into(), object.column_number.unwrap_or_default())?;
    if level <= Level::Open {
        return Ok(());
    }
    Err(
        failure!(Denied, "{} is {}", object.sql_name(), level.as_str()).with_detail(
            "No prompt shows values of what is private or hidden, and no samples of it.",
        ),
    )
}

fn refuse_system(object: &Object) -> Result<(), Error> {
    if object.schema.starts_with("pg_")
        || matches!(
            object.schema.as_str(),
            "information_schema" | "text2sql" | "text2sql_eval"
        )
    {
        return Err(failure!(
            Setting,
            "{} is not visible to text2sql",
            object.sql_name()
        ));
    }
    Ok(())
}

/// Whether the current user has the privileges of the database's owner.
fn is_administrator() -> bool {
    // SAFETY: reads variables of the session.
    unsafe { object_privileges::owns_database(pg_sys::MyDatabaseId, pg_sys::GetUserId()) }
}

fn is_owner(object: &Object) -> bool {
    // SAFETY: reads a variable of the session.
    let user = unsafe { pg_sys::GetUserId() };
    match object.relation_oid {
        Some(relation) => object_privileges::owns_relation(relation.into(), user),
        None => object_privileges::owns_schema(object.schema_oid.into(), user),
    }
}
