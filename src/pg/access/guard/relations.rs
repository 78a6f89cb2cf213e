//! Which relations a statement may read: kinds, scope, and the caller's privileges on all of them, including
//! those that the executor would never check (an unreferenced CTE).

use std::ffi::c_int;

use pgrx::{PgList, pg_sys};
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::validate::{HIDDEN_ROWS, Rejection, Rule};
use text2sql_phrases::say;

use super::availability;
use super::verdict::refuse;
use crate::pg::access::objects::loaded_tables;
use crate::pg::access::objects::{COPIES_SCHEMA, FIRST_USER_OID, OWN_EXTENSION};
use crate::pg::access::objects::{EVAL_SCHEMA, OWN_SCHEMA};
use crate::pg::access::protection;
use crate::pg::access::query_tree::reads::Read;
use crate::pg::server::citus;
use crate::pg::server::compat::permissions::QueryPermissions;
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::encoding::text_of;

const SELECT: pg_sys::AclMode = pg_sys::ACL_SELECT as pg_sys::AclMode;

/// The views of `sql/schema/permissions.sql` and `access.sql`.
const PERMISSION_VIEWS: [&str; 3] = ["permissions", "roles", "access"];

/// A relation as described by the catalog.
pub(super) struct Relation {
    oid: pg_sys::Oid,
    schema: String,
    name: String,
    kind: u8,
}

impl Relation {
    /// Looks up the relation of a range table entry.
    pub(super) fn of(entry: &pg_sys::RangeTblEntry) -> Self {
        // SAFETY: cache look-ups by OID; each returns a palloc'd string or NULL.
        unsafe {
            let oid = entry.relid;
            Self {
                oid,
                schema: text_of(pg_sys::get_namespace_name(pg_sys::get_rel_namespace(oid))),
                name: text_of(pg_sys::get_rel_name(oid)),
                kind: entry.relkind.cast_unsigned(),
            }
        }
    }

    /// `schema.name`.
    pub(super) fn qualified_name(&self) -> String {
        format!("{}.{}", self.schema, self.name)
    }

    fn is_catalog(&self) -> bool {
        self.oid.to_u32() < FIRST_USER_OID
            || self.schema == "pg_catalog"
            || self.schema == "information_schema"
    }

    /// Whether it is one of the views that show permissions. Its body reads catalogs and is part of the
    /// extension.
    fn tells_permissions(&self) -> bool {
        PERMISSION_VIEWS.contains(&self.name.as_str()) && {
            // SAFETY: look-ups in the caches; no extension returns InvalidOid, whose name is NULL.
            let extension = unsafe {
                let extension = pg_sys::getExtensionOfObject(pg_sys::RelationRelationId, self.oid);
                text_of(pg_sys::get_extension_name(extension))
            };
            extension == OWN_EXTENSION
        }
    }

    fn word(&self) -> &'static str {
        match self.kind {
            pg_sys::RELKIND_VIEW => "view",
            pg_sys::RELKIND_MATVIEW => "materialized view",
            pg_sys::RELKIND_FOREIGN_TABLE => "foreign table",
            pg_sys::RELKIND_SEQUENCE => "sequence",
            _ => "table",
        }
    }
}

/// The view that tells questions what this part of a catalog says of roles and their privileges.
fn readable_instead(catalog: &str) -> Option<&'static str> {
    match catalog {
        "pg_roles" | "pg_authid" | "pg_user" | "pg_shadow" | "pg_group" | "pg_auth_members"
        | "applicable_roles" | "enabled_roles" => Some("text2sql.roles"),
        "table_privileges" | "role_table_grants" | "column_privileges" | "role_column_grants" => {
            Some("text2sql.permissions")
        }
        _ => None,
    }
}

