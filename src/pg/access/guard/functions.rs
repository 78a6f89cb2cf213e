//! Which functions a statement may call, by OID: names and `search_path` prove nothing, and labels such as
//! IMMUTABLE are merely claims by the author.
//!
//! Built-in functions follow the reviewed list of this major version (`policy/`); functions of trusted
//! extensions, and those registered by an administrator, may be called as well.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_int;
use text2sql_domain::words;

use pgrx::pg_sys;
use std::sync::LazyLock;

use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::access::objects::OWN_EXTENSION;
use crate::pg::server::citus;
use crate::pg::server::compat::function_policy::POLICY;
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::encoding::text_of;

/// The OIDs from here to [`FIRST_USER_OID`] are assigned by `initdb`, in an order that depends on the machine.
const FIRST_INITDB_OID: u32 = 12_000;

/// What a function may do under the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A statement may call it, also in parallel workers.
    Reviewed,
    /// A statement may call it, because an administrator registered it.
    Registered,
    /// Only as the function of a cast.
    InputConversion,
    /// Only indirectly: in a policy, a view, an aggregate.
    Beneath,
    /// Only where the planner of Citus puts it into a plan: in no statement and no view.
    OfPlan,
    /// A user's function: indirectly, with its owner's definition; never during parse analysis.
    User {
        /// Labelled VOLATILE.
        is_volatile: bool,
    },
    /// Never, not even indirectly.
    Dangerous,
}

/// The rules for functions under one policy, with a cache of past look-ups.
pub(crate) struct FunctionRules {
    trusted_extensions: Vec<String>,
    registered: Vec<u32>,
    seen: RefCell<HashMap<u32, Standing>>,
}

/// Extensions whose functions run SQL text, open connections or access files: refused even in the body of a
/// view.
const DANGEROUS_EXTENSIONS: [&str; 12] = *words!(
    "dblink, postgres_fdw, file_fdw, tablefunc, xml2, adminpack, http, pg_net, pgsql_http, lo, \
     pg_cron, pg_background"
);

/// Functions of the extension that the views of `sql/schema/permissions.sql` call.
const ASKED_BY_OUR_VIEWS: [&str; 2] = ["_protection", "_is_shown"];

impl FunctionRules {
    /// Creates the rules of `policy`.
    pub(crate) fn new(policy: &GuardPolicy) -> Self {
        Self {
            trusted_extensions: policy.trusted_extensions.clone(),
            registered: policy.allowed_functions.clone(),
            seen: RefCell::default(),
        }
    }

    /// What the function may do.
    pub(crate) fn standing(&self, oid: pg_sys::Oid) -> Standing {
        let number = oid.to_u32();
        if number < FIRST_USER_OID {
            return built_in(number);
        }
        if let Some(standing) = self.seen.borrow().get(&number) {
            return *standing;
        }
        let standing = self.judge(oid);
        self.seen.borrow_mut().insert(number, standing);
        standing
    }

    /// Whether the operator belongs to a trusted extension.
    pub(super) fn trusts_operator(&self, oid: pg_sys::Oid) -> bool {
        self.trusts(pg_sys::OperatorRelationId, oid)
    }

    /// Whether the type belongs to a trusted extension.
    pub(super) fn trusts_type(&self, oid: pg_sys::Oid) -> bool {
        self.trusts(pg_sys::TypeRelationId, oid)
    }

    fn trusts(&self, class: pg_sys::Oid, oid: pg_sys::Oid) -> bool {
        // SAFETY: look-ups in the caches; an object without extension returns InvalidOid.
        let extension = unsafe {
            match pg_sys::getExtensionOfObject(class, oid) {
                pg_sys::InvalidOid => return false,
                extension => text_of(pg_sys::get_extension_name(extension)),
            }
        };
        self.trusted_extensions.contains(&extension)
    }

