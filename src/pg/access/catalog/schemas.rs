//! What is said of schemas, by `describe()` and by `COMMENT ON SCHEMA`. The event trigger of `sql/schema/comments.sql`
//! tells sessions of a new comment; where it is disabled, they see it with the next change of a relation.

use std::rc::Rc;

use pgrx::pg_sys;
use text2sql_domain::error::Error;
use text2sql_domain::schema::SchemaNote;

use super::SessionCache;
use crate::pg::access::objects::own_tables::may_read;
use crate::pg::server::spi;

const DESCRIBED: &str = include_str!("../../../../sql/queries/described_schemas.sql");

/// What `initdb` says of `public` tells nothing.
const COMMENTED: &str = "SELECT coalesce(json_agg(json_build_array(n.nspname, left(d.description, 4000))), '[]')::text
     FROM pg_description d JOIN pg_namespace n ON n.oid = d.objoid
     WHERE d.classoid = 'pg_namespace'::regclass AND d.objsubid = 0 AND left(d.description, 100) <> 'standard public schema'
       AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval')
       AND has_schema_privilege(n.oid, 'USAGE')";

/// Maximum number of roles whose notes a session caches.
const MAX_ROLES: usize = 8;

thread_local! {
    /// By the role that reads.
    static KNOWN: SessionCache<u32, Rc<[SchemaNote]>> = SessionCache::new(MAX_ROLES);
}

/// The schemas of which something is said.
pub(super) fn notes() -> Result<Vec<SchemaNote>, Error> {
    // SAFETY: reads a variable.
    let role = unsafe { pg_sys::GetUserId() }.to_u32();
    let notes = SessionCache::get_or_read(&KNOWN, role, || {
        let commented: Vec<(String, String)> = spi::read_json(COMMENTED, &[])?;
        let described: Vec<(String, String)> = match may_read(c"_annotations") {
            true => spi::read_json(DESCRIBED, &[])?,
            false => Vec::new(),
        };
        let mut notes: Vec<SchemaNote> = Vec::new();
        for (name, comment) in commented {
            notes.push(SchemaNote {
                name,
                comment: Some(comment),
                ..SchemaNote::default()
            });
        }
        for (name, description) in described {
            match notes.iter_mut().find(|note| note.name == name) {
                Some(note) => note.description = Some(description),
                None => notes.push(SchemaNote {
                    name,
                    description: Some(description),
                    ..SchemaNote::default()
                }),
            }
        }
        Ok::<_, Error>(notes.into())
    })?;
    Ok(notes.to_vec())
}
