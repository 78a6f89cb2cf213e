//! Window functions in words, and searching expressions for window functions and aggregates.

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, NamedWindowDefinition,
    NamedWindowExpr, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType,
};
use text2sql_phrases::{say, template};

use super::narrator::{Narrator, unexplained};
use super::scope::Scope;
use text2sql_language::english::counted;
use text2sql_sql::tree::syntax::{Call, fold, is_aggregate_name, read_call};

impl Narrator<'_> {
    /// A window function in words.
    pub(super) fn window(
        &mut self,
        scope: &Scope<'_>,
        function: &Function,
        call: &Call<'_>,
        window: &WindowType,
    ) -> String {
        let Some(specification) = resolve(scope, window) else {
            return unexplained(function);
        };
        let rows = if specification.partition_by.is_empty() {
            say!("all rows")
        } else {
            let values = self.values(scope, &specification.partition_by);
            say!("the rows with the same {values}")
        };
        let sorted = if specification.order_by.is_empty() {
            String::new()
        } else {
            let order = self.sorting(scope, &specification.order_by);
            say!(", sorted by {order}")
        };
        if is_aggregate_name(&call.name) {
            let filter = function.filter.as_deref();
            let Some(words) = self.aggregate(scope, call, filter) else {
                return unexplained(function);
            };
            return match self.frame(scope, &specification) {
                Frame::All => say!("{words} over {rows}"),
                Frame::Running => {
                    say!("{words} from the first row up to this one, among {rows}{sorted}")
                }
                Frame::Part(frame) => say!("{words} over {frame}, among {rows}{sorted}"),
            };
        }
        if let "first_value" | "last_value" = call.name.as_str() {
            let Some(value) = call.arguments.first() else {
                return unexplained(function);
            };
            let value = self.operand(scope, value);
            let place = call.name.trim_end_matches("_value");
            return match self.frame(scope, &specification) {
                Frame::Part(frame) => {
                    let template = match place {
                        "first" => {
                            template!("{value} of the first of {frame}, among {rows}{sorted}")
                        }
                        _ => template!("{value} of the last of {frame}, among {rows}{sorted}"),
                    };
                    say!(template, value, frame, rows, sorted)
                }
                // Without a frame the window ends at the current row, which is often unexpected.
                Frame::Running if place == "last" => {
                    say!("{value} of the last row up to this one, among {rows}{sorted}")
                }
                _ if place == "last" => {
                    say!("{value} of the last row among {rows}{sorted}")
                }
                _ => say!("{value} of the first row among {rows}{sorted}"),
            };
        }
        self.position_function(scope, call, &rows, &sorted)
            .unwrap_or_else(|| unexplained(function))
    }

    /// Functions that depend on a row's position among others.
    fn position_function(
        &mut self,
        scope: &Scope<'_>,
        call: &Call<'_>,
        rows: &str,
        sorted: &str,
    ) -> Option<String> {
        let words: Vec<String> = call
            .arguments
            .iter()
            .map(|argument| self.operand(scope, argument))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Some(match (call.name.as_str(), words.as_slice()) {
            ("row_number", []) => say!("the row's number (1, 2, 3 ...) among {rows}{sorted}"),
            ("rank", []) => say!(
                "the row's rank among {rows}{sorted} (equal rows share a rank, and the ranks \
                 after them are skipped)"
            ),
            ("dense_rank", []) => say!(
                "the row's rank among {rows}{sorted} (equal rows share a rank, and no rank is \
                 skipped)"
            ),
            ("percent_rank", []) => {
                say!("the row's relative rank, from 0 to 1, among {rows}{sorted}")
            }
            ("cume_dist", []) => say!(
                "the share of rows, from 0 to 1, that come no later than this one among \
                 {rows}{sorted}"
            ),
            ("ntile", [parts]) => say!(
                "which of {parts} equally large parts the row falls into, among {rows}{sorted}"
            ),
            ("lag" | "lead", [value, rest @ ..]) => {
                let count = rest.first().copied().unwrap_or("1");
                let distance = counted(count, "row", "rows");
                let is_before = call.name == "lag";
                let otherwise = match rest.get(1) {
                    Some(otherwise) => say!(" ({otherwise} where there is none)"),
                    None => String::new(),
                };
                let place = match (count, is_before) {
                    ("1", true) => say!("previous row"),
                    ("1", false) => say!("next row"),
                    (_, true) => say!("row {distance} before this one"),
                    (_, false) => say!("row {distance} after this one"),
                };
                say!("{value} of the {place}{otherwise}, among {rows}{sorted}")
            }
            ("nth_value", [value, number]) => {
                say!("{value} of row number {number} among {rows}{sorted}")
            }
            _ => return None,
        })
    }

    /// The frame of an aggregate.
    fn frame(&mut self, scope: &Scope<'_>, specification: &WindowSpec) -> Frame {
        let Some(frame) = &specification.window_frame else {
            return if specification.order_by.is_empty() {
                Frame::All
            } else {
                Frame::Running
            };
        };
        let WindowFrame {
            units,
            start_bound,
            end_bound,
        } = frame;
        let end_bound = end_bound.as_ref().unwrap_or(&WindowFrameBound::CurrentRow);
        match (start_bound, end_bound) {
            (WindowFrameBound::Preceding(None), WindowFrameBound::CurrentRow) => {
                return Frame::Running;
            }
            (WindowFrameBound::Preceding(None), WindowFrameBound::Following(None)) => {
                return Frame::All;
            }
            _ => {}
        }
        let nouns = match units {
            WindowFrameUnits::Rows => Some(("row", "rows")),
            WindowFrameUnits::Groups => Some(("group of equal rows", "groups of equal rows")),
            WindowFrameUnits::Range => None,
        };
        let start = self.bound(scope, start_bound, nouns);
        let end = self.bound(scope, end_bound, nouns);
        Frame::Part(say!("the rows from {start} to {end}"))
    }

    fn bound(
        &mut self,
        scope: &Scope<'_>,
        bound: &WindowFrameBound,
        nouns: Option<(&str, &str)>,
    ) -> String {
        let (distance, is_before) = match bound {
            WindowFrameBound::CurrentRow => return say!("this one"),
            WindowFrameBound::Preceding(None) => return say!("the first one"),
            WindowFrameBound::Following(None) => return say!("the last one"),
            WindowFrameBound::Preceding(Some(distance)) => (distance, true),
            WindowFrameBound::Following(Some(distance)) => (distance, false),
        };
        let distance = self.value(scope, distance);
        let distance = match nouns {
            Some((one, many)) => counted(&distance, one, many),
            None => distance,
        };
        match is_before {
            true => say!("{distance} before this one"),
            false => say!("{distance} after this one"),
        }
    }
}

