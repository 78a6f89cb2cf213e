//! The walk over the analyzed tree: an allow-list of what questions need. Everything else is refused, so that
//! additions of a new major version are refused until they are reviewed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{c_char, c_int};

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_sys};
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_phrases::{say, template};

use super::availability::{self, Named};
use super::functions::{self, FunctionRules, Standing};
use super::json_casts::JsonCasts;
use super::verdict::refuse;
use super::{datatypes, huge_values, operators, raw_tree, relations, stack_depth};
use crate::pg::access::guard::visitors::visitors;
use crate::pg::access::objects::type_name;
use crate::pg::access::protection::Level;
use crate::pg::access::query_tree::node_kinds;
use crate::pg::access::query_tree::operands::operands;
use crate::pg::access::query_tree::position::{last_location, position_of};
use crate::pg::access::query_tree::reads::Read;
use crate::pg::server::compat::grouping;
use crate::pg::server::compat::permissions::QueryPermissions;
use crate::pg::server::compat::sql_json::{self, SqlJson};
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::encoding::text_of;

/// 20,000 nodes: the largest of 440 gold queries of public benchmarks has fewer than 1,000.
const MAX_NODES: usize = 20_000;
/// 100 relations: planning can be cancelled with the collapse limits at 8.
const MAX_RELATIONS: usize = 100;
/// 50 CTEs: 100 chained ones are planned in 44 ms, 1,000 take 79 s and cannot be cancelled.
const MAX_CTES: usize = 50;
/// 24 levels of subqueries.
const MAX_DEPTH: usize = 24;

/// Input and results of the walk.
pub(super) struct Walk<'a> {
    policy: &'a GuardPolicy,
    rules: &'a FunctionRules,
    source: *const c_char,
    named: Named,
    rejection: Option<Rejection>,
    node_count: usize,
    relation_count: usize,
    cte_count: usize,
    depth: usize,
    /// The query that is being walked; NULL before the first one.
    current: *mut pg_sys::Query,
    constructible: HashMap<u32, bool>,
    is_cast: bool,
    /// Nodes in the order of the walk. The position of the last one is reported in a refusal.
    visited: Vec<*mut pg_sys::Node>,
    /// Position of what is refused, when it is not an expression.
    pub(super) known_location: Option<c_int>,
    json: JsonCasts,
    /// Whether a private column is read.
    pub(super) is_private: bool,
    /// Whether a relation with a private column is read.
    pub(super) is_near_private: bool,
    /// Relations that the statement names, in order, as `schema.name`.
    pub(super) relations: Vec<String>,
    /// What is read of each of them.
    pub(super) reads: Vec<Read>,
    /// Functions called, by OID.
    pub(super) functions: BTreeSet<u32>,
}

impl<'a> Walk<'a> {
    /// Prepares a walk; `source` is the statement's text, for positions.
    pub(super) fn new(
        policy: &'a GuardPolicy,
        rules: &'a FunctionRules,
        source: *const c_char,
        named: Named,
    ) -> Self {
        Self {
            policy,
            rules,
            source,
            named,
            rejection: None,
            node_count: 0,
            relation_count: 0,
            cte_count: 0,
            depth: 0,
            current: std::ptr::null_mut(),
            constructible: HashMap::new(),
            is_cast: false,
            visited: Vec::new(),
            known_location: None,
            json: JsonCasts::default(),
            is_private: false,
            is_near_private: false,
            relations: Vec::new(),
            reads: Vec::new(),
            functions: BTreeSet::new(),
        }
    }

    /// Judges the whole tree.
    pub(super) fn judge(&mut self, query: *mut pg_sys::Query) -> Result<(), Rejection> {
        self.query(query);
        if let Some(cast) = self.json.offender(&self.functions) {
            let reason = format!("a conversion of this type to JSON calls {cast}");
            self.known_location = Some(-1);
            self.reject(Rejection {
                offender: Some(cast),
                ..refuse(Rule::Function, reason)
            });
        }
        match self.rejection.take() {
            Some(rejection) => Err(rejection),
            None => Ok(()),
        }
    }

    /// Records the first rejection; the result stops the walk.
    fn reject(&mut self, rejection: Rejection) -> bool {
        if self.rejection.is_none() {
            self.rejection = Some(Rejection {
                position: rejection
                    .position
                    .or_else(|| position_of(self.source, self.location())),
                ..rejection
            });
        }
        true
    }

    fn location(&self) -> c_int {
        // SAFETY: nodes of the tree that is being walked.
        let of_node = || unsafe { last_location(&self.visited) };
        self.known_location.unwrap_or_else(of_node)
    }

    fn limit(&mut self, reason: &str) -> bool {
        self.reject(refuse(Rule::Limit, reason))
    }

