//! Reads the modules of a package: their files, the names in them and what each name stands for.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, UseTree};

use crate::uses::{self, Use};

/// The number of a module in [`Modules`].
pub type Id = usize;

/// What a name in a module stands for.
pub enum Meaning {
    Module(Id),
    /// Something that the module defines itself.
    Item,
    /// Another name, by its path from the module.
    Alias(Vec<String>),
}

pub struct Module {
    /// `crate::pg::guard`
    pub path: String,
    pub parent: Option<Id>,
    pub file: PathBuf,
    pub names: BTreeMap<String, Meaning>,
    /// Paths of `use path::*`.
    pub globs: Vec<Vec<String>>,
    pub uses: Vec<Use>,
}

/// All modules of one library or program; the first is its root.
pub struct Modules(pub Vec<Module>);

impl Modules {
    /// # Panics
    /// When a file cannot be read or is no Rust.
    pub fn read(root: &Path) -> Self {
        let mut modules = Self(Vec::new());
        let folder = root.parent().expect("a file is in a folder");
        modules.add_file(None, "crate", root, folder);
        modules
    }

    /// `folder` is where the files of child modules are.
    fn add_file(&mut self, parent: Option<Id>, name: &str, file: &Path, folder: &Path) -> Id {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        self.add(parent, name, file, folder, &parsed.items)
    }

    fn add(
        &mut self,
        parent: Option<Id>,
        name: &str,
        file: &Path,
        folder: &Path,
        items: &[Item],
    ) -> Id {
        let id = self.0.len();
        let path = match parent {
            Some(parent) => format!("{}::{name}", self.0[parent].path),
            None => name.to_owned(),
        };
        self.0.push(Module {
            path,
            parent,
            file: file.to_owned(),
            names: BTreeMap::new(),
            globs: Vec::new(),
            uses: Vec::new(),
        });
        for item in items {
            self.add_item(id, file, folder, item);
        }
        self.0[id].uses = uses::of_items(items);
        id
    }

    fn add_item(&mut self, id: Id, file: &Path, folder: &Path, item: &Item) {
        if is_of_tests(attributes(item)) {
            return;
        }
        match item {
            Item::Mod(module) => {
                let name = module.ident.to_string();
                let below = folder.join(&name);
                let child = match &module.content {
                    Some((_, items)) => self.add(Some(id), &name, file, &below, items),
                    None => {
                        let flat = folder.join(format!("{name}.rs"));
                        let (flat, nested) = (flat, below.join("mod.rs"));
                        let file = if flat.exists() { flat } else { nested };
                        self.add_file(Some(id), &name, &file, &below)
                    }
                };
                self.0[id].names.insert(name, Meaning::Module(child));
            }
            Item::Use(item) => self.add_use(id, &mut Vec::new(), &item.tree),
            item => {
                let name = match item {
                    Item::Const(item) => &item.ident,
                    Item::Enum(item) => &item.ident,
                    Item::Fn(item) => &item.sig.ident,
                    Item::Static(item) => &item.ident,
                    Item::Struct(item) => &item.ident,
                    Item::Trait(item) => &item.ident,
                    Item::Type(item) => &item.ident,
                    Item::Union(item) => &item.ident,
                    Item::Macro(syn::ItemMacro {
                        ident: Some(name), ..
                    }) => name,
                    _ => return,
                };
                let names = &mut self.0[id].names;
                names.entry(name.to_string()).or_insert(Meaning::Item);
            }
        }
    }

    fn add_use(&mut self, id: Id, path: &mut Vec<String>, tree: &UseTree) {
        for (name, path) in uses::leaves(path, tree) {
            match name {
                Some(name) => {
                    // A type and its module may share a name: the first to come is kept.
                    let names = &mut self.0[id].names;
                    names.entry(name).or_insert(Meaning::Alias(path));
                }
                None => self.0[id].globs.push(path),
            }
        }
    }

    /// The module whose text defines what a path from a module stands for; nothing for what another
    /// package or a local variable defines.
    pub fn definition(&self, from: Id, path: &[String]) -> Option<Id> {
        self.resolve(from, path, 0).map(|place| match place {
            Place::Module(id) | Place::Inside(id) => id,
        })
    }

    /// The module that a path names; nothing when it names something in a module.
    pub fn module_named(&self, from: Id, path: &[String]) -> Option<Id> {
        match self.resolve(from, path, 0)? {
            Place::Module(id) => Some(id),
            Place::Inside(_) => None,
        }
    }

    fn resolve(&self, from: Id, path: &[String], depth: usize) -> Option<Place> {
        // Aliases in a circle are an error of the compiler's already.
        if depth > 32 {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => Place::Module(0),
            "self" => Place::Module(from),
            "super" => Place::Module(self.0[from].parent?),
            name => self.lookup(from, name, depth)?,
        };
        let mut place = start;
        for name in rest {
            place = match place {
                Place::Inside(id) => return Some(Place::Inside(id)),
                Place::Module(id) if name == "super" => Place::Module(self.0[id].parent?),
                Place::Module(id) if name == "self" => Place::Module(id),
                Place::Module(id) => match self.lookup(id, name, depth) {
                    Some(place) => place,
                    // What a re-export of another package or a derive macro brought.
                    None => return Some(Place::Inside(id)),
                },
            };
        }
        Some(place)
    }

    fn lookup(&self, id: Id, name: &str, depth: usize) -> Option<Place> {
        match self.0[id].names.get(name) {
            Some(Meaning::Module(child)) => Some(Place::Module(*child)),
            Some(Meaning::Item) => Some(Place::Inside(id)),
            // `use name;` or `use name::…` names another package unless a module is called so.
            Some(Meaning::Alias(path)) if path.first().is_some_and(|first| first == name) => None,
            Some(Meaning::Alias(path)) => self.resolve(id, path, depth + 1),
            None => self.0[id].globs.iter().find_map(|glob| {
                match self.resolve(id, glob, depth + 1)? {
                    Place::Module(place) if place != id => self.lookup(place, name, depth + 1),
                    _ => None,
                }
            }),
        }
    }
}

enum Place {
    Module(Id),
    /// Something that the text of this module defines.
    Inside(Id),
}

/// Whether something is compiled for tests only.
pub fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                let condition = list.tokens.to_string();
                let first = condition
                    .split(['(', ','])
                    .next()
                    .unwrap_or_default()
                    .trim();
                // `pg_test` is the feature of the tests that run inside a server.
                ["test", "feature = \"pg_test\""].contains(&condition.trim())
                    || (first == "any" && condition.contains("test"))
            })
    })
}

pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
