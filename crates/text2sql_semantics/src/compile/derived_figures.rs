//! Figures of the rows that refer to a row, each computed before it is joined: rows are never repeated.

use super::{Compiler, Note, link_keys, where_clause};
use crate::query::{Aggregate, ColumnRef, Function, Key, Related, Step};
use crate::refusal::Refusal;
use crate::scope::Scope;
use text2sql_domain::schema::quote_identifier;

impl Compiler<'_> {
    /// The aggregate of the rows that refer to the subject, computed before it is joined.
    pub(super) fn related(&mut self, related: &Related) -> Result<String, Refusal> {
        let alias = match self.scope.known_derived(related) {
            Some(alias) => alias,
            None => {
                let alias = self.names.take(&related.table.name);
                if let [.., pairs, of] = related.link.as_slice()
                    && pairs.fans_out
                {
                    let table = of.to.name.clone();
                    self.note(Note::CountsForEach { table });
                }
                let sql = self.derived(related, &alias)?;
                self.scope.add_derived(related, alias.clone(), sql);
                alias
            }
        };
        Ok(match related.function {
            Function::Count | Function::CountDistinct | Function::Sum => {
                format!("coalesce({alias}.value, 0)")
            }
            _ => format!("{alias}.value"),
        })
    }

    fn derived(&mut self, related: &Related, alias: &str) -> Result<String, Refusal> {
        let (link, keys) = link_keys(&related.link)?;
        let scope = Scope::of(self.scope.tables, &related.table, &mut self.names)?;
        let mut inner = Compiler {
            scope,
            names: std::mem::take(&mut self.names),
            notes: Vec::new(),
        };
        let made = inner.derived_select(related, link, &keys);
        self.names = inner.names;
        let (select, own) = made?;
        let on: Vec<String> = keys
            .iter()
            .zip(&own)
            .map(|(key, own)| {
                format!(
                    "{alias}.{own} = {}.{}",
                    self.scope.alias,
                    quote_identifier(&key.other)
                )
            })
            .collect();
        Ok(format!("({select}) AS {alias} ON {}", on.join(" AND ")))
    }

    fn derived_select(
        &mut self,
        related: &Related,
        link: &[Step],
        keys: &[Key],
    ) -> Result<(String, Vec<String>), Refusal> {
        let (mut shown, mut groups, mut own) = (Vec::new(), Vec::new(), Vec::new());
        // A row of pairs is none of what is counted: its other end is what the rows are of.
        let has_pairs = link.last().is_some_and(|step| step.fans_out);
        for (at, key) in keys.iter().enumerate() {
            let column = match has_pairs {
                true => ColumnRef {
                    path: related.link.clone(),
                    column: key.other.clone(),
                },
                false => ColumnRef {
                    path: link.to_vec(),
                    column: key.own.clone(),
                },
            };
            self.scope.may_fan = has_pairs;
            let made = self.column(&column, true);
            self.scope.may_fan = false;
            let (sql, _) = made?;
            let name = format!("key{}", at + 1);
            shown.push(format!("{sql} AS {name}"));
            groups.push(sql);
            own.push(name);
        }
        let value = self.aggregate(&Aggregate {
            function: related.function,
            of: related.of.clone(),
            only: Vec::new(),
        })?;
        shown.push(format!("{value} AS value"));
        let conditions = self.conditions(&related.conditions)?;
        let select = format!(
            "SELECT {} {}{} GROUP BY {}",
            shown.join(", "),
            self.scope.joined_tables(),
            where_clause(&conditions),
            groups.join(", ")
        );
        Ok((select.replace('\n', " "), own))
    }
}
