//! What reads an object of the database: from pg_depend, the trees of views, the bodies of functions, and stored
//! knowledge.

mod bodies;
mod cases;
mod knowledge;
mod recorded;
mod target;

use text2sql_analysis::impact::{self, Dependencies, Impact, Node, Reader};
use text2sql_domain::error::Error;

use crate::pg::server::session::user_oid;
use crate::pg::server::settings;
use crate::pg::server::spi::role::{EffectiveRole, effective_role, with_role};
use crate::pg::server::spi::sandbox;

/// What reads the object of this name.
pub(crate) fn of(name: &str) -> Result<Vec<Impact>, Error> {
    let role = effective_role(settings::run_as().as_deref())?;
    let caller = user_oid();
    let start = target::resolve(name, &role, caller)?;
    sandbox::keep_no_locks(|| {
        let catalog = Catalog { role, caller };
        impact::impact(start, &catalog)
    })
}

/// The catalog as the effective role sees it, and functions as the caller does.
struct Catalog {
    role: EffectiveRole,
    caller: crate::pg::Oid,
}

impl Dependencies for Catalog {
    fn readers(&self, nodes: &[Node]) -> Result<Vec<Reader>, Error> {
        let (names, mut readers) = with_role(&self.role, || {
            let names = bodies::names(nodes)?;
            let mut readers = recorded::readers(nodes, self.caller)?;
            readers.extend(bodies::readers(nodes, &names, self.caller)?);
            readers.extend(knowledge::readers(nodes)?);
            Ok((names, readers))
        })?;
        readers.extend(cases::readers(nodes, &names)?);
        Ok(readers)
    }
}
