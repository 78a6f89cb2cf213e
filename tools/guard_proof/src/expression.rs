//! Expressions of a wanted type, from columns, constants, functions and operators of the server.

use crate::catalog::{Catalog, Family, Function, Kind, Operator, TypeId};
use crate::literals::{self, quoted};
use crate::random::Random;

/// A column that an expression may name.
#[derive(Debug, Clone)]
pub(crate) struct Visible {
    /// `alias.column`.
    pub(crate) text: String,
    /// Its type.
    pub(crate) type_id: TypeId,
}

/// Writes SQL.
pub(crate) struct Writer<'a> {
    /// What there is to call.
    pub(crate) catalog: &'a Catalog,
    /// Random choices.
    pub(crate) random: Random,
    /// Columns in sight.
    pub(crate) visible: Vec<Visible>,
    /// How many names have been given.
    pub(crate) names: usize,
}

/// `boolean`.
pub(crate) const BOOLEAN: TypeId = 16;
/// `integer`.
pub(crate) const INTEGER: TypeId = 23;
/// `text`.
pub(crate) const TEXT: TypeId = 25;
/// `jsonb`.
pub(crate) const JSONB: TypeId = 3802;
const JSON: TypeId = 114;

const ANY: TypeId = 2276;
const RECORD: TypeId = 2249;
const ANY_ELEMENT: [TypeId; 5] = [2283, 2776, 3500, 5077, 5079];
const ANY_ARRAY: [TypeId; 2] = [2277, 5078];
const ANY_RANGE: [TypeId; 2] = [3831, 5080];
const ANY_MULTIRANGE: [TypeId; 2] = [4537, 4538];

impl<'a> Writer<'a> {
    /// A writer that sees no column yet.
    pub(crate) fn new(catalog: &'a Catalog, random: Random) -> Self {
        Self {
            catalog,
            random,
            visible: Vec::new(),
            names: 0,
        }
    }

    /// A name that nothing else has.
    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A type that there are values of; types of the tables are chosen more often.
    pub(crate) fn any_type(&mut self) -> TypeId {
        if self.random.percent(60)
            && let Some(column) = self.random.pick(&self.visible)
            && self.catalog.types.contains_key(&column.type_id)
        {
            return column.type_id;
        }
        const COMMON: [TypeId; 12] = [
            BOOLEAN, INTEGER, TEXT, 20, 1700, 701, 1082, 1184, 3802, 1007, 1009, 1186,
        ];
        self.random.pick(&COMMON).copied().unwrap_or(INTEGER)
    }

    /// An expression of the type; `None` when there is no value of it.
    pub(crate) fn value(&mut self, type_id: TypeId, depth: usize) -> Option<String> {
        if type_id == ANY {
            let chosen = self.any_type();
            return self.value(chosen, depth);
        }
        if type_id == RECORD {
            return Some("ROW(1, 'a')".to_owned());
        }
        let roll = self.random.below(100);
        if roll < 35
            && let Some(column) = self.column(type_id)
        {
            return Some(column);
        }
        if depth > 0 {
            let made = match roll {
                35..65 => self.some_call(type_id, depth - 1),
                65..80 => self.some_operation(type_id, depth - 1),
                80..92 => self.construct(type_id, depth - 1),
                92..95 => self.scalar_subquery(type_id, depth - 1),
                _ => None,
            };
            if made.is_some() {
                return made;
            }
        }
        self.literal(type_id)
    }

    fn column(&mut self, type_id: TypeId) -> Option<String> {
        let fitting: Vec<&str> = self
            .visible
            .iter()
            .filter(|column| column.type_id == type_id)
            .map(|column| column.text.as_str())
            .collect();
        self.random.pick(&fitting).map(|text| (*text).to_owned())
    }

    /// A constant of the type.
    pub(crate) fn literal(&mut self, type_id: TypeId) -> Option<String> {
        let name = self.catalog.types.get(&type_id)?;
        if self.random.percent(4) {
            return Some(format!("NULL::{name}"));
        }
        let text = self.random.pick(literals::of_type(name))?;
        Some(format!("{}::{name}", quoted(text)))
    }

    fn some_call(&mut self, type_id: TypeId, depth: usize) -> Option<String> {
        let catalog = self.catalog;
        let index = *self.random.pick(catalog.by_result.get(&type_id)?)?;
        self.call(catalog.functions.get(index)?, depth)
    }

    fn some_operation(&mut self, type_id: TypeId, depth: usize) -> Option<String> {
        let catalog = self.catalog;
        let index = *self
            .random
            .pick(catalog.operators_by_result.get(&type_id)?)?;
        self.operation(catalog.operators.get(index)?, depth)
    }

