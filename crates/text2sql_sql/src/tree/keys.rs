//! Derives from keys which joins can multiply rows.

use std::collections::HashMap;

use sqlparser::ast::{BinaryOperator, Expr, GroupByExpr, SelectItem, Value};

use super::{Reference, Rows, Source, Tree};
use crate::tree::syntax::{fold, is_constant, without_parentheses};

/// Functional dependencies between the sources of a block: which rows are determined by others.
pub struct Fixing<'t, 'q> {
    tree: &'t Tree<'q>,
    block: usize,
    /// The equivalence class of each column.
    class_of: HashMap<Reference, usize>,
    /// Classes that are constant.
    constant: Vec<bool>,
}

impl<'q> Tree<'q> {
    /// The equalities of a block.
    pub fn fixing(&self, block: usize) -> Fixing<'_, 'q> {
        let mut fixing = Fixing {
            tree: self,
            block,
            class_of: HashMap::new(),
            constant: Vec::new(),
        };
        let Some(here) = self.block(block) else {
            return fixing;
        };
        for (position, source) in here.sources.iter().enumerate() {
            for (left, column) in &source.shared {
                let reference = |source| Reference {
                    block,
                    source,
                    column: column.clone(),
                };
                fixing.equate(reference(*left), reference(position));
            }
            for condition in &source.conditions {
                fixing.add(condition);
            }
        }
        for condition in here.filters() {
            fixing.add(condition);
        }
        fixing
    }

    /// The sources whose rows can repeat those of `source` within one group, according to the keys; `fixed` columns are
    /// equal in all rows that are looked at together.
    pub fn repeating(&self, block: usize, source: usize, fixed: &[Reference]) -> Vec<usize> {
        let Some(here) = self.block(block) else {
            return Vec::new();
        };
        let is_known = |other: &usize| {
            here.sources.get(*other).is_some_and(|source| {
                matches!(source.rows, Rows::Table(_) | Rows::Result(_)) && !source.keys().is_empty()
            })
        };
        let all = self.not_determined(block, source, fixed).into_iter();
        all.filter(is_known).collect()
    }

    /// The same with sources that have no key: only the data say whether their rows repeat others.
    pub fn not_determined(&self, block: usize, source: usize, fixed: &[Reference]) -> Vec<usize> {
        let Some(here) = self.block(block) else {
            return Vec::new();
        };
        let mut fixing = self.fixing(block);
        fixing.fix_groups();
        for column in fixed {
            fixing.fix(column.clone());
        }
        let mut start = vec![source];
        // A name is meant to identify one object, even without a unique constraint.
        start.extend((0..here.sources.len()).filter(|other| fixing.has_constant(*other)));
        let determined = fixing.determined(&start);
        let others = determined.iter().enumerate();
        others
            .filter(|(_, is_fixed)| !**is_fixed)
            .map(|(other, _)| other)
            .collect()
    }

    /// Sets of columns that are unique in the block's rows before grouping.
    pub fn row_keys(&self, block: usize) -> Vec<Vec<Reference>> {
        let Some(here) = self.block(block) else {
            return Vec::new();
        };
        let fixing = self.fixing(block);
        let mut keys = Vec::new();
        for (position, source) in here.sources.iter().enumerate() {
            let determined = fixing.determined(&[position]);
            if determined.iter().any(|is_fixed| !is_fixed) || self.is_optional(block, position) {
                continue;
            }
            for key in source.keys() {
                let columns = key
                    .into_iter()
                    .map(|column| Reference {
                        block,
                        source: position,
                        column,
                    })
                    .collect();
                keys.push(columns);
            }
        }
        keys
    }
}

