//! What there is to call, as the running server knows it.

use std::collections::{HashMap, HashSet};

use postgres::Client;

use crate::error::Fallible;
use crate::literals;

/// A type's OID.
pub(crate) type TypeId = u32;

/// How a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In any expression.
    Plain,
    /// Over a group.
    Aggregate,
    /// `WITHIN GROUP`, with the number of direct arguments.
    OrderedSet(usize),
    /// `OVER`.
    Window,
}

/// A function.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    /// Qualified and quoted.
    pub(crate) name: String,
    /// How it is called.
    pub(crate) kind: Kind,
    /// Whether it gives several rows.
    pub(crate) gives_rows: bool,
    /// Its result.
    pub(crate) result: TypeId,
    /// Its arguments.
    pub(crate) arguments: Vec<TypeId>,
    /// Whether the guard's list says that a statement may name it.
    pub(crate) is_reviewed: bool,
}

/// An operator.
#[derive(Debug, Clone)]
pub(crate) struct Operator {
    /// As `OPERATOR(…)` wants it.
    pub(crate) name: String,
    /// The left operand, none for a prefix.
    pub(crate) left: Option<TypeId>,
    /// The right operand.
    pub(crate) right: TypeId,
    /// Its result.
    pub(crate) result: TypeId,
}

/// A column that statements can read.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// Quoted where SQL needs it.
    pub(crate) name: String,
    /// Its type.
    pub(crate) type_id: TypeId,
}

/// A relation that statements can read.
#[derive(Debug, Clone)]
pub(crate) struct Relation {
    /// Qualified.
    pub(crate) name: String,
    /// Its columns.
    pub(crate) columns: Vec<Column>,
}

/// All of it.
#[derive(Debug)]
pub(crate) struct Catalog {
    /// The server's major version.
    pub(crate) major: u32,
    /// Functions, the reviewed ones and all others.
    pub(crate) functions: Vec<Function>,
    /// Operators.
    pub(crate) operators: Vec<Operator>,
    /// What an ordinary role may read.
    pub(crate) relations: Vec<Relation>,
    /// What it may not.
    pub(crate) closed_relations: Vec<String>,
    /// Types that we have values of, by OID.
    pub(crate) types: HashMap<TypeId, String>,
    /// Reviewed functions and operators by their result, for expressions.
    pub(crate) by_result: HashMap<TypeId, Vec<usize>>,
    /// Operators by their result.
    pub(crate) operators_by_result: HashMap<TypeId, Vec<usize>>,
    /// For polymorphic arguments: element, array and range types that belong together.
    pub(crate) families: Vec<Family>,
}

/// Types that belong together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Family {
    /// The element.
    pub(crate) element: TypeId,
    /// Its array.
    pub(crate) array: TypeId,
    /// A range over it.
    pub(crate) range: Option<TypeId>,
    /// A multirange over it.
    pub(crate) multirange: Option<TypeId>,
}

/// The reviewed lists, by major version.
const POLICIES: [(u32, &str); 4] = [
    (15, include_str!("../../../policy/functions_pg15.txt")),
    (16, include_str!("../../../policy/functions_pg16.txt")),
    (17, include_str!("../../../policy/functions_pg17.txt")),
    (18, include_str!("../../../policy/functions_pg18.txt")),
];

impl Catalog {
    /// Reads it. `client` is a superuser.
    pub(crate) fn read(client: &mut Client) -> Fallible<Self> {
        let types = types(client)?;
        let major = major_version(client)?;
        let functions = functions(client, major)?;
        let operators = operators(client)?;
        let mut by_result: HashMap<TypeId, Vec<usize>> = HashMap::new();
        for (index, function) in functions.iter().enumerate() {
            let usable = function.is_reviewed && !function.gives_rows;
            if usable && function.kind == Kind::Plain {
                by_result.entry(function.result).or_default().push(index);
            }
        }
        let mut operators_by_result: HashMap<TypeId, Vec<usize>> = HashMap::new();
        for (index, operator) in operators.iter().enumerate() {
            let results = operators_by_result.entry(operator.result).or_default();
            results.push(index);
        }
        let families = families(client)?;
        let relations = relations(client)?;
        let closed = closed_relations(client)?;
        Ok(Self {
            major,
            functions,
            operators,
            relations,
            closed_relations: closed,
            types,
            by_result,
            operators_by_result,
            families,
        })
    }
}

/// The server's major version.
pub(crate) fn major_version(client: &mut Client) -> Fallible<u32> {
    let version: String = client.query_one("SHOW server_version_num", &[])?.get(0);
    Ok(version.parse::<u32>()? / 10_000)
}

/// OIDs of the functions that a statement may name.
fn reviewed(major: u32) -> HashSet<u32> {
    policy(major)
        .filter_map(|(oid, _)| oid.parse().ok())
        .collect()
}

/// Signatures of them, without quotes.
pub(crate) fn reviewed_signatures(major: u32) -> HashSet<String> {
    policy(major)
        .map(|(_, signature)| signature.replace('"', ""))
        .collect()
}

fn policy(major: u32) -> impl Iterator<Item = (&'static str, &'static str)> {
    let listed = POLICIES.iter().find(|(listed, _)| *listed == major);
    let text = listed.map_or("", |(_, text)| text);
    text.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ' ');
        let oid = fields.next()?;
        (fields.next()? == "a").then_some((oid, fields.next()?))
    })
}