    fn judge(&self, oid: pg_sys::Oid) -> Standing {
        let Some(facts) = read_facts(oid) else {
            return Standing::Dangerous;
        };
        let is_registered = self.registered.contains(&oid.to_u32());
        let Some(extension) = facts.extension else {
            return if is_registered {
                Standing::Registered
            } else {
                Standing::User {
                    is_volatile: facts.is_volatile,
                }
            };
        };
        if extension == OWN_EXTENSION {
            // A nested question, or a way around the guard.
            return match ASKED_BY_OUR_VIEWS.contains(&facts.name.as_str()) {
                true => Standing::Beneath,
                false => Standing::Dangerous,
            };
        }
        // Before the registered ones: one of them opens connections.
        if citus::is_internal_function(&extension, &facts.name) {
            return Standing::OfPlan;
        }
        if is_registered {
            return Standing::Registered;
        }
        // isn_weak(true) changes the session for good. Its label is IMMUTABLE before PostgreSQL 18.
        if facts.is_volatile
            || facts.name == "isn_weak"
            || DANGEROUS_EXTENSIONS.contains(&extension.as_str())
        {
            return Standing::Dangerous;
        }
        // word_similarity: quadratic in C without a check for interrupts (27 s for 6,000 words).
        // The owner of a trusted extension may add functions to it that were not reviewed.
        let is_trusted = self.trusted_extensions.contains(&extension)
            && facts.is_superusers
            && !facts.is_security_definer
            && !facts.name.contains("word_similarity");
        match is_trusted {
            true if facts.takes_cstring => Standing::InputConversion,
            true => Standing::Reviewed,
            false => Standing::Beneath,
        }
    }
}

/// Whether this handler of TABLESAMPLE may be used: PostgreSQL's own or a trusted extension's.
pub(super) fn may_sample(rules: &FunctionRules, handler: pg_sys::Oid) -> bool {
    handler.to_u32() < FIRST_USER_OID
        || read_facts(handler)
            .and_then(|facts| facts.extension)
            .is_some_and(|extension| rules.trusted_extensions.contains(&extension))
}

/// The function's signature, such as `pg_sleep(double precision)`.
pub(crate) fn signature(oid: pg_sys::Oid) -> String {
    // SAFETY: returns a palloc'd string for any OID, a number for a dropped one.
    unsafe { text_of(pg_sys::format_procedure(oid)) }
}

/// The name of the function's volatility.
pub(super) fn volatility(oid: pg_sys::Oid) -> &'static str {
    // SAFETY: a look-up in the cache; the tree that calls the function was just analysed.
    match unsafe { pg_sys::func_volatile(oid) }.cast_unsigned() {
        pg_sys::PROVOLATILE_IMMUTABLE => "immutable",
        pg_sys::PROVOLATILE_STABLE => "stable",
        _ => "volatile",
    }
}

/// Whether the function runs with the privileges of its owner; true for a dropped function.
pub(super) fn is_definer(oid: pg_sys::Oid) -> bool {
    read_facts(oid).is_none_or(|facts| facts.is_security_definer)
}

struct Facts {
    name: String,
    is_volatile: bool,
    is_security_definer: bool,
    /// Whether it belongs to a superuser, as the objects of an extension do.
    is_superusers: bool,
    takes_cstring: bool,
    extension: Option<String>,
}

