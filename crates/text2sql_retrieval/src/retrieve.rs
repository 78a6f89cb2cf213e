//! The way from a question to its context: the whole schema when it fits into the prompt, else what a
//! search finds; then the tables that views read, values, definitions and examples.

use std::collections::HashSet;
use std::sync::Arc;

use crate::asked_words::AskedWords;
use crate::certainty::{Certainty, Level};
use crate::column_choice;
use crate::context::Context;
use crate::found_table::{FoundTable, Reason};
use crate::index::document;
use crate::lexical::term_matches::Overlay;
use crate::other_tables;
use crate::prompt_size;
use crate::table_details::{describe_found, targets_not_among};
use crate::tables::families;
use crate::tables::model_rerank;
use crate::tables::search::{Found, MAX_TABLES_FOUND, Mentioned, Search};
use crate::values::{self, Phrases, Scene};
use crate::vectors::question_embedder::QuestionEmbedder;
use crate::{few_shot_examples, related_terms, view_base_tables};
use text2sql_domain::config::{Egress, ModelConfig};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::search_index::{Example, IndexState, ValueHit};
use text2sql_domain::ports::{Definitions, Embedder};
use text2sql_domain::schema::{Definition, SchemaNote, Table};
use text2sql_domain::shown::Shows;
use text2sql_language::names::name_reader::NameReader;
use text2sql_language::names::vocabulary::Vocabulary;
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;

/// Maximum number of tables of a schema that is described as a whole before anything is searched for: 30,000
/// characters hold about 80 tables of practice schemas, and 150 small ones.
const MAX_TABLES_WHOLE: usize = 200;

/// The same where the search was not certain or there is no index: 120,000 characters hold about 330 tables, and
/// 600 small ones. More would take seconds and tens of megabytes to describe.
const MAX_TABLES_LARGEST: usize = 600;

/// How many tables of a large schema are described with the planner's statistics at most.
const MOST_IN_FULL: usize = 200;

/// Maximum number of values that are read for one phrase of the question.
const VALUES_PER_PHRASE: usize = 8;

/// How many of the best tables are described with the planner's statistics, if no statistics are sent:
/// questions are about the first few.
const BEST_IN_FULL: usize = 8;

/// Number of characters of a table in a prompt, shown among other tables.
pub type TableChars = fn(&Arc<Table>, &[Arc<Table>], Shows) -> usize;

/// Retrieves what the question needs.
pub fn retrieve(
    cx: &Run<'_>,
    understanding: &Understanding,
    table_chars: TableChars,
) -> Result<Context, Error> {
    let mut context = gather(cx, understanding, table_chars, false)?;
    if reads_prompts(cx) {
        let is_shown = |note: &SchemaNote| {
            let mut tables = context.tables.iter();
            tables.any(|table| table.schema == note.name)
        };
        let notes = cx.catalog.schema_notes()?;
        context.schema_notes = notes.into_iter().filter(is_shown).collect();
    }
    Ok(context)
}

/// Retrieves as if the schema did not fit, to show what a question finds and why.
pub fn search_always(
    cx: &Run<'_>,
    understanding: &Understanding,
    table_chars: TableChars,
) -> Result<Context, Error> {
    gather(cx, understanding, table_chars, true)
}

