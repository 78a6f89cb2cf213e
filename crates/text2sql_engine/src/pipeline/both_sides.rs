//! One question to both sides: the tables, and the texts beside them.
//!
//! A question that only tables can answer goes the way of every question and meets nothing of this file but the
//! decision, which reads words. Where there is no text that the caller may read, every question goes that way.

use serde_json::json;

use super::answer::answer_approved;
use super::asked::{Asked, Failed};
use super::in_order::failed_answer;
use super::prepare::find;
use super::several;
use crate::conversation::Turn;
use crate::stages::rights::query_of_rights;
use crate::texts::cited_sentences::{self, Cited, Narrator, Permission, Shown};
use crate::texts::{messages, search, small_table};
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::citations::Citation;
use text2sql_domain::engines::Engines;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::passages::{FoundPassages, Origin, Passage};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Question;
use text2sql_language::question_kind::{Decision, Kind, is_judgement};
use text2sql_language::recent_questions::with_side;
use text2sql_models::prompt::Prompt;
use text2sql_phrases::Language;
use text2sql_sql::row_keys;

/// A question of no more words continues the one before it: "and why?".
const MAX_WORDS_OF_CONTINUATION: usize = 4;

/// Maximum number of texts whose rows narrow a query.
const MAX_MENTIONING: usize = 100;

/// The tables that may be small enough to be read, of those that were found.
const MAX_TABLES_TRIED: usize = 2;

/// Answers a question with rows, with passages of texts, or with both. `failed` is the answer where an endpoint failed,
/// while other parts of the question keep theirs.
pub(super) fn answer(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    failed: &Failed<'_>,
) -> Result<Answer, Error> {
    let decided = decided(cx, &asked.question).filter(|_| cx.config.meaning.is_none());
    let Some((decision, language)) = decided else {
        return several::answer(cx, asked);
    };
    // No text knows the rights of this moment.
    if query_of_rights(cx, asked.question.as_str())?.is_some() {
        return several::answer(cx, asked);
    }
    let texts = Texts {
        cx,
        engines: asked.engines,
        text: continued(&asked.question, asked.turns),
        language,
    };
    let tables = || several::answer(cx, asked);
    // Whether there are texts is asked where the tables leave something open.
    let is_judgement = is_judgement(asked.question.as_str());
    if decision.kind == Kind::Quantitative && !is_judgement {
        let answer = tables()?;
        return match answer.status == Status::Unanswerable && cx.texts.has_texts()? {
            true => {
                choose_side(cx, &decision);
                texts.texts_about_it_or(answer)
            }
            false => Ok(answer),
        };
    }
    if !cx.texts.has_texts()? {
        return match is_judgement {
            true => texts.small_table_or(&asked.question, tables),
            false => tables(),
        };
    }
    choose_side(cx, &decision);
    match (decision.kind, &decision.tables) {
        (Kind::Quantitative, _) => {
            let answer = tables()?;
            match answer.status {
                Status::Unanswerable => texts.texts_about_it_or(answer),
                _ => Ok(answer),
            }
        }
        (Kind::Hybrid, Some(of_tables)) => {
            let of_tables = Question::new(of_tables)?;
            let rows = match several::answer(cx, &asked.about(of_tables.clone())) {
                Err(error) if is_of_one_side(&error) => failed_answer(cx, &error, failed),
                rows => rows?,
            };
            texts.both(&of_tables, rows, decision.mentioned.as_deref())
        }
        (Kind::Qualitative | Kind::Hybrid, _) => {
            let found = search::search(cx, &texts.text, None)?;
            if !found.passages.is_empty() {
                return texts.with_passages(
                    Answer::without_rows(Status::Ok, String::new()),
                    found,
                    Permission::Passages,
                );
            }
            let mut answer = match is_judgement {
                true => texts.small_table_or(&asked.question, tables)?,
                false => tables()?,
            };
            // What a follow-up question asks for is not known here.
            if answer.status == Status::Unanswerable && asked.turns.is_empty() {
                answer.sentence = Some(messages::none_found(language));
            }
            answer.warnings.extend(found.warnings);
            Ok(answer)
        }
    }
}