fn read_facts(oid: pg_sys::Oid) -> Option<Facts> {
    // SAFETY: the tuple is used between look-up and release; its struct is pg_proc's.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(
            pg_sys::SysCacheIdentifier::PROCOID.cast_signed() as c_int,
            pg_sys::Datum::from(oid),
        );
        if tuple.is_null() {
            return None;
        }
        let form = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_proc>();
        let arguments = usize::try_from((*form).pronargs).unwrap_or(0);
        let mut facts = Facts {
            name: text_of((*form).proname.data.as_ptr()),
            is_volatile: (*form).provolatile.cast_unsigned() == pg_sys::PROVOLATILE_VOLATILE,
            is_security_definer: (*form).prosecdef,
            is_superusers: pg_sys::superuser_arg((*form).proowner),
            takes_cstring: (*form)
                .proargtypes
                .values
                .as_slice(arguments)
                .contains(&pg_sys::CSTRINGOID),
            extension: None,
        };
        pg_sys::ReleaseSysCache(tuple);
        let extension = pg_sys::getExtensionOfObject(pg_sys::ProcedureRelationId, oid);
        if extension != pg_sys::InvalidOid {
            facts.extension = Some(text_of(pg_sys::get_extension_name(extension)));
        }
        Some(facts)
    }
}

fn built_in(oid: u32) -> Standing {
    if oid >= FIRST_INITDB_OID {
        return of_initdb(oid.into());
    }
    BUILT_IN
        .binary_search_by_key(&oid, |(listed, _)| *listed)
        .ok()
        .and_then(|index| BUILT_IN.get(index))
        .map_or(Standing::Dangerous, |(_, standing)| *standing)
}

/// The standing of a function whose number `initdb` assigned, by its name: none of them is overloaded.
fn of_initdb(oid: pg_sys::Oid) -> Standing {
    // SAFETY: look-ups in the caches; each returns a palloc'd name or NULL.
    let (schema, name) = unsafe {
        (
            text_of(pg_sys::get_namespace_name(pg_sys::get_func_namespace(oid))),
            text_of(pg_sys::get_func_name(oid)),
        )
    };
    let name = format!("{schema}.{name}");
    policy_lines()
        .filter(|line| line.oid.is_none())
        .find(|line| line.name() == name)
        .map_or(Standing::Dangerous, |line| line.standing)
}

/// The reviewed list, sorted by OID.
static BUILT_IN: LazyLock<Vec<(u32, Standing)>> = LazyLock::new(|| {
    let mut listed: Vec<(u32, Standing)> = policy_lines()
        .filter_map(|line| Some((line.oid?, line.standing)))
        .collect();
    listed.sort_unstable_by_key(|(oid, _)| *oid);
    listed
});

/// A line of the policy file.
struct PolicyLine {
    /// `None` for a function that `initdb` numbers: its OID differs from machine to machine.
    oid: Option<u32>,
    standing: Standing,
    /// With the schema if it is not `pg_catalog`, and without quotes.
    signature: &'static str,
}

impl PolicyLine {
    fn name(&self) -> &'static str {
        self.signature
            .split_once('(')
            .map_or(self.signature, |(name, _)| name)
    }
}

/// The lines of the policy file: OID, verdict, signature. `policy/README.md` explains the verdicts.
fn policy_lines() -> impl Iterator<Item = PolicyLine> {
    POLICY.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ' ');
        let oid = match fields.next()? {
            "-" => None,
            number => Some(number.parse().ok()?),
        };
        let standing = match fields.next()? {
            "a" => Standing::Reviewed,
            "c" => Standing::InputConversion,
            "i" => Standing::Beneath,
            "r" => Standing::Dangerous,
            _ => return None,
        };
        let signature = fields.next()?;
        Some(PolicyLine {
            oid,
            standing,
            signature,
        })
    })
}

/// Names of the built-in functions that a statement may call.
pub(crate) fn callable_names() -> impl Iterator<Item = &'static str> {
    policy_lines()
        .filter(|line| line.standing == Standing::Reviewed)
        .map(|line| line.name())
}

/// Number and signature of every line, as `policy/catalog.sql` lists the functions of the server.
#[cfg(feature = "pg_test")]
pub(crate) fn policy_signatures() -> impl Iterator<Item = (String, Standing)> {
    policy_lines().map(|line| {
        let number = line.oid.map_or("-".to_owned(), |oid| oid.to_string());
        (format!("{number} {}", line.signature), line.standing)
    })
}