fn gather(
    cx: &Run<'_>,
    understanding: &Understanding,
    table_chars: TableChars,
    always_searches: bool,
) -> Result<Context, Error> {
    let found = match cx.config.retrieval.definitions {
        true => cx
            .catalog
            .definitions(understanding.text(), reads_prompts(cx))?,
        false => Definitions::default(),
    };
    let state = cx.index.state()?;
    let chars = cx.config.schema_chars();
    let count = cx
        .catalog
        .count(other_tables::MOST.max(MAX_TABLES_LARGEST) + 1)?;
    let searches = cx.config.retrieval.search;
    let always_searches = always_searches && searches;
    let in_full = if always_searches {
        0
    } else {
        count_in_full(cx)
    };
    let whole = if !searches {
        Some(whole_schema(cx, &[], in_full.min(MOST_IN_FULL))?)
    } else if always_searches && state.is_some() || count > MAX_TABLES_WHOLE {
        None
    } else {
        Some(whole_schema(cx, &[], usize::MAX)?)
    };
    // Beyond MAX_TABLES_LARGEST, only some of the tables were described.
    let is_all = count <= MAX_TABLES_LARGEST;
    let language = state.as_ref().map(|state| state.language.as_str());
    let analyzer = language.map_or_else(Analyzer::default, Analyzer::new);
    let mut context = Context {
        definitions: found.used,
        asked: AskedWords {
            language: analyzer.language().to_owned(),
            terms: understanding.terms(&analyzer).to_vec(),
        },
        ..Context::default()
    };
    let fits_in = |context: &Context, tables: &[Arc<Table>], chars| {
        fits(cx, context, tables, table_chars, chars)
    };
    related_terms::add(&mut context.related, &context.definitions, found.similar);
    let Some(state) = state else {
        // Names alone settle too little to cut a schema that the model can read.
        let whole = match whole {
            None if reads_prompts(cx) && count <= MAX_TABLES_LARGEST => {
                let in_full = in_full.min(MOST_IN_FULL);
                let tables = whole_schema(cx, &[], in_full)?;
                Some(tables).filter(|tables| fits_in(&context, tables, chars.largest))
            }
            whole => whole,
        };
        context.is_whole = whole.is_some() && is_all;
        context.tables = match whole {
            Some(tables) if !searches => tables,
            Some(tables) if fits_in(&context, &tables, chars.largest) => tables,
            Some(tables) => by_names_first(cx, understanding, tables)?,
            None => found_by_names(cx, understanding, &context.definitions, in_full)?,
        };
        if cx.config.retrieval.examples {
            let hidden = &cx.config.hidden_examples;
            context.examples = few_shot_examples::with_unindexed(
                cx.index,
                &analyzer,
                understanding,
                Vec::new(),
                hidden,
            )?;
        }
        view_base_tables::order_after_base_tables(cx, &mut context, in_full)?;
        if reads_prompts(cx) {
            let best = cx
                .catalog
                .find(understanding.name_words(), other_tables::MOST)?;
            other_tables::add(cx, &mut context, &best, count)?;
            note_families(cx, understanding, &mut context);
        }
        return Ok(context);
    };
    let embedder = match cx.config.retrieval.vectors {
        true => cx.index.embedder(&state)?,
        false => None,
    };
    let lacks_vectors = embedder.is_none() && cx.config.retrieval.vectors;
    let embedder = embedder.map(|embedder| QuestionEmbedder::new(cx, embedder, state.dimensions));
    let indexed = Indexed {
        cx,
        understanding,
        state: &state,
        in_full,
        analyzer: &analyzer,
        embedder: embedder.as_ref().map(|embedder| embedder as &dyn Embedder),
    };
    if cx.config.retrieval.definitions && reads_prompts(cx) {
        let embedder = indexed.embedder;
        let found = related_terms::by_vectors(cx.index, &state, embedder, understanding)?;
        related_terms::add(&mut context.related, &context.definitions, found);
    }
    let phrases = Phrases::recent(understanding, &analyzer);
    let values = indexed.values(&phrases)?;
    let mut others = Vec::new();
    match whole {
        Some(tables) if !searches || fits_in(&context, &tables, chars.usual) => {
            context.is_whole = is_all;
            context.tables = tables;
        }
        _ => {
            others = indexed.search(&phrases, &values, &mut context)?;
            let level = context
                .certainty
                .as_ref()
                .map_or(Level::Uncertain, |one| one.level);
            let may_be_whole = !always_searches && reads_prompts(cx);
            if level == Level::Uncertain && may_be_whole && count <= MAX_TABLES_LARGEST {
                let in_full = in_full.min(MOST_IN_FULL);
                let tables = whole_schema(cx, &context.tables, in_full)?;
                if fits_in(&context, &tables, chars.largest) {
                    context.is_whole = true;
                    context.tables = tables;
                }
            }
        }
    }
    view_base_tables::order_after_base_tables(cx, &mut context, in_full)?;
    if reads_prompts(cx) {
        other_tables::add(cx, &mut context, &others, count)?;
        note_families(cx, understanding, &mut context);
    }
    context.values = indexed.chosen(&phrases, &values, &context);
    if reads_prompts(cx) && cx.config.retrieval.values {
        context.unfound = indexed.unfound(&phrases, &values, &context);
    }
    context.examples = indexed.examples()?;
    if lacks_vectors && (!context.is_whole || state.examples.items > 0) {
        let why = cx.index.why_no_vectors(&state);
        let note = why.map(|why| format!("the tables were found without vectors: {why}"));
        context.notes.extend(note);
    }
    let note = embedder.as_ref().and_then(QuestionEmbedder::take_note);
    context.notes.extend(note);
    Ok(context)
}

/// Says what is a family where a prompt shows all tables; a search has said it.
fn note_families(cx: &Run<'_>, understanding: &Understanding, context: &mut Context) {
    if context.is_whole && cx.config.retrieval.families {
        context.families = families::among(&context.tables, understanding);
    }
}

/// Whether the model reads a prompt. The built-in engine uses the words of the question only, and not what
/// they may mean besides.
fn reads_prompts(cx: &Run<'_>) -> bool {
    !matches!(cx.config.model, ModelConfig::Builtin)
}

