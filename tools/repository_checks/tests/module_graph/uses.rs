//! Every path that the code of a module names, with its line: imports, paths in types, expressions
//! and patterns, and whatever looks like a path inside the call of a macro.

use proc_macro2::{Spacing, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Macro, Path, UseTree, Visibility};

use crate::modules::{attributes, is_of_tests};

pub struct Use {
    pub path: Vec<String>,
    pub line: usize,
}

/// What the items of a module use, without its child modules.
pub fn of_items(items: &[Item]) -> Vec<Use> {
    let mut collector = Collector(Vec::new());
    for item in items {
        collector.visit_item(item);
    }
    collector.0
}

/// The names that an import brings, each with its path; no name for `*`.
pub fn leaves(prefix: &mut Vec<String>, tree: &UseTree) -> Vec<(Option<String>, Vec<String>)> {
    let with = |prefix: &[String], name: &str| {
        let mut path = prefix.to_vec();
        if name != "self" || path.is_empty() {
            path.push(name.to_owned());
        }
        path
    };
    match tree {
        UseTree::Path(tree) => {
            prefix.push(tree.ident.to_string());
            let found = leaves(prefix, &tree.tree);
            prefix.pop();
            found
        }
        UseTree::Name(tree) => {
            let path = with(prefix, &tree.ident.to_string());
            vec![(path.last().cloned(), path)]
        }
        UseTree::Rename(tree) => {
            let path = with(prefix, &tree.ident.to_string());
            vec![(Some(tree.rename.to_string()), path)]
        }
        UseTree::Glob(_) => vec![(None, prefix.clone())],
        UseTree::Group(tree) => {
            let parts = tree.items.iter();
            parts.flat_map(|part| leaves(prefix, part)).collect()
        }
    }
}

struct Collector(Vec<Use>);

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_of_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let line = item.span().start().line;
        for (_, path) in leaves(&mut Vec::new(), &item.tree) {
            self.0.push(Use { path, line });
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let names = path.segments.iter();
        self.0.push(Use {
            path: names.map(|name| name.ident.to_string()).collect(),
            line: path.span().start().line,
        });
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.visit_tokens(call.tokens.clone());
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.visit_macro(&item.mac);
    }
}

impl Collector {
    /// Names joined by `::` in the call of a macro, which need not be Rust otherwise.
    fn visit_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut line = 0;
        // How many of the two colons behind the last name have come.
        let mut colons = 0;
        let mut is_field = false;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.push(&mut path, line);
                    }
                    if !is_field {
                        line = name.span().start().line;
                        path.push(name.to_string());
                    }
                    (colons, is_field) = (0, false);
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' => {
                    let is_second = colons == 1;
                    colons = match (sign.spacing(), is_second) {
                        (Spacing::Joint, false) => 1,
                        (_, true) => 2,
                        (Spacing::Alone, false) => 0,
                    };
                    if colons == 0 {
                        self.push(&mut path, line);
                    }
                }
                other => {
                    self.push(&mut path, line);
                    colons = 0;
                    is_field = matches!(&other, TokenTree::Punct(sign) if sign.as_char() == '.');
                    if let TokenTree::Group(group) = other {
                        self.visit_tokens(group.stream());
                    }
                }
            }
        }
        self.push(&mut path, line);
    }

    fn push(&mut self, path: &mut Vec<String>, line: usize) {
        if !path.is_empty() {
            let path = std::mem::take(path);
            self.0.push(Use { path, line });
        }
    }
}
