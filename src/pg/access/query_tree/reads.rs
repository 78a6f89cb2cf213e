//! What a statement reads: the relations of its range tables and, of each, the columns that the
//! server's own privilege check looks at.

use std::ffi::{c_int, c_void};

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_guard, pg_sys};

use super::operands::operands;
use crate::pg::server::compat::permissions::{Permissions, QueryPermissions};
use crate::pg::server::compat::views::view_of_body;
use crate::pg::server::compat::{generated_columns, grouping, tuple_descriptor};
use crate::pg::server::spi::encoding::{server_text, text_of};

/// One relation in a range table.
#[derive(Debug)]
pub(crate) struct Read {
    oid: pg_sys::Oid,
    /// Numbers of its columns; 0 is the whole row, system columns are below.
    numbers: Vec<c_int>,
    /// The views through which it is read, the one that the statement names first.
    views: Vec<pg_sys::Oid>,
}

impl Read {
    /// What is read of a relation, given what the server would check for it.
    pub(crate) fn of(permissions: &Permissions) -> Self {
        Self {
            oid: permissions.relation(),
            numbers: permissions.columns(),
            views: Vec::new(),
        }
    }

    /// The whole row of a relation.
    fn of_whole(oid: pg_sys::Oid) -> Self {
        Self {
            oid,
            numbers: vec![0],
            views: Vec::new(),
        }
    }

    /// Adds the columns from which the virtual generated columns among them are computed.
    ///
    /// # Safety
    /// The relation is locked.
    unsafe fn with_sources(mut self) -> Self {
        // SAFETY: by contract.
        let computed = unsafe { generated_columns::virtual_expressions(self.oid) };
        for (number, expression) in computed {
            if self.numbers.contains(&c_int::from(number)) {
                // SAFETY: an expression over the relation alone.
                self.numbers
                    .extend(unsafe { columns_in(expression) }.map(c_int::from));
            }
        }
        self
    }

    /// The relation's OID.
    pub(crate) fn oid(&self) -> pg_sys::Oid {
        self.oid
    }

    /// Numbers of the columns read; 0 is the whole row, system columns are below.
    pub(crate) fn numbers(&self) -> &[c_int] {
        &self.numbers
    }

    /// `schema.name`, quoted where necessary.
    pub(crate) fn relation(&self) -> String {
        quoted_name(self.oid)
    }

    /// The views through which it is read as `outer > inner`, or `None` when the statement names the relation.
    pub(crate) fn via(&self) -> Option<String> {
        let views: Vec<String> = self.views.iter().map(|view| quoted_name(*view)).collect();
        (!views.is_empty()).then(|| views.join(" > "))
    }

    /// The columns by name; of a whole row, all of them.
    pub(crate) fn columns(&self) -> Vec<String> {
        let is_whole_row = self.numbers.contains(&0);
        // SAFETY: the relation is locked since the statement's analysis; its descriptor is used
        // between look-up and release. Analysis returns no other numbers than those that exist.
        unsafe {
            let relation = pg_sys::RelationIdGetRelation(self.oid);
            if relation.is_null() {
                return Vec::new();
            }
            let mut columns: Vec<String> = tuple_descriptor::attributes((*relation).rd_att)
                .iter()
                .filter(|attribute| {
                    !attribute.attisdropped
                        && (is_whole_row || self.numbers.contains(&c_int::from(attribute.attnum)))
                })
                .map(|attribute| text_of(attribute.attname.data.as_ptr()))
                .collect();
            pg_sys::RelationClose(relation);
            let system = self.numbers.iter().filter(|number| **number < 0);
            columns.extend(
                system
                    .filter_map(|number| pg_sys::AttrNumber::try_from(*number).ok())
                    .map(|number| {
                        let definition = pg_sys::SystemAttributeDefinition(number);
                        text_of((*definition).attname.data.as_ptr())
                    }),
            );
            columns
        }
    }
}

/// A name, quoted where necessary.
pub(crate) fn quoted(name: &str) -> String {
    server_text(name).map_or_else(String::new, |name| {
        // SAFETY: a NUL-terminated name returns itself or a palloc'd string.
        unsafe { text_of(pg_sys::quote_identifier(name)) }
    })
}

/// The name of a relation as written in SQL; an empty string for a dropped one.
pub(crate) fn quoted_name(oid: pg_sys::Oid) -> String {
    // SAFETY: cache look-ups of a relation that is locked; each returns a palloc'd string or NULL.
    unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(oid));
        let name = pg_sys::get_rel_name(oid);
        if name.is_null() {
            return String::new();
        }
        text_of(pg_sys::quote_qualified_identifier(schema, name))
    }
}

/// What a rewritten query reads, with views replaced by what their own queries read. Policies of row-level
/// security are omitted: they belong to the table's owner.
pub(crate) fn behind_views(query: *mut pg_sys::Query) -> Vec<Read> {
    let mut walk = Walk {
        keeps_views: false,
        views: Vec::new(),
        reads: Vec::new(),
    };
    // SAFETY: a valid rewritten tree, whose relations are locked, and a callback that matches its context.
    unsafe {
        walk.query(query, std::ptr::null());
        let reads = walk.reads.into_iter();
        reads.map(|read| read.with_sources()).collect()
    }
}