impl Fixing<'_, '_> {
    /// Adds one conjunct of a condition.
    pub fn add(&mut self, condition: &Expr) {
        match without_parentheses(condition) {
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Eq,
                right,
            } => {
                let (one, other) = (self.own(left), self.own(right));
                match (one, other) {
                    (Some(one), Some(other)) => self.equate(one, other),
                    (Some(one), None) if self.is_outside(right) => self.fix(one),
                    (None, Some(other)) if self.is_outside(left) => self.fix(other),
                    _ => {}
                }
            }
            Expr::IsNull(column) => {
                if let Some(column) = self.own(column) {
                    self.fix(column);
                }
            }
            Expr::InList {
                expr,
                list,
                negated: false,
            } if list.len() == 1 => {
                if let Some(column) = self.own(expr) {
                    self.fix(column);
                }
            }
            _ => {}
        }
    }

    /// A column of the block's own sources.
    fn own(&self, expression: &Expr) -> Option<Reference> {
        self.tree
            .resolve(self.block, expression)
            .filter(|reference| reference.block == self.block)
    }

    /// Whether an expression has the same value for all rows of the block.
    fn is_outside(&self, expression: &Expr) -> bool {
        if is_constant(expression) {
            return true;
        }
        match without_parentheses(expression) {
            Expr::Subquery(_) => true,
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self
                .tree
                .resolve(self.block, expression)
                .is_some_and(|reference| reference.block != self.block),
            _ => false,
        }
    }

    fn class(&mut self, reference: Reference) -> usize {
        if let Some(class) = self.class_of.get(&reference) {
            return *class;
        }
        let class = self.constant.len();
        self.constant.push(false);
        self.class_of.insert(reference, class);
        class
    }

    /// Makes two columns equal.
    pub fn equate(&mut self, one: Reference, other: Reference) {
        let (keep, drop) = (self.class(one), self.class(other));
        for class in self.class_of.values_mut() {
            if *class == drop {
                *class = keep;
            }
        }
        let is_constant = self.constant.get(drop).copied().unwrap_or(false);
        if let Some(kept) = self.constant.get_mut(keep) {
            *kept |= is_constant;
        }
    }

    /// Makes a column constant.
    pub fn fix(&mut self, column: Reference) {
        let class = self.class(column);
        if let Some(constant) = self.constant.get_mut(class) {
            *constant = true;
        }
    }

    /// Whether two columns are equal in all rows.
    pub fn are_equal(&self, one: &Reference, other: &Reference) -> bool {
        let class = self.class_of.get(one);
        class.is_some() && class == self.class_of.get(other)
    }

    /// Whether a column is the same in all rows.
    pub fn is_constant(&self, column: &Reference) -> bool {
        let class = self
            .class_of
            .get(column)
            .and_then(|class| self.constant.get(*class));
        class.copied().unwrap_or(false)
    }

    /// Makes the GROUP BY expressions constant, as they are within a group.
    pub fn fix_groups(&mut self) {
        let Some(block) = self.tree.block(self.block) else {
            return;
        };
        let GroupByExpr::Expressions(groups, _) = &block.select.group_by else {
            return;
        };
        for group in groups {
            // In GROUP BY, a column of FROM takes precedence over an output with the same name.
            let meant = match self.own(group) {
                Some(_) => group,
                None => meant_by(group, &block.select.projection),
            };
            if let Some(column) = self.own(meant) {
                self.fix(column);
            }
        }
    }

    /// Whether the column's class contains a column of a determined source, or is constant.
    fn is_known(&self, column: &Reference, determined: &[bool]) -> bool {
        let Some(class) = self.class_of.get(column) else {
            return false;
        };
        self.constant.get(*class).copied().unwrap_or(false)
            || self.class_of.iter().any(|(other, other_class)| {
                other_class == class
                    && other.source != column.source
                    && determined.get(other.source).copied().unwrap_or(false)
            })
    }

    /// For each source, whether its row is determined by the rows of `start`.
    pub fn determined(&self, start: &[usize]) -> Vec<bool> {
        let Some(block) = self.tree.block(self.block) else {
            return Vec::new();
        };
        let mut determined: Vec<bool> = (0..block.sources.len())
            .map(|position| start.contains(&position))
            .collect();
        loop {
            let next = block
                .sources
                .iter()
                .enumerate()
                .position(|(position, source)| {
                    !determined.get(position).copied().unwrap_or(true)
                        && source.keys().iter().any(|key| {
                            key.iter().all(|column| {
                                let column = Reference {
                                    block: self.block,
                                    source: position,
                                    column: column.clone(),
                                };
                                self.is_known(&column, &determined)
                            })
                        })
                });
            match next.and_then(|next| determined.get_mut(next)) {
                Some(found) => *found = true,
                None => return determined,
            }
        }
    }

    /// Whether a column of the source that is not used in a join is constant: grouping or filtering by
    /// a name is meant to select one object, even without a unique constraint on names.
    pub fn has_constant(&self, source: usize) -> bool {
        self.class_of.iter().any(|(column, class)| {
            column.source == source
                && self.constant.get(*class).copied().unwrap_or(false)
                && !self
                    .class_of
                    .iter()
                    .any(|(other, other_class)| other_class == class && other.source != source)
        })
    }

    /// The groups of sources connected by conditions of any kind, as a group number for each source.
    pub fn connected(&self) -> Vec<usize> {
        let Some(block) = self.tree.block(self.block) else {
            return Vec::new();
        };
        let count = block.sources.len();
        let mut group: Vec<usize> = (0..count).collect();
        let mut merge = |members: &[usize]| {
            let Some(first) = members.first().and_then(|first| group.get(*first).copied()) else {
                return;
            };
            for member in members {
                let Some(old) = group.get(*member).copied() else {
                    continue;
                };
                for entry in &mut group {
                    if *entry == old {
                        *entry = first;
                    }
                }
            }
        };
        for (position, source) in block.sources.iter().enumerate() {
            for (left, _) in &source.shared {
                merge(&[*left, position]);
            }
            let conditions = source.conditions.iter().copied();
            let filters = if position == 0 {
                block.filters()
            } else {
                Vec::new()
            };
            for condition in conditions.chain(filters) {
                let mut sources: Vec<usize> = self
                    .tree
                    .sources_in(self.block, condition)
                    .into_iter()
                    .collect();
                sources.dedup();
                merge(&sources);
            }
        }
        group
    }
}