/// All tables that the caller may read, by schema and name, so that a model that remembers the beginning of a
/// prompt can do so. `best` are those already described; of the others, `in_full` are described in full.
fn whole_schema(
    cx: &Run<'_>,
    best: &[Arc<Table>],
    in_full: usize,
) -> Result<Vec<Arc<Table>>, Error> {
    let oids = cx.catalog.find(&[], MAX_TABLES_LARGEST)?;
    let of = |oid: &u32| best.iter().find(|table| table.oid == *oid);
    let (known, unknown): (Vec<u32>, Vec<u32>) = oids.iter().partition(|oid| of(oid).is_some());
    let mut tables: Vec<Arc<Table>> = known.iter().filter_map(of).map(Arc::clone).collect();
    let in_full = in_full.saturating_sub(tables.len());
    tables.extend(describe_found(cx, &unknown, in_full)?);
    if !best.is_empty() {
        let place = |table: &Arc<Table>| oids.iter().position(|oid| *oid == table.oid);
        tables.sort_by_key(place);
    }
    Ok(tables)
}

/// Whether all tables fit into this many characters, with as many columns as a prompt shows. The built-in engine has no
/// prompt and uses all of them.
fn fits(
    cx: &Run<'_>,
    context: &Context,
    tables: &[Arc<Table>],
    table_chars: TableChars,
    chars: usize,
) -> bool {
    if !reads_prompts(cx) {
        return true;
    }
    let mut left = chars;
    tables.iter().all(|table| {
        let bounded = column_choice::at_most(table, cx.shows().columns, context);
        let chars = table_chars(&bounded.table, tables, cx.shows());
        let has_room = chars <= left;
        left = left.saturating_sub(chars);
        has_room
    })
}

/// All tables, starting with those that a search of names finds: the prompt shows as many as fit.
fn by_names_first(
    cx: &Run<'_>,
    understanding: &Understanding,
    tables: Vec<Arc<Table>>,
) -> Result<Vec<Arc<Table>>, Error> {
    let found = cx
        .catalog
        .find(understanding.name_words(), MAX_TABLES_FOUND)?;
    let place = |table: &Arc<Table>| found.iter().position(|oid| *oid == table.oid);
    let mut ordered = tables;
    ordered.sort_by_key(|table| place(table).unwrap_or(usize::MAX));
    Ok(ordered)
}

/// The tables that a search of names finds, those that they refer to, and those of the definitions.
fn found_by_names(
    cx: &Run<'_>,
    understanding: &Understanding,
    definitions: &[Definition],
    in_full: usize,
) -> Result<Vec<Arc<Table>>, Error> {
    let mut found = cx
        .catalog
        .find(understanding.name_words(), MAX_TABLES_FOUND)?;
    for table in definitions.iter().flat_map(Definition::tables) {
        if !found.contains(&table) {
            found.insert(0, table);
        }
    }
    let mut tables = describe_found(cx, &found, in_full)?;
    let missing = targets_not_among(&tables, &tables);
    tables.extend(describe_found(
        cx,
        &missing,
        in_full - found.len().min(in_full),
    )?);
    Ok(tables)
}

/// How many of the found tables are described in full: all, if their values may be sent.
fn count_in_full(cx: &Run<'_>) -> usize {
    match &cx.config.model {
        ModelConfig::Endpoint(_) if cx.egress() < Egress::Values => BEST_IN_FULL,
        ModelConfig::Endpoint(_) | ModelConfig::Builtin | ModelConfig::Replay(_) => usize::MAX,
    }
}

/// How many of the best tables add the tables that they refer to: labels to show are often there. These
/// come last and are cut first.
const MAX_REFERRING: usize = 5;

/// Retrieval with an index.
struct Indexed<'a> {
    cx: &'a Run<'a>,
    understanding: &'a Understanding,
    state: &'a IndexState,
    in_full: usize,
    analyzer: &'a Analyzer,
    embedder: Option<&'a dyn Embedder>,
}

