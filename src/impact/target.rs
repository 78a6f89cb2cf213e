//! The object that a call names: a table, column or view as everywhere, or a function.

use text2sql_analysis::impact::{Class, Node};
use text2sql_domain::error::{Error, ErrorKind, failure};

use crate::pg::Oid;
use crate::pg::access::objects::references::place_of;
use crate::pg::access::objects::{self, Object};
use crate::pg::access::protection::visible::is_visible;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

/// With `$3` the path of the caller, in order.
const FIND_FUNCTIONS: &str = include_str!("../../sql/queries/impact_function.sql");

/// The object, which the effective role can see.
pub(super) fn resolve(name: &str, role: &EffectiveRole, caller: Oid) -> Result<Node, Error> {
    if let Some(bare) = function_name(name) {
        return function(bare, caller);
    }
    let resolved = with_role(role, || {
        let object = objects::resolve(name)?;
        match object.relation_oid {
            Some(_) if is_visible(place_of(&object)) => Ok(Some(object)),
            Some(_) => Ok(None),
            None => Err(failure!(Setting, "\"{name}\" is a schema")
            .with_hint("Name a table, a view, a column or a function: 'shop.orders', 'shop.orders.status', 'shop.revenue(int)'.")),
        }
    });
    match resolved {
        Ok(Some(object)) => Ok(node(&object)),
        Ok(None) => Err(missing(name)),
        Err(error) if error.kind() == ErrorKind::Undefined => {
            // A function may be named without its arguments.
            function(name, caller).map_err(|other| match other.kind() {
                ErrorKind::Undefined => missing(name),
                _ => other,
            })
        }
        Err(error) => Err(error),
    }
}

fn node(object: &Object) -> Node {
    Node {
        class: Class::Relation,
        oid: object.relation_oid.unwrap_or_default(),
        column: object.column_number,
    }
}

/// The name of a function in a call: after the word `function` or `procedure`, or with arguments.
fn function_name(name: &str) -> Option<&str> {
    let trimmed = name.trim();
    for word in ["function ", "procedure "] {
        if let Some((start, rest)) = trimmed.split_at_checked(word.len())
            && start.eq_ignore_ascii_case(word)
        {
            return Some(rest.trim());
        }
    }
    (trimmed.ends_with(')') && !trimmed.starts_with('"')).then_some(trimmed)
}

fn function(name: &str, caller: Oid) -> Result<Node, Error> {
    let path: Vec<Oid> = objects::search_path().into_iter().map(Oid::from).collect();
    let (bare, arguments) = match name.split_once('(') {
        Some((bare, rest)) => (
            bare.trim(),
            Some(rest.trim_end().trim_end_matches(')').to_owned()),
        ),
        None => (name, None),
    };
    let arguments = [bare.into(), arguments.into(), path.into(), caller.into()];
    let found = spi::read_rows(FIND_FUNCTIONS, &arguments, 0, |row| {
        Ok((row.read::<Oid>(1)?, row.read::<String>(2)?))
    })?;
    match found.as_slice() {
        [(Some(oid), _)] => Ok(Node {
            class: Class::Function,
            oid: oid.to_u32(),
            column: None,
        }),
        [] => Err(missing(name)),
        several => {
            let names: Vec<&str> = several
                .iter()
                .filter_map(|(_, name)| name.as_deref())
                .collect();
            Err(failure!(Setting, "\"{name}\" is ambiguous")
                .with_detail(names.join(" or "))
                .with_hint("Write the types of its arguments."))
        }
    }
}

fn missing(name: &str) -> Error {
    failure!(Undefined, "\"{name}\" does not exist").with_hint(
        "Name a table, a view, a column or a function that you may read or call: 'shop.orders', \
         'shop.orders.status', 'shop.revenue(int)'. Names are folded to lower case unless they are in double quotes.",
    )
}