    /// What has a syntax of its own.
    fn construct(&mut self, type_id: TypeId, depth: usize) -> Option<String> {
        if type_id == BOOLEAN {
            return self.condition(depth);
        }
        if self.random.percent(15)
            && let Some(expression) = self.sql_json(type_id, depth)
        {
            return Some(expression);
        }
        let one = self.value(type_id, depth)?;
        let other = self.value(type_id, depth)?;
        let condition = self.value(BOOLEAN, depth)?;
        Some(match self.random.below(6) {
            0 => format!("CASE WHEN {condition} THEN {one} ELSE {other} END"),
            1 => format!("COALESCE({one}, {other})"),
            2 => format!("(ARRAY[{one}, {other}])[1]"),
            3 => format!("(VALUES ({one}))"),
            4 => format!("CASE {one} WHEN {other} THEN {one} END"),
            _ => format!("NULLIF({one}, {other})"),
        })
    }

    /// What the server's version has of SQL/JSON: constructors since 16, query functions since 17.
    fn sql_json(&mut self, type_id: TypeId, depth: usize) -> Option<String> {
        let catalog = self.catalog;
        let name = catalog.types.get(&type_id)?;
        if catalog.major >= 16 && [JSON, JSONB].contains(&type_id) {
            let (one_type, other_type) = (self.any_type(), self.any_type());
            let one = self.value(one_type, depth)?;
            let other = self.value(other_type, depth)?;
            return Some(match self.random.below(4) {
                0 => format!("JSON_OBJECT('k': {one}, 'l' VALUE {other} RETURNING {name})"),
                1 => format!("JSON_ARRAY({one}, {other} NULL ON NULL RETURNING {name})"),
                2 => format!("JSON_ARRAY(SELECT {one} RETURNING {name})"),
                _ => format!("(SELECT JSON_OBJECTAGG('k': {one} RETURNING {name}))"),
            });
        }
        if catalog.major < 17 {
            return None;
        }
        let document = self.value(JSONB, depth)?;
        let other = self.literal(type_id)?;
        let passed = self.value(TEXT, depth)?;
        Some(match self.random.below(3) {
            0 => format!("JSON_QUERY({document}, '$.a' RETURNING {name} NULL ON ERROR)"),
            1 => format!("JSON_VALUE({document}, '$.a' RETURNING {name} DEFAULT {other} ON EMPTY)"),
            _ => format!(
                "JSON_VALUE({document}, '$ ? (@ == $x)' PASSING {passed} AS x RETURNING {name})"
            ),
        })
    }

    fn condition(&mut self, depth: usize) -> Option<String> {
        if self.catalog.major >= 16 && self.random.percent(6) {
            let text = self.value(TEXT, depth)?;
            return Some(format!("({text} IS JSON)"));
        }
        if self.catalog.major >= 17 && self.random.percent(6) {
            let document = self.value(JSONB, depth)?;
            return Some(format!("JSON_EXISTS({document}, '$.a')"));
        }
        let type_id = self.any_type();
        let one = self.value(type_id, depth)?;
        let other = self.value(type_id, depth)?;
        let third = self.literal(type_id)?;
        Some(match self.random.below(12) {
            0 => format!("({one} = {other})"),
            1 => format!("({one} IS NOT NULL)"),
            2 => format!("({one} IS DISTINCT FROM {other})"),
            3 => format!("({one} IN ({other}, {third}))"),
            4 => format!("({one} BETWEEN {third} AND {other})"),
            5 => format!("({one} < {other} OR {one} > {third})"),
            6 => format!("NOT ({one} <> {other})"),
            7 => {
                let text = self.value(TEXT, depth)?;
                let how = self
                    .random
                    .word(&["LIKE", "NOT ILIKE", "~", "!~*", "SIMILAR TO"]);
                format!("({text} {how} 'a.*')")
            }
            8 => format!("({one} = ANY (ARRAY[{other}, {third}]))"),
            9 => format!("(ROW({one}, 1) < ROW({other}, 2))"),
            10 => format!("EXISTS (SELECT {one} WHERE {other} IS NULL)"),
            _ => format!("(({one} = {other}) IS NOT TRUE)"),
        })
    }