impl Indexed<'_> {
    /// The values that phrases of the question may refer to.
    fn values(&self, phrases: &Phrases) -> Result<Vec<ValueHit>, Error> {
        match self.cx.config.retrieval.values {
            true => self.cx.index.values(&phrases.wanted, VALUES_PER_PHRASE),
            false => Ok(Vec::new()),
        }
    }

    /// Those that it means, in the tables that were retrieved, each with the phrase.
    fn chosen(
        &self,
        phrases: &Phrases,
        hits: &[ValueHit],
        context: &Context,
    ) -> Vec<(String, ValueHit)> {
        if hits.is_empty() {
            return Vec::new();
        }
        let (tables, found) = (&context.tables, &context.found);
        let scene = Scene::new(self.understanding, tables, found, self.analyzer);
        let chosen = values::choose(phrases, hits, &scene).into_iter();
        let said = chosen.filter_map(|hit| Some((phrases.of_hit(&hit)?.text.clone(), hit)));
        said.collect()
    }

    /// The names and codes of the question that no value is near. Words of the names of tables and columns are none.
    fn unfound(&self, phrases: &Phrases, hits: &[ValueHit], context: &Context) -> Vec<String> {
        let names: HashSet<String> = context
            .tables
            .iter()
            .flat_map(|table| {
                let columns = table.columns.iter().map(|column| &column.name);
                columns.chain([&table.name]).chain(&table.synonyms)
            })
            .flat_map(|name| self.analyzer.terms_of_name(name).to_vec())
            .collect();
        values::unfound(phrases, hits, self.analyzer, |term| names.contains(term))
    }

    /// The tables of the question. Returns further ones that were ranked, best first.
    fn search(
        &self,
        phrases: &Phrases,
        values: &[ValueHit],
        context: &mut Context,
    ) -> Result<Vec<u32>, Error> {
        let live = self.cx.catalog.outline(&self.state.stale)?;
        // Names of changed tables are read by the usual words and by those of these tables: those of the whole
        // catalog would have to be read for it. The next refresh reads them by all.
        let mut vocabulary = Vocabulary::default();
        for table in &live {
            document::add_words(table, self.analyzer, &mut vocabulary);
        }
        let reader = NameReader::new(&vocabulary, self.analyzer);
        let live = live.iter().map(|table| {
            let document = document::of_table(table, self.analyzer, &reader);
            (table.oid, document)
        });
        let overlay = Overlay::new(live.collect(), self.state.stale.clone());
        let search = Search {
            index: self.cx.index,
            state: self.state,
            embedder: self.embedder,
            overlay: &overlay,
            analyzer: self.analyzer,
            config: &self.cx.config.retrieval,
        };
        let meant = values.iter().filter(|hit| hit.similarity >= 1.0);
        let texts = meant.filter_map(|hit| phrases.of_hit(hit));
        let phrases: Vec<String> = texts.map(|phrase| phrase.text.clone()).collect();
        let mentioned = Mentioned {
            hits: values,
            phrases: &phrases,
        };
        let limit = |certainty: &Certainty| match reads_prompts(self.cx) {
            true => prompt_size::tables(certainty, self.cx.config.schema_chars()),
            false => MAX_TABLES_FOUND,
        };
        let Found {
            mut tables,
            families,
            joins,
            certainty,
            others,
        } = search.find_by_certainty(self.understanding, mentioned, &limit)?;
        for definition in context.definitions.iter().chain(&context.related) {
            mark_defined(&mut tables, definition);
        }
        let oids: Vec<u32> = tables.iter().map(|entry| entry.table).collect();
        context.tables = describe_found(self.cx, &oids, self.in_full)?;
        let note = model_rerank::rerank(
            self.cx,
            self.understanding,
            &mut context.tables,
            &mut tables,
        )?;
        context.notes.extend(note);
        let best = context
            .tables
            .get(..MAX_REFERRING)
            .unwrap_or(&context.tables);
        let missing = targets_not_among(best, &context.tables);
        let left = self.in_full - oids.len().min(self.in_full);
        context
            .tables
            .extend(describe_found(self.cx, &missing, left)?);
        context.found = tables;
        context.joins = joins;
        context.families = families;
        context.certainty = Some(certainty);
        Ok(others)
    }

    /// Verified examples.
    fn examples(&self) -> Result<Vec<Example>, Error> {
        if !self.cx.config.retrieval.examples {
            return Ok(Vec::new());
        }
        let Self {
            cx,
            analyzer,
            understanding,
            ..
        } = self;
        let totals = &self.state.examples;
        let hidden = &cx.config.hidden_examples;
        let indexed = few_shot_examples::select(
            cx.index,
            totals,
            self.embedder,
            analyzer,
            understanding,
            hidden,
        )?;
        few_shot_examples::with_unindexed(cx.index, analyzer, understanding, indexed, hidden)
    }
}

/// Adds the tables that a definition reads, before tables that were only matched by words.
fn mark_defined(tables: &mut Vec<FoundTable>, definition: &Definition) {
    for oid in definition.tables() {
        mark_table(tables, definition, oid);
    }
}

fn mark_table(tables: &mut Vec<FoundTable>, definition: &Definition, oid: u32) {
    let reason = Reason::Defined(definition.term.clone());
    match tables.iter_mut().find(|entry| entry.table == oid) {
        Some(entry) => entry.reasons.push(reason),
        None => {
            let is_weak = |entry: &FoundTable| entry.reasons == [Reason::Matched];
            let place = tables.iter().position(is_weak).unwrap_or(tables.len());
            let entry = FoundTable {
                table: oid,
                score: 0.0,
                ranks: Vec::new(),
                reasons: vec![reason],
                columns: Vec::new(),
            };
            tables.insert(place, entry);
        }
    }
}