impl Tree<'_> {
    /// Positions of the block's sources that an expression uses, including its sub-queries.
    pub fn sources_in(&self, block: usize, expression: &Expr) -> Vec<usize> {
        let mut found = Vec::new();
        for reference in self.columns_in(block, expression) {
            if reference.block == block {
                found.push(reference.source);
            }
        }
        // In sub-queries, columns of this block are recognised by their qualifiers.
        let Some(here) = self.block(block) else {
            return found;
        };
        for subquery in super::subqueries(expression) {
            let text = subquery.to_string().to_lowercase();
            for (position, source) in here.sources.iter().enumerate() {
                if text.contains(&format!("{}.", source.name.to_lowercase())) {
                    found.push(position);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Source<'_> {
    /// Sets of unique columns among its rows. An empty set means one row at most.
    pub fn keys(&self) -> Vec<Vec<String>> {
        match &self.rows {
            Rows::Table(table) => std::iter::once(&table.primary_key)
                .filter(|key| !key.is_empty())
                .chain(&table.unique_keys)
                .cloned()
                .collect(),
            Rows::Result(result) if result.is_single_row => vec![Vec::new()],
            Rows::Result(result) => result.keys.clone(),
            Rows::Function | Rows::Unknown => Vec::new(),
        }
    }
}

/// The expression of a GROUP BY or ORDER BY item: a position or an output's name refers to
/// that output.
pub fn meant_by<'e>(item: &'e Expr, projection: &'e [SelectItem]) -> &'e Expr {
    match item {
        Expr::Value(value) => {
            let Value::Number(digits, _) = &value.value else {
                return item;
            };
            let position = digits.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            position
                .and_then(|position| projection.get(position))
                .and_then(super::walk::output_of)
                .unwrap_or(item)
        }
        Expr::Identifier(name) => projection
            .iter()
            .find_map(|output| match output {
                SelectItem::ExprWithAlias { expr, alias } if fold(alias) == fold(name) => {
                    Some(expr)
                }
                _ => None,
            })
            .unwrap_or(item),
        _ => item,
    }
}