/// The columns in an expression over a single table, entry 1 of the range table; 0 is the whole row.
///
/// # Safety
/// The expression is valid.
pub(crate) unsafe fn columns_in(
    expression: *mut pg_sys::Node,
) -> impl Iterator<Item = pg_sys::AttrNumber> {
    let mut columns = Vec::new();
    // SAFETY: by contract; the set is iterated as PostgreSQL does, and lives in the current context.
    unsafe {
        let mut set: *mut pg_sys::Bitmapset = std::ptr::null_mut();
        pg_sys::pull_varattnos(expression, 1, &raw mut set);
        let mut member = pg_sys::bms_next_member(set, -1);
        while member >= 0 {
            let number = member + pg_sys::FirstLowInvalidHeapAttributeNumber;
            columns.extend(pg_sys::AttrNumber::try_from(number));
            member = pg_sys::bms_next_member(set, member);
        }
    }
    columns.into_iter()
}

/// What an analyzed query that is not rewritten names and reads, with views as relations.
///
/// # Safety
/// `query` is a valid analysed query.
pub(crate) unsafe fn named_by(query: *mut pg_sys::Query) -> Vec<Read> {
    let mut walk = Walk {
        keeps_views: true,
        views: Vec::new(),
        reads: Vec::new(),
    };
    // SAFETY: promised by the caller; the callback matches its context.
    unsafe { walk.query(query, std::ptr::null()) };
    walk.reads
}

struct Walk {
    keeps_views: bool,
    views: Vec<pg_sys::Oid>,
    reads: Vec<Read>,
}

impl Walk {
    /// Goes through a query that was reached through `entry` of another one, if through any.
    ///
    /// # Safety
    /// `query` is a valid rewritten query, and `entry` is NULL or valid.
    unsafe fn query(&mut self, query: *mut pg_sys::Query, entry: *const pg_sys::RangeTblEntry) {
        // SAFETY: a range table holds valid entries only; the callback matches its context.
        unsafe {
            let entries = PgList::<pg_sys::RangeTblEntry>::from_pg((*query).rtable);
            let view = view_of_body(query, entry).filter(|_| !self.keeps_views);
            self.views.extend(view);
            let permissions = QueryPermissions::of(query);
            for entry in entries.iter_ptr() {
                self.range_table_entry(entry, permissions);
            }
            pg_sys::query_tree_walker(
                query,
                Some(visit),
                (&raw mut *self).cast(),
                pg_sys::QTW_IGNORE_RANGE_TABLE.cast_signed(),
            );
            if view.is_some() {
                self.views.pop();
            }
        }
    }

    /// # Safety
    /// The entry is valid, and the permissions are those of its query.
    unsafe fn range_table_entry(
        &mut self,
        place: *mut pg_sys::RangeTblEntry,
        permissions: QueryPermissions,
    ) {
        // SAFETY: the members that go with the kind are valid nodes or NULL.
        unsafe {
            let entry = &*place;
            match entry.rtekind {
                // The remaining entry of a rewritten view only carries its privileges.
                pg_sys::RTEKind::RTE_RELATION if !self.keeps_views && is_view(entry) => {}
                pg_sys::RTEKind::RTE_RELATION => {
                    let read = match permissions.find(place) {
                        Some(permissions) => Read::of(&permissions),
                        None => Read::of_whole(entry.relid),
                    };
                    self.reads.push(Read {
                        views: self.views.clone(),
                        ..read
                    });
                    self.node(entry.tablesample.cast());
                }
                pg_sys::RTEKind::RTE_SUBQUERY if !entry.subquery.is_null() => {
                    self.query(entry.subquery, entry);
                }
                pg_sys::RTEKind::RTE_FUNCTION => self.node(entry.functions.cast()),
                pg_sys::RTEKind::RTE_TABLEFUNC => self.node(entry.tablefunc.cast()),
                pg_sys::RTEKind::RTE_VALUES => self.node(entry.values_lists.cast()),
                _ => self.node(grouping::expressions(entry).cast()),
            }
        }
    }

    /// # Safety
    /// `node` is NULL or a valid node of a rewritten tree.
    unsafe fn node(&mut self, mut node: *mut pg_sys::Node) {
        // SAFETY: each cast follows the tag.
        unsafe {
            while !node.is_null() {
                if (*node).type_ == NodeTag::T_Query {
                    return self.query(node.cast(), std::ptr::null());
                }
                let Some((left, right)) = operands(node) else {
                    let context = (&raw mut *self).cast();
                    pg_sys::expression_tree_walker(node, Some(visit), context);
                    return;
                };
                self.node(right);
                node = left;
            }
        }
    }
}

pub(crate) fn is_view(entry: &pg_sys::RangeTblEntry) -> bool {
    entry.rtekind == pg_sys::RTEKind::RTE_RELATION
        && entry.relkind.cast_unsigned() == pg_sys::RELKIND_VIEW
}

/// Never called from Rust: its guard would raise an error past the frames of the caller.
#[pg_guard]
unsafe extern "C-unwind" fn visit(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
    // SAFETY: the context is the Walk that started this traversal, which no other code uses
    // meanwhile; the node is valid or NULL.
    unsafe { (*context.cast::<Walk>()).node(node) };
    false
}