/// The frame of a window function.
enum Frame {
    All,
    Running,
    Part(String),
}

/// The window's definition, including what it inherits from a named window.
fn resolve(scope: &Scope<'_>, window: &WindowType) -> Option<WindowSpec> {
    match window {
        WindowType::NamedWindow(name) => named(scope.windows, name, 0),
        WindowType::WindowSpec(specification) => extended(scope.windows, specification, 0),
    }
}

/// Maximum length of a chain of named windows. PostgreSQL has no cycles there, but unchecked text may.
const MAX_WINDOWS: usize = 20;

fn named(windows: &[NamedWindowDefinition], name: &Ident, depth: usize) -> Option<WindowSpec> {
    if depth > MAX_WINDOWS {
        return None;
    }
    let NamedWindowDefinition(_, definition) = windows
        .iter()
        .find(|NamedWindowDefinition(other, _)| fold(other) == fold(name))?;
    match definition {
        NamedWindowExpr::NamedWindow(next) => named(windows, next, depth + 1),
        NamedWindowExpr::WindowSpec(specification) => extended(windows, specification, depth + 1),
    }
}

fn extended(
    windows: &[NamedWindowDefinition],
    specification: &WindowSpec,
    depth: usize,
) -> Option<WindowSpec> {
    let mut specification = specification.clone();
    let Some(name) = specification.window_name.take() else {
        return Some(specification);
    };
    let base = named(windows, &name, depth + 1)?;
    specification.partition_by = base.partition_by;
    if specification.order_by.is_empty() {
        specification.order_by = base.order_by;
    }
    if specification.window_frame.is_none() {
        specification.window_frame = base.window_frame;
    }
    Some(specification)
}

/// Whether an expression has an aggregate outside window functions and sub-queries.
pub(super) fn has_aggregate(expression: &Expr) -> bool {
    let mut found = false;
    each_call(expression, &mut |function| {
        found |= function.over.is_none() && is_aggregate_name(&read_call(function).name);
    });
    found
}

/// The window functions in an expression, outermost first.
pub(super) fn window_functions(expression: &Expr) -> Vec<&Function> {
    let mut functions = Vec::new();
    each_call(expression, &mut |function| {
        if function.over.is_some() {
            functions.push(function);
        }
    });
    functions
}

/// Visits each call in an expression, except in sub-queries. Iterative, because chains can be long.
fn each_call<'e>(expression: &'e Expr, visit: &mut impl FnMut(&'e Function)) {
    let mut waiting = vec![expression];
    while let Some(next) = waiting.pop() {
        match next {
            Expr::Function(function) => {
                visit(function);
                if let FunctionArguments::List(list) = &function.args {
                    for argument in list.args.iter().rev() {
                        if let FunctionArg::Unnamed(FunctionArgExpr::Expr(inner)) = argument {
                            waiting.push(inner);
                        }
                    }
                }
            }
            Expr::BinaryOp { left, right, .. } => waiting.extend([&**right, &**left]),
            Expr::Nested(inner)
            | Expr::UnaryOp { expr: inner, .. }
            | Expr::Cast { expr: inner, .. }
            | Expr::Extract { expr: inner, .. }
            | Expr::Ceil { expr: inner, .. }
            | Expr::Floor { expr: inner, .. }
            | Expr::Collate { expr: inner, .. }
            | Expr::IsNull(inner)
            | Expr::IsNotNull(inner)
            | Expr::AtTimeZone {
                timestamp: inner, ..
            } => waiting.push(inner),
            Expr::InList { expr, .. } | Expr::InSubquery { expr, .. } => waiting.push(expr),
            Expr::Between {
                expr, low, high, ..
            } => waiting.extend([&**high, &**low, &**expr]),
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => {
                waiting.extend(else_result.as_deref());
                for when in conditions.iter().rev() {
                    waiting.extend([&when.result, &when.condition]);
                }
                waiting.extend(operand.as_deref());
            }
            Expr::Array(array) => waiting.extend(array.elem.iter().rev()),
            Expr::Tuple(values) => waiting.extend(values.iter().rev()),
            _ => {}
        }
    }
}