/// Judges a relation that the statement itself names; returns it and what is read of it.
pub(super) fn judge(
    entry: *mut pg_sys::RangeTblEntry,
    permissions: QueryPermissions,
    policy: &GuardPolicy,
) -> Result<(Relation, Read), Rejection> {
    // SAFETY: the walker hands over a valid entry of kind RTE_RELATION.
    let relation = Relation::of(unsafe { &*entry });
    let out_of_scope = |reason: String| {
        let mut rejection = refuse(Rule::Relation, reason);
        rejection.offender = Some(relation.qualified_name());
        Err(rejection)
    };
    let name = relation.qualified_name();
    let is_hidden_temporary =
        relation.schema.starts_with("pg_temp") && !loaded_tables::is_loaded(relation.oid);
    if relation.schema.starts_with("pg_toast") || is_hidden_temporary {
        return out_of_scope(say!("{name} is an internal or a temporary relation"));
    }
    if relation.is_catalog() && !policy.allow_system_catalogs {
        return out_of_scope(match readable_instead(&relation.name) {
            Some(view) => say!("{name} is part of the system catalog; {view} can be read instead"),
            None => say!("{name} is part of the system catalog"),
        });
    }
    let is_ours = [OWN_SCHEMA, EVAL_SCHEMA, COPIES_SCHEMA].contains(&relation.schema.as_str());
    if is_ours && !relation.tells_permissions() {
        return out_of_scope(say!("{name} belongs to pg_text2sql"));
    }
    if citus::is_internal_relation(relation.oid, &relation.schema, &relation.name) {
        return out_of_scope(say!(
            "{name} is a part of a distributed table, or belongs to Citus"
        ));
    }
    match relation.kind {
        pg_sys::RELKIND_RELATION
        | pg_sys::RELKIND_PARTITIONED_TABLE
        | pg_sys::RELKIND_VIEW
        | pg_sys::RELKIND_MATVIEW => {}
        pg_sys::RELKIND_FOREIGN_TABLE if policy.allow_foreign_tables => {}
        _ => return out_of_scope(format!("{name} is a {}", relation.word())),
    }
    if protection::holds_statistics(relation.oid) && availability::is_limited(policy)? {
        return out_of_scope(say!("relation \"{name}\" is not available"));
    }
    // Before any error about privileges. A relation with the name of a common table expression was not checked
    // earlier.
    availability::judge_relation(relation.oid, &relation.name, policy)?;
    // SAFETY: a valid entry of the query to which the permissions belong.
    let (needed, may_read) = unsafe { (permissions.find(entry), permissions.are_granted(entry)) };
    let Some(needed) = needed else {
        return Err(permission_denied(&relation, &[]));
    };
    if needed.required() & !SELECT != 0 {
        let mut rejection = refuse(
            Rule::Statement,
            format!("{name} would be changed or locked"),
        );
        rejection.offender = Some(name);
        return Err(rejection);
    }
    if !may_read {
        return Err(permission_denied(&relation, &needed.columns()));
    }
    Ok((relation, Read::of(&needed)))
}

/// Names the table and, when some of it is readable, the column. Name resolution has succeeded, so the caller
/// has USAGE on the schema and may know both.
fn permission_denied(relation: &Relation, columns: &[c_int]) -> Rejection {
    let word = say(&format!("relation^{}", relation.word()), &[]);
    let (name, oid) = (&relation.name, relation.oid);
    let mut reason = say!("permission denied for {word} {name}");
    let mut offender = relation.qualified_name();
    // SAFETY: look-ups in the caches for the columns that are read.
    unsafe {
        let role = pg_sys::GetUserId();
        let any_column =
            pg_sys::pg_attribute_aclcheck_all(oid, role, SELECT, pg_sys::AclMaskHow::ACLMASK_ANY)
                == pg_sys::AclResult::ACLCHECK_OK;
        let columns = if any_column { columns } else { &[] };
        for number in columns {
            let Ok(number) = pg_sys::AttrNumber::try_from(*number) else {
                break;
            };
            if number > 0
                && pg_sys::pg_attribute_aclcheck(oid, number, role, SELECT)
                    != pg_sys::AclResult::ACLCHECK_OK
            {
                let column = text_of(pg_sys::get_attname(oid, number, true));
                offender = format!("{offender} ({})", quote_identifier(&column));
                reason = say!("permission denied for column {column} of {word} {name}");
                break;
            }
        }
    }
    let mut rejection = refuse(Rule::Permission, reason);
    rejection.offender = Some(offender);
    rejection
}

/// Refuses a table whose rows row-level security would hide from the role that runs a superuser's queries: an
/// empty result would look like an answer.
pub(super) fn judge_row_security(entry: &pg_sys::RangeTblEntry) -> Result<(), Rejection> {
    // SAFETY: reads the relation cache; `true` makes it answer instead of raising.
    let status = unsafe { pg_sys::check_enable_rls(entry.relid, pg_sys::InvalidOid, true) };
    if status.cast_unsigned() != pg_sys::CheckEnableRlsResult::RLS_ENABLED {
        return Ok(());
    }
    let relation = Relation::of(entry);
    let name = relation.qualified_name();
    let mut rejection = refuse(
        Rule::Permission,
        format!(
            "{HIDDEN_ROWS} {name} from the role that runs the queries of a superuser; \
             use SET ROLE to ask as another role"
        ),
    );
    rejection.offender = Some(name);
    Err(rejection)
}

/// Whether the entry is a relation that only Citus itself may read.
pub(super) fn is_citus_internal(entry: &pg_sys::RangeTblEntry) -> bool {
    let relation = Relation::of(entry);
    citus::is_internal_relation(relation.oid, &relation.schema, &relation.name)
}

/// Finds a foreign table among the relations of a range table, including partitions and relations behind a
/// view.
pub(super) fn foreign_table(range_table: *mut pg_sys::List) -> Option<String> {
    // SAFETY: a range table holds valid entries only.
    unsafe {
        PgList::<pg_sys::RangeTblEntry>::from_pg(range_table)
            .iter_ptr()
            .map(|entry| &*entry)
            .find(|entry| {
                entry.rtekind == pg_sys::RTEKind::RTE_RELATION
                    && entry.relkind.cast_unsigned() == pg_sys::RELKIND_FOREIGN_TABLE
            })
            .map(|entry| Relation::of(entry).qualified_name())
    }
}
