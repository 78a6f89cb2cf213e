//! Every kind of node that nobody has judged is refused, on whichever version the library is built for.

#[cfg(feature = "pg_test")]
#[pgrx::pg_schema]
#[expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]
mod tests {
    use pgrx::PgList;
    use pgrx::pg_sys::{self, NodeTag};
    use pgrx::prelude::*;
    use text2sql_domain::validate::Rule;

    use crate::pg::access::guard::availability::Named;
    use crate::pg::access::guard::functions::FunctionRules;
    use crate::pg::access::guard::tree;
    use crate::pg::access::query_tree::node_kinds;

    /// How many kinds of PostgreSQL 15 were judged.
    const JUDGED_OF_15: usize = 53;

    /// Large enough for a node of any kind.
    const NODE_SIZE: usize = 4096;

    /// The kinds of SQL/JSON that were judged, by major version.
    fn judged_sql_json(major: u32) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        if major >= 16 {
            kinds.extend([
                "T_JsonConstructorExpr",
                "T_JsonIsPredicate",
                "T_JsonValueExpr",
            ]);
        }
        if major >= 17 {
            kinds.extend(["T_JsonBehavior", "T_JsonExpr"]);
        }
        kinds.sort_unstable();
        kinds
    }

    /// The last tag: one of these, depending on the version. They are numbered from 1 without gaps.
    fn last_tag() -> u32 {
        let last = NodeTag::T_WindowObjectData as u32;
        last.max(NodeTag::T_SupportRequestWFuncMonotonic as u32)
    }

    /// A node of the kind with nothing in it.
    fn empty_node(number: u32) -> *mut pg_sys::Node {
        // SAFETY: zeroed memory of sufficient size, and a number that is a tag.
        unsafe {
            let node = pg_sys::palloc0(NODE_SIZE).cast::<pg_sys::Node>();
            (*node).type_ = std::mem::transmute::<u32, NodeTag>(number);
            node
        }
    }

    /// What the guard says of `SELECT 1` with the node in place of the constant.
    fn verdict(node: *mut pg_sys::Node) -> Option<Rule> {
        let source = c"SELECT 1".as_ptr();
        let policy = crate::pg::server::settings::guard_policy();
        let rules = FunctionRules::new(&policy);
        // SAFETY: valid SQL; the list of an analysed query holds target entries.
        let query = unsafe {
            let raw = PgList::<pg_sys::RawStmt>::from_pg(pg_sys::pg_parse_query(source));
            let query = pg_sys::parse_analyze_fixedparams(
                raw.get_ptr(0).unwrap(),
                source,
                std::ptr::null(),
                0,
                std::ptr::null_mut(),
            );
            let entries = PgList::<pg_sys::TargetEntry>::from_pg((*query).targetList);
            (*entries.get_ptr(0).unwrap()).expr = node.cast();
            query
        };
        let mut walk = tree::Walk::new(&policy, &rules, source, Named::default());
        // The server would look for the position in the parts of the node, and there are none.
        walk.known_location = Some(-1);
        walk.judge(query).err().map(|rejection| rejection.rule)
    }

    #[pg_test]
    fn kinds_of_nodes_that_nobody_judged_are_refused() {
        let version: String = Spi::get_one("SHOW server_version_num").unwrap().unwrap();
        let major = version.parse::<u32>().unwrap() / 10_000;
        let (mut judged, mut refused) = (Vec::new(), 0);
        for number in 1..=last_tag() {
            let node = empty_node(number);
            // SAFETY: an empty node; those of SQL/JSON have no type, which is asked for.
            let (tag, is_judged) = unsafe { ((*node).type_, node_kinds::is_judged(node)) };
            if is_judged {
                judged.push(format!("{tag:?}"));
                continue;
            }
            assert_eq!(verdict(node), Some(Rule::Node), "{tag:?}");
            refused += 1;
        }
        let mut sql_json: Vec<&str> = judged
            .iter()
            .map(String::as_str)
            .filter(|kind| kind.starts_with("T_Json"))
            .collect();
        sql_json.sort_unstable();
        assert_eq!(sql_json, judged_sql_json(major));
        // Exactly the kinds of PostgreSQL 15.
        assert_eq!(judged.len() - sql_json.len(), JUDGED_OF_15, "{judged:?}");
        assert!(refused > 350, "{refused}");
    }
}