/// Records which side answers, where there are texts.
fn choose_side(cx: &Run<'_>, decision: &Decision) {
    let stage = cx.stage("choose_side");
    stage.end(
        json!({}),
        json!({"side": decision.kind.as_str(), "reason": decision.reason}),
    );
}

/// Adds what texts say to the rows of a query that a person has approved.
pub fn with_texts(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    rows: Answer,
) -> Result<Answer, Error> {
    let is_hybrid = |decided: &(Decision, Language)| decided.0.kind == Kind::Hybrid;
    let Some((_, language)) = decided(cx, question).filter(is_hybrid) else {
        return Ok(rows);
    };
    if rows.status != Status::Ok || !cx.texts.has_texts()? {
        return Ok(rows);
    }
    let text = question.as_str().to_owned();
    let texts = Texts {
        cx,
        engines,
        text,
        language,
    };
    texts.beside(rows)
}

/// The prompt about texts that [`answer`] would send besides; `None` if it would send none. The rows of the answer
/// are not known before the query has run, so the passages are those that a search among all texts finds.
pub fn preview_texts(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
) -> Result<Option<Prompt>, Error> {
    let goes_there = |decided: &(Decision, Language)| decided.0.kind != Kind::Quantitative;
    let Some((_, language)) = decided(cx, question).filter(goes_there) else {
        return Ok(None);
    };
    let Narrator::Endpoint(endpoint) = cited_sentences::narrator(engines, Permission::Passages)?
    else {
        return Ok(None);
    };
    if !cx.texts.has_texts()? {
        return Ok(None);
    }
    let text = continued(question, turns);
    let found = search::search(cx, &text, None)?;
    let shown = Shown {
        question: &text,
        language,
        passages: &found.passages,
        execution: None,
        permission: Permission::Passages,
    };
    Ok(cited_sentences::prompt(cx, &endpoint, &shown).map(|(prompt, _)| prompt))
}

/// The decision, unless the question is one to the tables in any case.
fn decided(cx: &Run<'_>, question: &Question) -> Option<(Decision, Language)> {
    if !cx.config.texts.is_enabled || cx.config.given_schema.is_some() {
        return None;
    }
    let (understanding, decision) = with_side(question.as_str(), &cx.session.today());
    let language = understanding.language();
    decision.may_be_texts.then_some((decision, language))
}

/// The question, after the one that it continues.
fn continued(question: &Question, turns: &[Turn]) -> String {
    let words = question.as_str().split_whitespace().count();
    match turns.last() {
        Some(turn) if words <= MAX_WORDS_OF_CONTINUATION => {
            let before = turn.standalone.as_ref().unwrap_or(&turn.question);
            format!("{before} {}", question.as_str())
        }
        _ => question.as_str().to_owned(),
    }
}

/// A question whose answer may have passages.
struct Texts<'a> {
    cx: &'a Run<'a>,
    engines: &'a dyn Engines,
    /// What is searched for.
    text: String,
    language: Language,
}

