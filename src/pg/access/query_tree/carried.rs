//! What a view does with a column that it reads: which of its own columns are computed from it, and whether it decides
//! which rows the view has.
//!
//! A column of a sub-query, a common table expression or a join is followed to what it is computed from. What cannot
//! be followed counts as computed from it: nothing is left out.

use std::ffi::{CStr, c_void};

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_guard, pg_sys};

use crate::pg::server::compat::grouping;

/// Number of sub-queries, expressions and references that one view may cost.
const MAX_STEPS: usize = 100_000;

/// What becomes of a column in a view.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Carried {
    /// Numbers of the view's columns that are computed from it.
    pub(crate) columns: Vec<i16>,
    /// Whether conditions, groups or limits read it.
    pub(crate) decides_rows: bool,
}

/// What becomes of a column in a view or materialized view; `None` where the view does not exist.
pub(crate) fn carried(view: pg_sys::Oid, relation: pg_sys::Oid, column: i16) -> Option<Carried> {
    // SAFETY: the relation is opened and locked for as long as its rule is read; a view has one rule for SELECT with
    // one query, which belongs to the relation's cache and is only read.
    unsafe {
        let opened = pg_sys::try_relation_open(view, pg_sys::AccessShareLock.cast_signed());
        if opened.is_null() {
            return None;
        }
        let found = select_of(opened).map(|query| {
            let mut walk = Walk {
                relation,
                column,
                queries: vec![query],
                steps: 0,
                following: Vec::new(),
                is_hit: false,
            };
            let outputs = PgList::<pg_sys::TargetEntry>::from_pg((*query).targetList);
            let columns = outputs
                .iter_ptr()
                .filter(|output| !(**output).resjunk)
                .map(|output| (*output).resno)
                .filter(|number| walk.output(query, *number))
                .collect();
            Carried {
                columns,
                decides_rows: walk.rows(query),
            }
        });
        pg_sys::relation_close(opened, pg_sys::AccessShareLock.cast_signed());
        found
    }
}

/// The query of a view.
///
/// # Safety
/// The relation is open.
unsafe fn select_of(relation: pg_sys::Relation) -> Option<*mut pg_sys::Query> {
    // SAFETY: by contract; the rules are NULL or as many as said, and their actions are queries.
    unsafe {
        let rules = (*relation).rd_rules.as_ref()?;
        (0..usize::try_from(rules.numLocks).ok()?)
            .map(|place| &**rules.rules.add(place))
            .find(|rule| rule.event == pg_sys::CmdType::CMD_SELECT)
            .and_then(|rule| PgList::<pg_sys::Query>::from_pg(rule.actions).get_ptr(0))
    }
}

struct Walk {
    relation: pg_sys::Oid,
    column: i16,
    /// The query that is read, after those around it.
    queries: Vec<*mut pg_sys::Query>,
    steps: usize,
    /// Outputs of queries that are being followed: those of a recursive query lead back to it.
    following: Vec<(*mut pg_sys::Query, i16)>,
    is_hit: bool,
}

impl Walk {
    /// Whether an output of the query, the innermost of `queries`, is computed from the column.
    ///
    /// # Safety
    /// The query is valid, as are those around it.
    unsafe fn output(&mut self, query: *mut pg_sys::Query, number: i16) -> bool {
        if self.following.contains(&(query, number)) {
            return false;
        }
        self.following.push((query, number));
        // SAFETY: by contract; the lists hold what their names say.
        let is_hit = unsafe {
            if (*query).setOperations.is_null() {
                let outputs = PgList::<pg_sys::TargetEntry>::from_pg((*query).targetList);
                let output = outputs.iter_ptr().find(|output| (**output).resno == number);
                output.is_some_and(|output| self.reads((*output).expr.cast()))
            } else {
                let entries = PgList::<pg_sys::RangeTblEntry>::from_pg((*query).rtable);
                let mut is_hit = false;
                for entry in entries.iter_ptr() {
                    if (*entry).rtekind == pg_sys::RTEKind::RTE_SUBQUERY {
                        let inner = (*entry).subquery;
                        is_hit |= self.inside(inner, |walk| walk.output(inner, number));
                    }
                }
                is_hit
            }
        };
        self.following.pop();
        is_hit
    }

