//! Says which of the owner's instructions an answer of the built-in engine does not follow: it cannot read them.

use text2sql_domain::config::ModelConfig;
use text2sql_domain::instruction::{Instruction, InstructionScope};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::Table;
use text2sql_language::sentences::strip_markup;
use text2sql_phrases::{Language, say_in};
use text2sql_retrieval::Context;

/// Maximum length of the instruction in the note, in characters; the others are counted.
const MAX_CHARS: usize = 120;

/// Adds a note to an answer of the built-in engine to which an instruction applies. What a person verified needs none.
pub(crate) fn note(
    cx: &Run<'_>,
    language: Language,
    context: &Context,
    proposal: &mut SqlProposal,
) {
    if !matches!(cx.config.model, ModelConfig::Builtin) || proposal.verified_by.is_some() {
        return;
    }
    let read: Vec<&Table> = context
        .tables
        .iter()
        .map(AsRef::as_ref)
        .filter(|table| reads(&proposal.sql, table))
        .collect();
    let applies = |instruction: &&Instruction| match &instruction.scope {
        InstructionScope::Database => true,
        InstructionScope::Schema(schema) => read.iter().any(|table| table.schema == *schema),
        InstructionScope::Table(oid) => read.iter().any(|table| table.oid == *oid),
    };
    let mut applying = context.instructions.iter().filter(applies);
    let Some(first) = applying.next() else {
        return;
    };
    let text = strip_markup(&first.text);
    let mut shown: String = text.chars().take(MAX_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    let says = say_in!(
        language,
        "an instruction applies that the built-in engine does not follow"
    );
    let more = match applying.count() {
        0 => String::new(),
        more => say_in!(language, " (+{more} more)"),
    };
    proposal.notes.push(format!("{says}: \"{shown}\"{more}"));
}

/// Whether a statement of the built-in engine reads the table: it writes each with an alias.
fn reads(sql: &str, table: &Table) -> bool {
    sql.contains(&format!(" {} AS ", table.sql_name()))
}