    fn query(&mut self, query: *mut pg_sys::Query) -> bool {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.limit("subqueries are nested too deeply");
        }
        // SAFETY: parse analysis or the walker hands over a valid Query.
        let facts = unsafe { &*query };
        if facts.commandType != pg_sys::CmdType::CMD_SELECT
            || !facts.utilityStmt.is_null()
            || facts.resultRelation != 0
            || facts.hasModifyingCTE
            || !facts.onConflict.is_null()
            || !facts.returningList.is_null()
            || !facts.mergeActionList.is_null()
        {
            return self.reject(refuse(Rule::Statement, "only SELECT is allowed"));
        }
        if !facts.rowMarks.is_null() || facts.hasForUpdate {
            return self.reject(refuse(Rule::Statement, raw_tree::LOCKING));
        }
        if self.common_table_expressions(facts.cteList) {
            return true;
        }
        let flags = pg_sys::QTW_EXAMINE_RTES_BEFORE | pg_sys::QTW_EXAMINE_SORTGROUP;
        let outer = std::mem::replace(&mut self.current, query);
        // SAFETY: a valid Query and a callback that matches its context.
        let is_stopped = unsafe {
            pg_sys::query_tree_walker(
                query,
                Some(visit),
                (&raw mut *self).cast(),
                flags.cast_signed(),
            )
        };
        self.current = outer;
        self.depth -= 1;
        is_stopped
    }

    fn common_table_expressions(&mut self, list: *mut pg_sys::List) -> bool {
        // SAFETY: the list holds CommonTableExpr nodes.
        let expressions = unsafe { PgList::<pg_sys::CommonTableExpr>::from_pg(list) };
        for expression in expressions.iter_ptr() {
            self.cte_count += 1;
            // SAFETY: a valid node of the list.
            let (materialized, references) =
                unsafe { ((*expression).ctematerialized, (*expression).cterefcount) };
            // Each reference doubles the plan: 16 of them took 2 GB.
            if materialized == pg_sys::CTEMaterialize::CTEMaterializeNever && references > 1 {
                return self.limit("a NOT MATERIALIZED CTE is referred to more than once");
            }
        }
        self.cte_count > MAX_CTES && self.limit("too many common table expressions")
    }

    fn range_table_entry(&mut self, entry: *mut pg_sys::RangeTblEntry) -> bool {
        // SAFETY: the walker hands over a valid entry.
        let facts = unsafe { &*entry };
        // The core walker goes on into the grouped expressions.
        if grouping::is_group(facts) {
            return false;
        }
        self.relation_count += 1;
        if self.relation_count > MAX_RELATIONS {
            return self.limit("too many tables and subqueries");
        }
        match facts.rtekind {
            pg_sys::RTEKind::RTE_RELATION => {
                // SAFETY: entries are reached in the walk of the query to which they belong.
                let permissions = unsafe { QueryPermissions::of(self.current) };
                match relations::judge(entry, permissions, self.policy) {
                    Ok((relation, read)) => self.read(read, relation.qualified_name()),
                    Err(rejection) => {
                        self.known_location = Some(self.location_of(facts.relid));
                        self.reject(rejection)
                    }
                }
            }
            pg_sys::RTEKind::RTE_FUNCTION => self.column_definitions(facts.functions),
            pg_sys::RTEKind::RTE_SUBQUERY
            | pg_sys::RTEKind::RTE_JOIN
            | pg_sys::RTEKind::RTE_VALUES
            | pg_sys::RTEKind::RTE_CTE
            | pg_sys::RTEKind::RTE_RESULT => false,
            pg_sys::RTEKind::RTE_TABLEFUNC => {
                // SAFETY: an entry of this kind has a valid table function.
                let is_json_table = unsafe { sql_json::is_json_table(facts.tablefunc) };
                !is_json_table
                    && self.reject(refuse(Rule::Node, template!("XMLTABLE is not allowed")))
            }
            _ => self.reject(refuse(Rule::Node, "this item in FROM is not allowed")),
        }
    }

    fn read(&mut self, read: Read, name: String) -> bool {
        match availability::judge_read(&read, &name, &self.named) {
            Ok((level, is_near_private)) => {
                self.is_private |= level >= Level::Private;
                self.is_near_private |= is_near_private;
            }
            Err((rejection, location)) => {
                self.known_location = Some(location);
                let offender = Some(name);
                return self.reject(Rejection {
                    offender,
                    ..rejection
                });
            }
        }
        self.reads.push(read);
        if !self.relations.contains(&name) {
            self.relations.push(name);
        }
        false
    }

    /// Where the statement first names the relation; the analyzed tree does not store it.
    fn location_of(&self, oid: pg_sys::Oid) -> c_int {
        // SAFETY: a cache look-up that returns a palloc'd name.
        let name = unsafe { text_of(pg_sys::get_rel_name(oid)) };
        self.named
            .relations
            .iter()
            .find(|(named, _)| *named == name)
            .map_or(-1, |(_, location)| *location)
    }

    /// The column definition list of a function in FROM creates values of its types.
    fn column_definitions(&mut self, list: *mut pg_sys::List) -> bool {
        // SAFETY: the list holds RangeTblFunction nodes with lists of type OIDs.
        let types: Vec<pg_sys::Oid> = unsafe {
            PgList::<pg_sys::RangeTblFunction>::from_pg(list)
                .iter_ptr()
                .flat_map(|function| {
                    PgList::<pg_sys::Oid>::from_pg((*function).funccoltypes)
                        .iter_oid()
                        .collect::<Vec<_>>()
                })
                .collect()
        };
        types.into_iter().any(|oid| self.parsed_type(oid))
    }

    /// Judges a type to which values found in JSON or XML are converted while the statement runs: no node shows
    /// the input functions that this calls.
    fn parsed_type(&mut self, oid: pg_sys::Oid) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![oid];
        while let Some(part) = open.pop() {
            if !seen.insert(part) {
                continue;
            }
            if self.constructed_type(part) {
                return true;
            }
            if datatypes::is_object_identifier(part) {
                return self.object_identifier(part);
            }
            self.is_cast = true;
            if self.function(datatypes::input_function(part)) {
                return true;
            }
            open.extend(datatypes::parts(part).into_iter().flatten());
        }
        false
    }

    fn constructed_type(&mut self, oid: pg_sys::Oid) -> bool {
        if datatypes::is_constructible(oid, self.rules, &mut self.constructible) {
            return false;
        }
        let name = type_name(oid, -1);
        let mut rejection = refuse(
            Rule::Type,
            say!("a conversion to type {name} runs the check of a domain"),
        );
        rejection.offender = Some(name);
        self.reject(rejection)
    }

    fn object_identifier(&mut self, oid: pg_sys::Oid) -> bool {
        let name = type_name(oid, -1);
        let mut rejection = refuse(
            Rule::Type,
            say!("a value of type {name} would look up catalog objects"),
        );
        rejection.offender = Some(name);
        self.reject(rejection)
    }

    fn function(&mut self, oid: pg_sys::Oid) -> bool {
        self.functions.insert(oid.to_u32());
        match self.rules.standing(oid) {
            Standing::Reviewed | Standing::Registered => false,
            Standing::InputConversion if self.is_cast => false,
            _ => {
                let signature = functions::signature(oid);
                let mut rejection = refuse(
                    Rule::Function,
                    say!("function {signature} is not on the list of reviewed functions"),
                );
                rejection.offender = Some(signature);
                self.reject(rejection)
            }
        }
    }

    fn operator(&mut self, oid: pg_sys::Oid) -> bool {
        // SAFETY: a cache look-up; an unknown operator returns InvalidOid.
        let function = unsafe { pg_sys::get_opcode(oid) };
        oid != pg_sys::InvalidOid
            && (!operators::is_trusted(oid, self.rules) && self.foreign_operator(oid)
                || self.function(function))
    }

    fn foreign_operator(&mut self, oid: pg_sys::Oid) -> bool {
        let signature = operators::signature(oid);
        let mut rejection = refuse(Rule::Function, say!("operator {signature} is not built in"));
        rejection.offender = Some(signature);
        self.reject(rejection)
    }

    fn sort_or_group(&mut self, clause: &pg_sys::SortGroupClause) -> bool {
        self.operator(clause.eqop) || self.operator(clause.sortop)
    }

    /// Judges a node and its children; `true` stops the walk.
    ///
    /// # Safety
    /// `node` is NULL or a valid node of an analysed tree.
    unsafe fn node(&mut self, mut node: *mut pg_sys::Node) -> bool {
        // SAFETY: each cast follows the node's tag.
        unsafe {
            while !node.is_null() {
                self.node_count += 1;
                self.is_cast = (*node).type_ == NodeTag::T_CoerceViaIO;
                if self.node_count > MAX_NODES {
                    return self.limit("the statement is too large");
                }
                match (*node).type_ {
                    NodeTag::T_Query => return self.query(node.cast()),
                    // `false` lets the core walker go on into the entry.
                    NodeTag::T_RangeTblEntry => return self.range_table_entry(node.cast()),
                    _ => {}
                }
                self.json.note(node, self.rules);
                self.visited.push(node);
                let is_refused = operators::foreign_operator(node, self.rules)
                    .is_some_and(|oid| self.foreign_operator(oid));
                if is_refused || self.expression(node) {
                    return true;
                }
                let tag = (*node).type_;
                if node_kinds::is_leaf(tag) {
                    return false;
                }
                let context = (&raw mut *self).cast();
                if !node_kinds::calls_nothing(tag)
                    && pg_sys::check_functions_in_node(node, Some(visit_function), context)
                {
                    return true;
                }
                if stack_depth::is_used_up() {
                    return self.reject(stack_depth::too_deep());
                }
                let Some((left, right)) = operands(node) else {
                    return pg_sys::expression_tree_walker(node, Some(visit), context);
                };
                if self.node(right) {
                    return true;
                }
                node = left;
            }
            false
        }
    }

    /// The rules for specific kinds of nodes.
    ///
    /// # Safety
    /// `node` is a valid node of an analysed tree.
    unsafe fn expression(&mut self, node: *mut pg_sys::Node) -> bool {
        // SAFETY: each cast follows the node's tag.
        unsafe {
            match (*node).type_ {
                NodeTag::T_TableSampleClause => {
                    let clause = &*node.cast::<pg_sys::TableSampleClause>();
                    !functions::may_sample(self.rules, clause.tsmhandler) && {
                        let reason = "this TABLESAMPLE method is not trusted";
                        self.reject(refuse(Rule::Function, reason))
                    }
                }
                NodeTag::T_CoerceToDomain => {
                    self.constructed_type((*node.cast::<pg_sys::CoerceToDomain>()).resulttype)
                }
                NodeTag::T_CoerceViaIO => {
                    self.constructed_type((*node.cast::<pg_sys::CoerceViaIO>()).resulttype)
                }
                NodeTag::T_FuncExpr => {
                    let call = &*node.cast::<pg_sys::FuncExpr>();
                    let is_refused = match datatypes::populates(call.funcid) {
                        true => self.parsed_type(call.funcresulttype),
                        false => self.constructed_type(call.funcresulttype),
                    };
                    is_refused
                        || huge_values::asks_for_huge_value(call)
                            && self.limit("the statement asks for a huge value")
                }
                NodeTag::T_Const => {
                    let constant = &*node.cast::<pg_sys::Const>();
                    datatypes::names_object(constant) && self.object_identifier(constant.consttype)
                }
                // `tableoid::regclass` shows which partition a row is in; other OIDs would be a way to look up
                // names.
                NodeTag::T_RelabelType => {
                    let cast = &*node.cast::<pg_sys::RelabelType>();
                    datatypes::is_object_identifier(cast.resulttype)
                        && !is_table_oid(grouping::resolve(self.current, cast.arg.cast()))
                        && self.object_identifier(cast.resulttype)
                }
                NodeTag::T_ArrayCoerceExpr => {
                    let oid = (*node.cast::<pg_sys::ArrayCoerceExpr>()).resulttype;
                    datatypes::is_object_identifier(oid) && self.object_identifier(oid)
                }
                NodeTag::T_Param => {
                    let kind = (*node.cast::<pg_sys::Param>()).paramkind;
                    kind != pg_sys::ParamKind::PARAM_SUBLINK
                        && self.reject(refuse(Rule::Node, "parameters are not allowed"))
                }
                NodeTag::T_SortGroupClause => {
                    self.sort_or_group(&*node.cast::<pg_sys::SortGroupClause>())
                }
                NodeTag::T_SetOperationStmt => {
                    let groups = (*node.cast::<pg_sys::SetOperationStmt>()).groupClauses;
                    PgList::<pg_sys::SortGroupClause>::from_pg(groups)
                        .iter_ptr()
                        .any(|clause| self.sort_or_group(&*clause))
                }
                NodeTag::T_WindowClause => {
                    let clause = &*node.cast::<pg_sys::WindowClause>();
                    [clause.startInRangeFunc, clause.endInRangeFunc]
                        .into_iter()
                        .any(|oid| oid != pg_sys::InvalidOid && self.function(oid))
                }
                NodeTag::T_CTECycleClause => {
                    self.operator((*node.cast::<pg_sys::CTECycleClause>()).cycle_mark_neop)
                }
                // Its range table entry was judged.
                NodeTag::T_TableFunc => false,
                tag if node_kinds::is_harmless(tag) => false,
                _ => match sql_json::of_node(node) {
                    Some(SqlJson::Part) => false,
                    Some(SqlJson::Constructor) => {
                        self.json.note_constructor();
                        false
                    }
                    Some(SqlJson::Query(target)) => self.parsed_type(target),
                    None => self.reject(refuse(
                        Rule::Node,
                        template!("the statement uses SQL that is not reviewed"),
                    )),
                },
            }
        }
    }
}

/// Whether the expression is the system column `tableoid`.
unsafe fn is_table_oid(node: *mut pg_sys::Node) -> bool {
    // SAFETY: an expression node; the cast follows the tag.
    unsafe {
        (*node).type_ == NodeTag::T_Var
            && i32::from((*node.cast::<pg_sys::Var>()).varattno) == pg_sys::TableOidAttributeNumber
    }
}

visitors!(Walk<'_>, with functions);