    fn scalar_subquery(&mut self, type_id: TypeId, depth: usize) -> Option<String> {
        let catalog = self.catalog;
        let relation = self.random.pick(&catalog.relations)?;
        let alias = self.fresh("s");
        let before = self.visible.len();
        self.visible
            .extend(relation.columns.iter().map(|column| Visible {
                text: format!("{alias}.{}", column.name),
                type_id: column.type_id,
            }));
        let value = self.value(type_id, depth);
        let condition = self.value(BOOLEAN, 0);
        self.visible.truncate(before);
        Some(format!(
            "(SELECT {} FROM {} AS {alias} WHERE {} LIMIT 1)",
            value?, relation.name, condition?
        ))
    }

    /// A call with arguments of the right types; `None` when there are none.
    pub(crate) fn call(&mut self, function: &Function, depth: usize) -> Option<String> {
        let arguments = self.arguments(&function.arguments, depth)?;
        let name = &function.name;
        let plain = arguments.join(", ");
        Some(match function.kind {
            Kind::Plain if !function.gives_rows && self.random.percent(2) => {
                format!("(SELECT {name}({plain}))")
            }
            Kind::Plain => format!("{name}({plain})"),
            Kind::Aggregate => self.aggregate(name, &arguments)?,
            Kind::OrderedSet(direct) => {
                let (before, ordered) = arguments.split_at(direct.min(arguments.len()));
                let ordered = if ordered.is_empty() { before } else { ordered };
                format!(
                    "{name}({}) WITHIN GROUP (ORDER BY {})",
                    before.join(", "),
                    ordered.join(", ")
                )
            }
            Kind::Window => {
                let window = self.window()?;
                format!("{name}({plain}) OVER ({window})")
            }
        })
    }

    fn aggregate(&mut self, name: &str, arguments: &[String]) -> Option<String> {
        let plain = match arguments.is_empty() {
            true => "*".to_owned(),
            false => arguments.join(", "),
        };
        let how = self.random.below(10);
        Some(match how {
            0 if arguments.len() == 1 => format!("{name}(DISTINCT {plain})"),
            1 if !arguments.is_empty() => {
                let type_id = self.any_type();
                let order = self.value(type_id, 0)?;
                format!("{name}({plain} ORDER BY {order} DESC)")
            }
            2 => {
                let condition = self.value(BOOLEAN, 1)?;
                format!("{name}({plain}) FILTER (WHERE {condition})")
            }
            _ => format!("{name}({plain})"),
        })
    }

    /// The window definition in the parentheses after `OVER`.
    pub(crate) fn window(&mut self) -> Option<String> {
        let type_id = self.any_type();
        let order = self.value(type_id, 0)?;
        let by = self.value(INTEGER, 0)?;
        Some(match self.random.below(6) {
            0 => String::new(),
            1 => format!("PARTITION BY {by}"),
            2 => format!("ORDER BY {order}"),
            3 => format!("PARTITION BY {by} ORDER BY {order} DESC NULLS LAST"),
            4 => format!("ORDER BY {order} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"),
            _ => {
                format!("ORDER BY {order} GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES")
            }
        })
    }

    /// An operator between operands of its types.
    pub(crate) fn operation(&mut self, operator: &Operator, depth: usize) -> Option<String> {
        let mut types: Vec<TypeId> = operator.left.into_iter().collect();
        types.push(operator.right);
        let operands = self.arguments(&types, depth)?;
        let name = &operator.name;
        match operands.as_slice() {
            [right] => Some(format!("(OPERATOR({name}) {right})")),
            [left, right] => Some(format!("({left} OPERATOR({name}) {right})")),
            _ => None,
        }
    }

    /// Values for parameters, those of polymorphic types in agreement with each other.
    fn arguments(&mut self, types: &[TypeId], depth: usize) -> Option<Vec<String>> {
        const ATTEMPTS: usize = 8;
        let families = &self.catalog.families;
        for _ in 0..ATTEMPTS {
            let family = *self.random.pick(families)?;
            let bound: Option<Vec<TypeId>> = types.iter().map(|id| bind(*id, &family)).collect();
            if let Some(bound) = bound {
                return bound.into_iter().map(|id| self.value(id, depth)).collect();
            }
        }
        None
    }
}

/// The type that a parameter of a polymorphic type takes.
fn bind(type_id: TypeId, family: &Family) -> Option<TypeId> {
    if ANY_ELEMENT.contains(&type_id) {
        Some(family.element)
    } else if ANY_ARRAY.contains(&type_id) {
        Some(family.array)
    } else if ANY_RANGE.contains(&type_id) {
        family.range
    } else if ANY_MULTIRANGE.contains(&type_id) {
        family.multirange
    } else {
        Some(type_id)
    }
}