    /// Whether the column decides which rows the query has.
    ///
    /// # Safety
    /// As for `output`.
    unsafe fn rows(&mut self, query: *mut pg_sys::Query) -> bool {
        // SAFETY: by contract; the lists hold what their names say.
        unsafe {
            pg_sys::check_stack_depth();
            let read = &*query;
            if self.reads(read.jointree.cast())
                || self.reads(read.havingQual)
                || self.reads(read.limitCount)
                || self.reads(read.limitOffset)
            {
                return true;
            }
            let outputs = PgList::<pg_sys::TargetEntry>::from_pg(read.targetList);
            let is_limited = !read.limitCount.is_null() || !read.limitOffset.is_null();
            let mut lists = vec![read.groupClause, read.distinctClause];
            if is_limited || read.hasDistinctOn {
                lists.push(read.sortClause);
            }
            for clause in lists {
                for part in PgList::<pg_sys::SortGroupClause>::from_pg(clause).iter_ptr() {
                    let mut outputs = outputs.iter_ptr();
                    let output = outputs.find(|output| {
                        (**output).ressortgroupref == (*part).tleSortGroupRef
                            && (*part).tleSortGroupRef != 0
                    });
                    if output.is_some_and(|output| self.reads((*output).expr.cast())) {
                        return true;
                    }
                }
            }
            if let Some(operation) = read.setOperations.as_ref()
                && removes_rows(operation)
                && outputs
                    .iter_ptr()
                    .any(|output| self.output(query, (*output).resno))
            {
                return true;
            }
            for entry in PgList::<pg_sys::RangeTblEntry>::from_pg(read.rtable).iter_ptr() {
                let entry = &*entry;
                let is_hit = match entry.rtekind {
                    pg_sys::RTEKind::RTE_SUBQUERY if !entry.subquery.is_null() => {
                        self.inside(entry.subquery, |walk| walk.rows(entry.subquery))
                    }
                    pg_sys::RTEKind::RTE_FUNCTION => self.reads(entry.functions.cast()),
                    pg_sys::RTEKind::RTE_TABLEFUNC => self.reads(entry.tablefunc.cast()),
                    pg_sys::RTEKind::RTE_VALUES => self.reads(entry.values_lists.cast()),
                    _ => false,
                };
                if is_hit {
                    return true;
                }
            }
            for expression in PgList::<pg_sys::CommonTableExpr>::from_pg(read.cteList).iter_ptr() {
                let inner = (*expression).ctequery.cast::<pg_sys::Query>();
                if self.inside(inner, |walk| walk.rows(inner)) {
                    return true;
                }
            }
            false
        }
    }

    /// Whether an expression of the innermost query reads the column.
    ///
    /// # Safety
    /// The expression is NULL or belongs to the innermost query.
    unsafe fn reads(&mut self, expression: *mut pg_sys::Node) -> bool {
        let before = std::mem::replace(&mut self.is_hit, false);
        // SAFETY: by contract; the callback matches its context.
        unsafe { self.node(expression) };
        std::mem::replace(&mut self.is_hit, before)
    }

    /// # Safety
    /// As for `reads`.
    unsafe fn node(&mut self, node: *mut pg_sys::Node) {
        if node.is_null() || self.is_hit {
            return;
        }
        self.steps += 1;
        if self.steps > MAX_STEPS {
            // Too large to follow: counts as read.
            self.is_hit = true;
            return;
        }
        // SAFETY: each cast follows the tag; the walkers of the server check the stack.
        unsafe {
            match (*node).type_ {
                NodeTag::T_Var => self.is_hit = self.variable(&*node.cast::<pg_sys::Var>()),
                NodeTag::T_Query => {
                    let query = node.cast::<pg_sys::Query>();
                    self.is_hit = self.inside(query, |walk| {
                        let outputs = PgList::<pg_sys::TargetEntry>::from_pg((*query).targetList);
                        walk.rows(query)
                            || outputs
                                .iter_ptr()
                                .any(|output| walk.output(query, (*output).resno))
                    });
                }
                _ => {
                    let context = (&raw mut *self).cast();
                    pg_sys::expression_tree_walker(node, Some(visit), context);
                }
            }
        }
    }

    /// # Safety
    /// The variable belongs to the innermost query.
    unsafe fn variable(&mut self, variable: &pg_sys::Var) -> bool {
        // SAFETY: by contract: the numbers of an analysed query refer to entries that exist; what does not is not
        // followed.
        unsafe {
            pg_sys::check_stack_depth();
            let Some(kept) = self.kept(variable.varlevelsup) else {
                return true;
            };
            let inner = self.queries.split_off(kept);
            let is_hit = self.entry_column(variable);
            self.queries.extend(inner);
            is_hit
        }
    }

    /// How many of the queries are left, `up` levels up from the innermost.
    fn kept(&self, up: pg_sys::Index) -> Option<usize> {
        let up = usize::try_from(up).ok()?;
        self.queries.len().checked_sub(up).filter(|kept| *kept > 0)
    }

