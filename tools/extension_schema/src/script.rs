//! From the bytes of a library to the SQL script.

use object::read::elf::ElfFile64;
use object::{Object, ObjectSection};
use pgrx_sql_entity_graph::{ControlFile, PgrxSql, SqlGraphEntity, section};

/// The SQL objects that a library describes.
pub fn entities(library: &[u8]) -> Result<Vec<SqlGraphEntity<'_>>, String> {
    let file: ElfFile64 = ElfFile64::parse(library)
        .map_err(|error| format!("not a shared library for this machine ({error})"))?;
    let section = file
        .sections()
        .find(|part| part.name().is_ok_and(section::is_schema_section_name))
        .ok_or("no SQL objects of pgrx are in this library; the linker's option --no-gc-sections keeps them (build.rs)")?;
    let bytes = section.data().map_err(|error| error.to_string())?;
    let entities = section::decode_entities(bytes)
        .map_err(|error| format!("made by another version of pgrx ({error})"))?;
    if entities.is_empty() {
        return Err("it describes no SQL objects".to_owned());
    }
    Ok(entities)
}

/// What the extension is made of, and what tests it from inside a server.
pub struct Parts<'l> {
    /// The objects of the extension.
    pub extension: Vec<SqlGraphEntity<'l>>,
    /// The schema `tests` and its functions.
    pub tests: Vec<SqlGraphEntity<'l>>,
}

impl<'l> Parts<'l> {
    /// Divides the objects by their schemas: those of a module that `#[pg_schema]` marks are in the schema of its name.
    pub fn of(entities: Vec<SqlGraphEntity<'l>>) -> Self {
        let modules: Vec<&str> = entities
            .iter()
            .filter_map(|entity| match entity {
                SqlGraphEntity::Schema(schema) if schema.name == "tests" => {
                    Some(schema.module_path)
                }
                _ => None,
            })
            .collect();
        let (tests, extension) = entities.into_iter().partition(|entity| match entity {
            SqlGraphEntity::Schema(schema) => modules.contains(&schema.module_path),
            SqlGraphEntity::Function(function) => modules.contains(&function.module_path),
            _ => false,
        });
        Self { extension, tests }
    }
}

/// The script that creates the objects.
pub fn sql(entities: Vec<SqlGraphEntity<'_>>, control: &str, name: &str) -> Result<String, String> {
    let control =
        ControlFile::from_str(control).map_err(|error| format!("{name}.control: {error}"))?;
    let versioned_library = control.module_pathname.is_none();
    let root = SqlGraphEntity::ExtensionRoot(control);
    let graph = PgrxSql::build(
        std::iter::once(root).chain(entities),
        name.to_owned(),
        versioned_library,
    );
    graph
        .and_then(|mut graph| {
            order(&mut graph);
            graph.to_sql()
        })
        .map_err(|error| format!("{name}: {error:#}"))
}

/// Makes the order of objects that do not depend on each other the same in every run. pgrx numbers the objects
/// by their sorted order but adds dependencies in the order of hash maps, and the script follows both.
fn order(script: &mut PgrxSql<'_>) {
    let graph = &mut script.graph;
    let mut dependencies: Vec<_> = graph
        .edge_indices()
        .filter_map(|edge| {
            let (from, to) = graph.edge_endpoints(edge)?;
            Some((from, to, *graph.edge_weight(edge)?))
        })
        .collect();
    dependencies.sort_unstable();
    graph.clear_edges();
    for (from, to, kind) in dependencies {
        graph.add_edge(from, to, kind);
    }
}
