//! What is known while the names of a statement are checked, and what was found.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use sqlparser::ast::Ident;
use sqlparser::tokenizer::Location;

use text2sql_domain::sql_result::ResultColumn;

use crate::dialects::{Rules, rules_of};
use crate::given_schema::GivenSchema;

/// The outputs of a query, and the tables that it reads by their places in the schema.
#[derive(Debug, Clone)]
pub(crate) struct Described {
    pub(crate) columns: Vec<Output>,
    pub(crate) tables: BTreeSet<usize>,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// The name as written.
    pub(crate) name: String,
    /// The name as names are compared.
    pub(crate) key: String,
    /// Places of the table and column that it is, if it is one.
    pub(crate) origin: Option<(usize, usize)>,
}

/// The columns of a source; `None` if they are not known.
pub(super) type Outputs = Option<Rc<[Output]>>;

/// A common table expression.
#[derive(Debug, Clone)]
pub(super) struct Cte {
    pub(super) key: String,
    pub(super) columns: Outputs,
}

/// A name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) place: (u64, u64),
    pub(super) sqlstate: &'static str,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// Checks the names of one statement.
pub(super) struct Checker<'s> {
    pub(super) schema: &'s GivenSchema,
    pub(super) rules: &'static Rules,
    /// Places of the tables by their names.
    pub(super) tables: HashMap<String, Vec<usize>>,
    pub(super) faults: Vec<Fault>,
    pub(super) notes: BTreeSet<String>,
    pub(super) used: BTreeSet<usize>,
}

impl<'s> Checker<'s> {
    pub(super) fn new(schema: &'s GivenSchema) -> Self {
        let rules = rules_of(schema.dialect);
        let mut tables: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, table) in schema.tables.iter().enumerate() {
            tables
                .entry(rules.stored(&table.name))
                .or_default()
                .push(place);
        }
        Self {
            schema,
            rules,
            tables,
            faults: Vec::new(),
            notes: BTreeSet::new(),
            used: BTreeSet::new(),
        }
    }

    pub(super) fn key(&self, name: &Ident) -> String {
        self.rules.folded(&name.value, name.quote_style.is_some())
    }

    pub(super) fn fault(&mut self, place: Location, sqlstate: &'static str, message: String) {
        self.faults.push(Fault {
            place: (place.line, place.column),
            sqlstate,
            message,
            hint: None,
        });
    }

    pub(super) fn result_columns(&self, outputs: &[Output]) -> Vec<ResultColumn> {
        let type_of = |output: &Output| {
            let (table, column) = output.origin?;
            let column = self.schema.tables.get(table)?.columns.get(column)?;
            Some(column.type_name.clone())
        };
        outputs
            .iter()
            .map(|output| ResultColumn {
                name: output.name.clone(),
                type_name: type_of(output).unwrap_or_default(),
            })
            .collect()
    }
}