impl Texts<'_> {
    /// The answer to a question for tables from texts that are about it; else `declined`.
    fn texts_about_it_or(&self, declined: Answer) -> Result<Answer, Error> {
        let mut found = search::search(self.cx, &self.text, None)?;
        search::only_about(&mut found, &self.text, self.language);
        self.passages_or(found, declined)
    }

    /// The answer from texts, if there are any about it; else `declined`.
    fn texts_or(&self, declined: Answer) -> Result<Answer, Error> {
        let found = search::search(self.cx, &self.text, None)?;
        self.passages_or(found, declined)
    }

    /// What is to be known about the tables stays, whichever side answers.
    fn passages_or(&self, found: FoundPassages, mut declined: Answer) -> Result<Answer, Error> {
        if found.passages.is_empty() {
            declined.warnings.extend(found.warnings);
            declined.trace = self.cx.trace.borrow().clone();
            return Ok(declined);
        }
        let answer = Answer {
            warnings: declined.warnings,
            withheld: declined.withheld,
            ..Answer::without_rows(Status::Ok, String::new())
        };
        self.with_passages(answer, found, Permission::Passages)
    }

    /// Both sides: the rows, over those rows only whose texts mention something if that is asked, and the texts.
    fn both(
        &self,
        of_tables: &Question,
        rows: Answer,
        mentioned: Option<&str>,
    ) -> Result<Answer, Error> {
        let rows = match mentioned {
            Some(mentioned) => self.over_mentioning(of_tables, rows, mentioned)?,
            None => rows,
        };
        // The whole question is one to the tables: of the texts only those count that are about it. Where it is asked back,
        // they may be read meanwhile.
        let is_whole = of_tables.as_str() == self.text;
        match rows.status {
            Status::Ok | Status::Ambiguous if is_whole => {
                let mut found = search::search(self.cx, &self.text, None)?;
                search::only_about(&mut found, &self.text, self.language);
                match found.passages.is_empty() {
                    true => Ok(rows),
                    false => self.with_passages(rows, found, Permission::Passages),
                }
            }
            Status::Unanswerable if is_whole => self.texts_about_it_or(rows),
            Status::Ok => self.beside(rows),
            // A person decides first.
            Status::Waiting => Ok(rows),
            _ => {
                let note = messages::without_rows(&rows, self.language);
                let hint = rows.hint.clone().filter(|_| rows.status == Status::Failed);
                let mut answer = self.texts_or(rows)?;
                if !answer.citations.is_empty() {
                    answer.warnings.insert(0, note);
                    answer.hint = hint;
                }
                Ok(answer)
            }
        }
    }

    /// The rows, and what texts say of the rows behind them.
    fn beside(&self, mut rows: Answer) -> Result<Answer, Error> {
        let mut found = search::search(self.cx, &self.text, Some(rows.main()))?;
        // A model reads which of them answer; where none does, those that share a word would stand below the figure.
        let narrator = cited_sentences::narrator(self.engines, Permission::Passages)?;
        if !self.cx.config.enable_narration || !matches!(narrator, Narrator::Endpoint(_)) {
            search::only_touching(&mut found, &self.text, self.language);
        }
        if found.passages.is_empty() {
            rows.sentence = Some(joined(
                rows.sentence.take(),
                &messages::none_found(self.language),
            ));
            rows.warnings.extend(found.warnings);
            rows.trace = self.cx.trace.borrow().clone();
            return Ok(rows);
        }
        self.with_passages(rows, found, Permission::Passages)
    }

    /// The answer over only those rows whose texts mention something; `rows` itself where these cannot be found.
    fn over_mentioning(
        &self,
        of_tables: &Question,
        rows: Answer,
        mentioned: &str,
    ) -> Result<Answer, Error> {
        let cx = self.cx;
        if rows.status != Status::Ok {
            return Ok(rows);
        }
        let sql = rows.sql.clone();
        let Some(sql) = sql.filter(|_| !cx.config.approval.applies()) else {
            return Ok(self.not_narrowed(rows, mentioned, None));
        };
        let mut reason = None;
        for source in cx.texts.text_sources()? {
            let tables = cx.catalog.describe(&[source.table])?;
            let Some(table) = tables.first() else {
                continue;
            };
            let found = search::mentioning(cx, &source, mentioned, MAX_MENTIONING)?;
            let keys = keys_of(&found);
            if keys.is_empty() {
                reason.get_or_insert_with(|| messages::no_text_found(self.language));
            }
            let Some(narrowed) = row_keys::narrowed(&sql, table, &source.key, &keys) else {
                continue;
            };
            let note = messages::narrowed_by_texts(keys.len(), mentioned, self.language);
            let proposal = SqlProposal {
                sql: narrowed,
                notes: vec![note],
                ..SqlProposal::default()
            };
            let answer = answer_approved(cx, of_tables, proposal)?;
            if answer.status == Status::Ok {
                return Ok(answer);
            }
            reason = answer.sentence.or(reason);
        }
        Ok(self.not_narrowed(rows, mentioned, reason.as_deref()))
    }

    /// The rows as they are, with the note that texts did not narrow them.
    fn not_narrowed(&self, mut rows: Answer, mentioned: &str, reason: Option<&str>) -> Answer {
        let note = messages::not_narrowed(mentioned, reason, self.language);
        rows.warnings.insert(0, note);
        rows
    }

    /// The answer with what a model says from the passages, or with the passages themselves.
    fn with_passages(
        &self,
        mut answer: Answer,
        found: FoundPassages,
        permission: Permission,
    ) -> Result<Answer, Error> {
        let mut notes = Vec::new();
        let said = self.said(&answer, &found.passages, permission, &mut notes)?;
        let (sentence, citations) = match said {
            Some(Cited { text, citations }) => (text, citations),
            None => (
                messages::passages_only(found.passages.len(), self.language),
                Citation::numbered(found.passages),
            ),
        };
        answer.sentence = Some(joined(answer.sentence.take(), &sentence));
        answer.citations = citations;
        notes.extend(found.warnings);
        for note in notes {
            // The tables may have missed the same model.
            if !answer.warnings.contains(&note) {
                answer.warnings.push(note);
            }
        }
        answer.trace = self.cx.trace.borrow().clone();
        Ok(answer)
    }

    /// What a model says from the passages; where it should have and did not, `notes` gets the reason.
    fn said(
        &self,
        answer: &Answer,
        passages: &[Passage],
        permission: Permission,
        notes: &mut Vec<String>,
    ) -> Result<Option<Cited>, Error> {
        if !self.cx.config.enable_narration {
            return Ok(None);
        }
        let endpoint = match cited_sentences::narrator(self.engines, permission)? {
            Narrator::Endpoint(endpoint) => endpoint,
            Narrator::None => return Ok(None),
            Narrator::Unusable(why) => {
                notes.push(why);
                return Ok(None);
            }
        };
        let shown = Shown {
            question: &self.text,
            language: self.language,
            passages,
            execution: answer.main().execution.as_ref(),
            permission,
        };
        cited_sentences::ask(self.cx, &endpoint, &shown, notes)
    }

    /// The answer that a model gives from all rows of a small table; that of the tables where there is none.
    fn small_table_or(
        &self,
        question: &Question,
        tables: impl FnOnce() -> Result<Answer, Error>,
    ) -> Result<Answer, Error> {
        let cx = self.cx;
        let may_ask = cx.config.enable_narration && !cx.config.approval.applies();
        let has_narrator = may_ask
            && matches!(
                cited_sentences::narrator(self.engines, Permission::Rows)?,
                Narrator::Endpoint(_)
            );
        if !has_narrator {
            return tables();
        }
        let mut notes = Vec::new();
        let mut tables_found = find(cx, question, &[])?.tables;
        let asked = question.as_str().to_lowercase();
        // Those that the question names come first.
        tables_found.sort_by_key(|table| !asked.contains(table.name.trim_end_matches('s')));
        for table in tables_found.iter().take(MAX_TABLES_TRIED) {
            let Some(passages) = small_table::read(cx, table)? else {
                continue;
            };
            let rows = passages.len();
            let answer = Answer::without_rows(Status::Ok, String::new());
            let Some(Cited { text, citations }) =
                self.said(&answer, &passages, Permission::Rows, &mut notes)?
            else {
                // An endpoint that failed is not asked about another table.
                match notes.is_empty() {
                    true => continue,
                    false => break,
                }
            };
            let note = messages::read_directly(&table.sql_name(), rows, self.language);
            return Ok(Answer {
                citations,
                warnings: vec![note],
                trace: cx.trace.borrow().clone(),
                ..Answer::without_rows(Status::Ok, text)
            });
        }
        let mut answer = tables()?;
        answer.warnings.extend(notes);
        Ok(answer)
    }
}

/// Whether only the tables could not be asked, so that texts may still answer.
fn is_of_one_side(error: &Error) -> bool {
    error.is_of_endpoint() || error.kind() == ErrorKind::Replica
}

/// The keys of the rows whose texts these are, each once.
fn keys_of(passages: &[Passage]) -> Vec<Vec<String>> {
    let mut keys: Vec<Vec<String>> = Vec::new();
    for passage in passages {
        if let Origin::Row { key, .. } = &passage.origin {
            let key: Vec<String> = key.iter().map(|(_, value)| value.clone()).collect();
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys
}

fn joined(before: Option<String>, after: &str) -> String {
    match before.filter(|before| !before.is_empty()) {
        Some(before) => format!("{before} {after}"),
        None => after.to_owned(),
    }
}