fn types(client: &mut Client) -> Fallible<HashMap<TypeId, String>> {
    let rows = client.query(
        "SELECT oid, format_type(oid, NULL) FROM pg_type WHERE typtype <> 'c'",
        &[],
    )?;
    let all = rows
        .iter()
        .map(|row| (row.get::<_, u32>(0), row.get::<_, String>(1)));
    Ok(all
        .filter(|(_, name)| !literals::of_type(name).is_empty())
        .collect())
}

fn functions(client: &mut Client, major: u32) -> Fallible<Vec<Function>> {
    let sql = "SELECT p.oid, quote_ident(n.nspname) || '.' || quote_ident(p.proname), p.prokind::text,
            p.proretset, p.prorettype, p.proargtypes::oid[], a.aggkind::text, a.aggnumdirectargs::int,
            p.provolatile = 'v' OR p.prosecdef
            OR e.extname NOT IN ('pg_trgm', 'hstore', 'citext', 'unaccent', 'fuzzystrmatch', 'vector', 'ltree',
                'intarray', 'cube', 'earthdistance', 'isn') OR p.oid > 16383 AND e.extname IS NULL
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
        LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
        LEFT JOIN pg_extension e ON e.oid = d.refobjid
        WHERE p.prokind <> 'p' AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
            AND 'internal'::regtype <> ALL (p.proargtypes::oid[]) AND 'cstring'::regtype <> ALL (p.proargtypes::oid[])
            AND p.prorettype NOT IN ('internal'::regtype, 'cstring'::regtype)
            AND n.nspname <> 'information_schema'
        ORDER BY p.oid";
    let reviewed = reviewed(major);
    let rows = client.query(sql, &[])?;
    let functions = rows.iter().map(|row| {
        let oid: u32 = row.get(0);
        let is_untrusted: Option<bool> = row.get(8);
        let kind: String = row.get(2);
        let aggregate_kind: Option<String> = row.get(6);
        let direct = row.get::<_, Option<i32>>(7).unwrap_or(0);
        Function {
            name: row.get(1),
            kind: match (kind.as_str(), aggregate_kind.as_deref()) {
                ("w", _) => Kind::Window,
                ("a", Some("n")) => Kind::Aggregate,
                ("a", _) => Kind::OrderedSet(usize::try_from(direct).unwrap_or(0)),
                _ => Kind::Plain,
            },
            gives_rows: row.get(3),
            result: row.get(4),
            arguments: row.get(5),
            is_reviewed: match oid < 16384 {
                true => reviewed.contains(&oid),
                false => is_untrusted == Some(false),
            },
        }
    });
    Ok(functions.collect())
}

fn operators(client: &mut Client) -> Fallible<Vec<Operator>> {
    let sql = "SELECT quote_ident(n.nspname) || '.' || o.oprname, o.oprleft, o.oprright, o.oprresult
        FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace WHERE o.oprcode <> 0 ORDER BY o.oid";
    let rows = client.query(sql, &[])?;
    let operators = rows.iter().map(|row| {
        let left: u32 = row.get(1);
        Operator {
            name: row.get(0),
            left: (left != 0).then_some(left),
            right: row.get(2),
            result: row.get(3),
        }
    });
    Ok(operators.collect())
}

fn families(client: &mut Client) -> Fallible<Vec<Family>> {
    let sql = "SELECT t.oid, t.typarray, r.rngtypid, r.rngmultitypid FROM pg_type t
        LEFT JOIN pg_range r ON r.rngsubtype = t.oid AND r.rngtypid < 16384
        WHERE t.oid IN ('int4'::regtype, 'int8'::regtype, 'numeric'::regtype, 'text'::regtype, 'date'::regtype,
            'timestamptz'::regtype, 'mood'::regtype)
        ORDER BY t.oid";
    let rows = client.query(sql, &[])?;
    let families = rows.iter().map(|row| Family {
        element: row.get(0),
        array: row.get(1),
        range: row.get(2),
        multirange: row.get(3),
    });
    Ok(families.collect())
}

fn relations(client: &mut Client) -> Fallible<Vec<Relation>> {
    let sql = "SELECT c.oid::regclass::text, quote_ident(a.attname), a.atttypid FROM pg_class c
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         WHERE c.relnamespace IN ('public'::regnamespace, 'shop'::regnamespace) AND c.relkind IN ('r', 'v', 'm', 'p')
             AND c.relname <> 'evil'
             AND has_column_privilege('proof_analyst', c.oid, a.attnum, 'select')
         ORDER BY c.oid, a.attnum";
    let mut relations: Vec<Relation> = Vec::new();
    for row in client.query(sql, &[])? {
        let name: String = row.get(0);
        let column = Column {
            name: row.get(1),
            type_id: row.get(2),
        };
        match relations.last_mut() {
            Some(last) if last.name == name => last.columns.push(column),
            _ => relations.push(Relation {
                name,
                columns: vec![column],
            }),
        }
    }
    Ok(relations)
}

fn closed_relations(client: &mut Client) -> Fallible<Vec<String>> {
    let sql = "SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind IN ('r', 'v', 'S', 'f')
        AND (c.relnamespace = 'pg_catalog'::regnamespace
             OR c.relnamespace IN ('public'::regnamespace, 'shop'::regnamespace)
                AND (NOT has_any_column_privilege('proof_analyst', c.oid, 'select') OR c.relname = 'evil'))
        ORDER BY c.oid";
    Ok(client
        .query(sql, &[])?
        .iter()
        .map(|row| row.get(0))
        .collect())
}