    /// # Safety
    /// The variable's entry is of the innermost query.
    unsafe fn entry_column(&mut self, variable: &pg_sys::Var) -> bool {
        // SAFETY: as for `variable`.
        unsafe {
            let Some(query) = self.queries.last().copied() else {
                return true;
            };
            let entries = PgList::<pg_sys::RangeTblEntry>::from_pg((*query).rtable);
            let place = |number: i64| usize::try_from(number - 1).ok();
            let Some(entry) = place(variable.varno.into()).and_then(|place| entries.get_ptr(place))
            else {
                return true;
            };
            let number = variable.varattno;
            let entry = &*entry;
            match entry.rtekind {
                pg_sys::RTEKind::RTE_RELATION => {
                    entry.relid == self.relation && (number == 0 || number == self.column)
                }
                pg_sys::RTEKind::RTE_JOIN => {
                    let columns = PgList::<pg_sys::Node>::from_pg(entry.joinaliasvars);
                    match place(number.into()).and_then(|place| columns.get_ptr(place)) {
                        Some(column) => self.reads(column),
                        None => self.reads(entry.joinaliasvars.cast()),
                    }
                }
                pg_sys::RTEKind::RTE_SUBQUERY if !entry.subquery.is_null() => {
                    let inner = entry.subquery;
                    self.inside(inner, |walk| walk.outputs(inner, number))
                }
                pg_sys::RTEKind::RTE_CTE => self.common_table_expression(entry, number),
                pg_sys::RTEKind::RTE_FUNCTION => self.reads(entry.functions.cast()),
                pg_sys::RTEKind::RTE_TABLEFUNC => self.reads(entry.tablefunc.cast()),
                pg_sys::RTEKind::RTE_VALUES => self.reads(entry.values_lists.cast()),
                _ if grouping::is_group(entry) => {
                    let columns = PgList::<pg_sys::Node>::from_pg(grouping::expressions(entry));
                    match place(number.into()).and_then(|place| columns.get_ptr(place)) {
                        Some(column) => self.reads(column),
                        None => true,
                    }
                }
                _ => true,
            }
        }
    }

    /// An output of the innermost query, or all of them.
    ///
    /// # Safety
    /// As for `output`.
    unsafe fn outputs(&mut self, query: *mut pg_sys::Query, number: i16) -> bool {
        // SAFETY: by contract.
        unsafe {
            if number != 0 {
                return self.output(query, number);
            }
            let outputs = PgList::<pg_sys::TargetEntry>::from_pg((*query).targetList);
            outputs
                .iter_ptr()
                .any(|output| self.output(query, (*output).resno))
        }
    }

    /// # Safety
    /// The entry is of the innermost query.
    unsafe fn common_table_expression(
        &mut self,
        entry: &pg_sys::RangeTblEntry,
        number: i16,
    ) -> bool {
        // SAFETY: by contract; names are NUL-terminated, and an entry refers to an expression that exists.
        unsafe {
            let Some(kept) = self.kept(entry.ctelevelsup) else {
                return true;
            };
            let inner = self.queries.split_off(kept);
            let name = CStr::from_ptr(entry.ctename);
            let expression = self.queries.last().and_then(|query| {
                PgList::<pg_sys::CommonTableExpr>::from_pg((**query).cteList)
                    .iter_ptr()
                    .find(|known| CStr::from_ptr((**known).ctename) == name)
            });
            let is_hit = expression.is_none_or(|expression| {
                let query = (*expression).ctequery.cast::<pg_sys::Query>();
                self.inside(query, |walk| walk.outputs(query, number))
            });
            self.queries.extend(inner);
            is_hit
        }
    }

    fn inside(&mut self, query: *mut pg_sys::Query, work: impl FnOnce(&mut Self) -> bool) -> bool {
        self.queries.push(query);
        let is_hit = work(self);
        self.queries.pop();
        is_hit
    }
}

/// Whether a set operation compares rows: all do but UNION ALL.
///
/// # Safety
/// The node is valid.
unsafe fn removes_rows(node: &pg_sys::Node) -> bool {
    // SAFETY: the cast follows the tag; the arguments are set operations or references.
    unsafe {
        pg_sys::check_stack_depth();
        if node.type_ != NodeTag::T_SetOperationStmt {
            return false;
        }
        let operation = &*std::ptr::from_ref(node).cast::<pg_sys::SetOperationStmt>();
        operation.op != pg_sys::SetOperation::SETOP_UNION
            || !operation.all
            || removes_rows(&*operation.larg)
            || removes_rows(&*operation.rarg)
    }
}

/// Never called from Rust: its guard would raise an error past the frames of the caller.
#[pg_guard]
unsafe extern "C-unwind" fn visit(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
    // SAFETY: the context is the Walk that started this traversal, which no other code uses meanwhile; the node is
    // valid or NULL.
    unsafe {
        let walk = &mut *context.cast::<Walk>();
        walk.node(node);
        walk.is_hit
    }
}
