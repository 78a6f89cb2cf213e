//! One conversation with the model about a question. Each reply is tried, judged and, up to a limit, sent
//! back for repair. The best attempt is used, not the last.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Value, json};

use super::asked::Asked;
use super::prepare::Prepared;
use crate::answer_texts::{refuse, states_a_value};
use crate::conversation::needs_earlier;
use crate::empty_result::EmptyResult;
use crate::gate::{EmptyReason, Failure, Judged, failure_warnings};
use crate::missing_names;
use crate::multi_step_progress::Steps;
use crate::plan_in_words;
use crate::query_generation::{Conversation, Generated, generate};
use crate::query_judge::{
    self, Sight, existence, judge_error, judge_rejection, judge_result, warnings, who_says,
};
use crate::repair::{BUDGET_DIVISOR, Objection, object_to_failure, object_to_result};
use crate::scoring;
use crate::scoring::relevance::judge_relevance;
use crate::scoring::{Ending, Facts};
use crate::statement::{Statement, Tried};
use text2sql_analysis::findings::{self, Basis, Check, Finding, Suspicions};
use text2sql_analysis::mend::without_outer_outputs;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{ModelConfig, Profile};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::progress::FirstRows;
use text2sql_domain::proposal::{Proposal, SqlProposal};
use text2sql_domain::schema::Table;
use text2sql_domain::score::Score;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::strategy::Strategy;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{
    render_schema, render_second_look, shown_tables, table_chars, whole_tables,
};
use text2sql_models::reply;
use text2sql_phrases::Language;
use text2sql_retrieval::second_look::{Lacking, Seen, find_lacking};
use text2sql_retrieval::{Context, describe_named_in};

/// The outcome of a reply.
pub(super) enum Step {
    Passed(Box<SqlProposal>, Tried),
    Declined(Proposal),
    Ended(Box<Answer>),
    /// The questions that the question consists of.
    Several(Vec<String>),
    /// The next turn, with a problem or a request for the next step, has been added to the conversation.
    Again,
}

/// The outcome of a statement.
enum StatementOutcome {
    /// A step is finished, with notes for the user, and more steps follow.
    StepDone(Tried, Vec<String>),
    /// The reply is fully handled.
    Ended(Box<Step>),
}

impl StatementOutcome {
    fn ended(step: Step) -> Self {
        Self::Ended(Box::new(step))
    }
}

/// A conversation with the model, the statements tried so far, and the remaining repairs.
pub(super) struct Dialogue {
    pub(super) understanding: Rc<Understanding>,
    pub(super) context: Rc<Context>,
    pub(super) conversation: Conversation,
    tried: Vec<String>,
    /// What was said against queries that ran: nothing is said twice.
    said: Vec<String>,
    repairs_left: u32,
    pub(super) steps: Steps,
    /// The retrieved tables, and those added by a repair or a second look.
    pub(super) tables: Vec<Arc<Table>>,
    /// Whether what the model lacked was looked up: once is enough.
    has_looked: bool,
    /// Whether the model was told that something exists which it called missing.
    has_disproved: bool,
    best: Option<BestAttempt>,
    /// The finding about the last failed attempt.
    refused: Option<query_judge::Finding>,
}

/// The best attempt that ran so far.
struct BestAttempt {
    proposal: SqlProposal,
    result: Tried,
    /// Number of certain findings about it.
    certain: usize,
    score: f64,
    /// Why it does not pass.
    failures: Vec<Failure>,
    /// The note that the model lets it stand.
    stands: Option<String>,
    /// What speaks against it, without proof.
    suspicions: Vec<String>,
}

impl Dialogue {
    pub(super) fn new(cx: &Run<'_>, prepared: &Prepared, conversation: Conversation) -> Self {
        let context = Rc::clone(&prepared.context);
        Self {
            understanding: Rc::clone(&prepared.understanding),
            conversation,
            tried: Vec::new(),
            said: Vec::new(),
            repairs_left: cx.config.max_repairs,
            steps: Steps::none(),
            tables: context.tables.clone(),
            context,
            has_looked: false,
            has_disproved: false,
            best: None,
            refused: None,
        }
    }

    /// The current state, for the trace.
    pub(super) fn summary(&self) -> Value {
        json!({
            "attempt": self.tried.len() + 1,
            "strategy": self.conversation.strategy().map(Strategy::as_str),
        })
    }

    /// Gets the next reply and tries it.
    pub(super) fn next_reply(&mut self, cx: &Run<'_>, asked: &Asked<'_>) -> Result<Step, Error> {
        let stage = cx.stage("generate");
        let generated = generate(
            cx,
            &self.understanding,
            &self.context,
            &mut self.conversation,
        );
        match generated {
            Ok(generated) => {
                stage.end(self.summary(), generated.summary());
                self.take(cx, generated, asked)
            }
            Err(error) => {
                stage.end(self.summary(), json!({"error": error.message()}));
                self.best_or_error(cx, error)
            }
        }
    }

    /// Tries the model's reply. If it fails or must be changed, and a repair is left, sends the problem
    /// back to the model.
    pub(super) fn take(
        &mut self,
        cx: &Run<'_>,
        generated: Generated,
        asked: &Asked<'_>,
    ) -> Result<Step, Error> {
        let before = self.repairs_left;
        let may_repair = before > 0 && self.conversation.can_repair();
        self.repairs_left = before.saturating_sub(1);
        let mut proposal = match generated {
            Generated::Proposal(Proposal::Sql(proposal), plan) => SqlProposal { plan, ..proposal },
            Generated::Proposal(proposal, _) => {
                return Ok(self.or_best(cx, Step::Declined(proposal)));
            }
            Generated::Several(parts) => return Ok(self.or_best(cx, Step::Several(parts))),
            Generated::Steps(plan, in_words) => {
                let (asked, max_steps) = (plan.steps.len(), cx.config.max_steps);
                let is_another = self.steps.is_plan();
                if asked > max_steps || (is_another && !may_repair) {
                    return Ok(self.refuse_plan(cx, asked, max_steps, may_repair));
                }
                self.steps = Steps::of(plan, in_words);
                match self.steps.due() {
                    Some(first) => first,
                    // A second plan counts as a repair; otherwise the model could send plans forever.
                    None if is_another => return Ok(self.ask_for_step(cx, self.repairs_left)),
                    None => return Ok(self.ask_for_step(cx, before)),
                }
            }
            Generated::NoSql(_) if may_repair => {
                self.object(cx, &Objection::to_prose());
                return Ok(Step::Again);
            }
            Generated::NoSql(error) => return self.best_or_error(cx, error),
        };
        loop {
            let is_last = self.steps.is_last_due();
            let own_sql = proposal.sql.clone();
            let composed = self.steps.compose(proposal);
            match self.attempt(cx, composed, asked, may_repair, is_last)? {
                StatementOutcome::Ended(step) => return Ok(*step),
                StatementOutcome::StepDone(result, notes) => {
                    self.steps.finish(own_sql, result, notes)
                }
            }
            proposal = match self.steps.due() {
                Some(next) => next,
                None => return Ok(self.ask_for_step(cx, before)),
            };
        }
    }

    /// Tries a statement. The result of a step before the last is kept for the later steps.
    fn attempt(
        &mut self,
        cx: &Run<'_>,
        mut proposal: SqlProposal,
        asked: &Asked<'_>,
        may_repair: bool,
        is_last: bool,
    ) -> Result<StatementOutcome, Error> {
        if self.may_mend(cx)
            && let Some(sql) = without_outer_outputs(&proposal.sql, &self.tables)
        {
            proposal.sql = sql;
        }
        // A repeated statement would fail the same way again.
        if self.tried.iter().any(|sql| same_sql(sql, &proposal.sql)) {
            self.let_stand(cx, &proposal);
            return Ok(StatementOutcome::ended(self.give_up(cx, proposal.sql)));
        }
        cx.note(|news| {
            let own = proposal.plan.as_ref();
            let own = own.map(|plan| plan.lines().map(str::to_owned).collect::<Vec<_>>());
            let plan = own.unwrap_or_else(|| plan_in_words::of_query(&proposal.sql, &self.tables));
            news.plan = Some(plan).filter(|plan| !plan.is_empty());
            news.sql = Some(proposal.sql.clone());
        });
        let stage = cx.stage("execute");
        let outcome = asked.try_statement(
            cx,
            Statement {
                proposal: &proposal,
                understanding: &self.understanding,
                context: &self.context,
                tables: &self.tables,
            },
        )?;
        stage.end(
            json!({"sql": proposal.sql}),
            outcome.summary_of_run(Tried::rows),
        );
        self.tried.push(proposal.sql.clone());
        let outcome = self.mended(cx, asked, &mut proposal, outcome)?;
        let finding = match outcome {
            Outcome::Passed(result) => {
                cx.note(|news| {
                    news.rows = result.row_count();
                    let rows = result.rows().filter(|_| is_last);
                    news.first_rows = rows.and_then(FirstRows::of);
                });
                let is_whole = is_last && asked.is_question();
                let judged = self.judge(cx, &proposal.sql, &result, is_whole)?;
                let (result, judged) =
                    self.simplified(cx, asked, &mut proposal, (result, judged))?;
                let failures = judged.failures(&self.tables);
                proposal.notes.extend(judged.doubts());
                if judged.findings.iter().any(cuts_among_equals) && states_a_value(&proposal) {
                    proposal.sentence = None;
                }
                let objection = object_to_result(cx, &failures, &self.said)
                    .or_else(|| Objection::to_suspicions(&judged.suspicions.said, &self.said))
                    .filter(|_| may_repair);
                if let Some(objection) = &objection {
                    self.said.extend(objection.problems.iter().cloned());
                    self.object(cx, objection);
                }
                return Ok(match (is_last, objection) {
                    (true, objection) => {
                        self.keep(proposal, result, judged, failures);
                        match objection {
                            Some(_) => StatementOutcome::ended(Step::Again),
                            None => StatementOutcome::ended(self.or_best(cx, Step::Again)),
                        }
                    }
                    (false, Some(_)) => StatementOutcome::ended(Step::Again),
                    (false, None) => match self.varying_step(cx, &proposal.sql, may_repair)? {
                        Some(step) => StatementOutcome::ended(step),
                        None => StatementOutcome::StepDone(result, warnings(&judged.findings)),
                    },
                });
            }
            Outcome::Rejected(rejection) => judge_rejection(rejection, &proposal.sql, &self.tables),
            Outcome::Failed(error) => {
                let finding = judge_error(error, cx.egress(), &self.tables, who_says(cx.config));
                self.without_oracle(cx, finding, &proposal.sql)?
            }
        };
        let objection = object_to_failure(
            cx,
            &self.understanding,
            &self.context,
            &self.tables,
            &finding,
            &proposal.sql,
        )?;
        self.refused = Some(query_judge::Finding {
            names: objection.names.clone(),
            ..finding
        });
        if !may_repair {
            return Ok(StatementOutcome::ended(self.give_up(cx, proposal.sql)));
        }
        self.object(cx, &objection);
        Ok(StatementOutcome::ended(Step::Again))
    }

    /// Replaces an error that would tell the model whether an object without SELECT privilege exists.
    fn without_oracle(
        &self,
        cx: &Run<'_>,
        mut finding: query_judge::Finding,
        sql: &str,
    ) -> Result<query_judge::Finding, Error> {
        let is_about_names = |error: &&DatabaseError| error.sqlstate.starts_with("42");
        if let Some(error) = finding.error.as_ref().filter(is_about_names) {
            let oids: Vec<u32> = self.tables.iter().map(|table| table.oid).collect();
            let words = existence::words(sql);
            let forbidden = cx.catalog.forbidden_names(&words, &oids)?;
            if let Some(shown) = existence::replacement_for(error, &forbidden, sql) {
                query_judge::replace_shown_error(&mut finding, shown, &self.tables);
            }
        }
        Ok(finding)
    }

    /// Rejects a step whose result changes when a later step runs it again.
    fn varying_step(
        &mut self,
        cx: &Run<'_>,
        sql: &str,
        may_repair: bool,
    ) -> Result<Option<Step>, Error> {
        let Some(cause) = cx.database.varies_by(sql, &cx.config.limits)? else {
            return Ok(None);
        };
        if may_repair {
            self.object(cx, &Objection::to_varying_step(&cause));
            return Ok(Some(Step::Again));
        }
        let mut answer = Answer::without_rows(
            Status::Failed,
            format!(
                "{}the query gives other rows each time it runs ({cause}), and later steps build on it",
                self.steps.prefix()
            ),
        );
        answer.sql = Some(sql.to_owned());
        answer.hint = Some("ask for what does not depend on chance or on the clock".to_owned());
        Ok(Some(self.or_best(cx, Step::Ended(Box::new(answer)))))
    }

    /// Asks the model for the query of the current step and sets the number of remaining repairs.
    fn ask_for_step(&mut self, cx: &Run<'_>, repairs_left: u32) -> Step {
        let (text, rows) = self.steps.request(cx);
        self.conversation.ask_on(text, rows);
        self.repairs_left = repairs_left;
        Step::Again
    }

    /// Handles a plan that is too long, or a plan that repeats after the last repair.
    fn refuse_plan(
        &mut self,
        cx: &Run<'_>,
        asked: usize,
        max_steps: usize,
        may_repair: bool,
    ) -> Step {
        if asked <= max_steps {
            let sentence = "the model wrote one plan after another, and no query";
            let answer = Answer::without_rows(Status::Failed, sentence);
            return self.or_best(cx, Step::Ended(Box::new(answer)));
        }
        if may_repair {
            self.object(cx, &Objection::to_plan(asked, max_steps));
            return Step::Again;
        }
        let mut answer = Answer::without_rows(
            Status::Failed,
            format!("the model wrote a plan of {asked} steps, and {max_steps} are allowed"),
        );
        answer.hint = Some("options => '{\"max_steps\": 6}', or ask for less at a time".to_owned());
        self.or_best(cx, Step::Ended(Box::new(answer)))
    }

    /// Sends a problem to the model and records it in the trace. Where the question can be asked in another form, the
    /// model gets that instead, and nothing of its first query: what it gets wrong in one form, it often gets right in
    /// the other.
    fn object(&mut self, cx: &Run<'_>, objection: &Objection) {
        cx.note(|news| news.repair = Some(objection.category.as_str()));
        let stage = cx.stage("repair");
        let is_otherwise = objection.tables.is_empty() && self.conversation.ask_otherwise();
        if !is_otherwise {
            let text = objection.text(cx, &self.steps.prefix());
            self.conversation.object(text, &objection.tables);
        }
        let mut input = json!({"attempt": self.tried.len()});
        if let Some(members) = input.as_object_mut().filter(|_| is_otherwise) {
            members.insert("asked_otherwise".to_owned(), true.into());
        }
        stage.end(input, objection.summary());
        self.tables.extend(objection.tables.iter().cloned());
    }

    /// Sends back, once, what the model calls missing although it exists: a table or a column of exactly that name. With
    /// `seen_whole`, only where all of it was described to the model in full.
    pub(super) fn disprove(&mut self, cx: &Run<'_>, missing: &[String], seen_whole: bool) -> bool {
        let whole = match seen_whole {
            true => whole_tables(&self.context, cx.config),
            false => self.tables.iter().map(|table| table.oid).collect(),
        };
        let tables = self
            .tables
            .iter()
            .filter(|table| whole.contains(&table.oid));
        let tables: Vec<Arc<Table>> = tables.cloned().collect();
        let proofs: Vec<String> = missing
            .iter()
            .filter_map(|claim| missing_names::disproved(claim, &tables))
            .map(|present| present.in_words(Language::ENGLISH))
            .collect();
        if proofs.is_empty()
            || (seen_whole && proofs.len() < missing.len())
            || self.has_disproved
            || self.steps.is_plan()
            || !self.conversation.can_repair()
        {
            return false;
        }
        self.has_disproved = true;
        self.object(cx, &Objection::to_claim(proofs));
        self.repairs_left = (self.repairs_left + 1).min(cx.config.max_repairs);
        true
    }

    /// A refusal without claims that the catalog disproves: a model that insists is not believed.
    pub(super) fn without_disproved(&self, proposal: &mut Proposal) {
        let Proposal::Unanswerable {
            reason, missing, ..
        } = proposal
        else {
            return;
        };
        let mut proofs = Vec::new();
        missing.retain(|claim| {
            let proof = missing_names::disproved(claim, &self.tables);
            let is_lacking = proof.is_none();
            proofs.extend(proof);
            is_lacking
        });
        if !proofs.is_empty() {
            let language = self.understanding.language();
            *reason = reply::lacking(missing)
                .unwrap_or_else(|| missing_names::refusal(&proofs, language));
        }
    }

    /// Looks up what the last reply lacks. Where that gives tables that were not shown in full, adds them to the
    /// conversation, so that the next reply answers the question again, and returns true.
    pub(super) fn look_again(&mut self, cx: &Run<'_>, lacking: Lacking<'_>) -> Result<bool, Error> {
        if self.has_looked || self.steps.is_plan() || !self.conversation.can_repair() {
            return Ok(false);
        }
        self.has_looked = true;
        let mut whole = whole_tables(&self.context, cx.config);
        let in_prompt = self.context.tables.len();
        if self.context.is_whole && whole.len() == in_prompt {
            return Ok(false);
        }
        let mut shown = shown_tables(&self.context, cx.config);
        for table in self.tables.iter().skip(in_prompt) {
            shown.push(table.oid);
            whole.push(table.oid);
        }
        let stage = cx.stage("second_look");
        let (question, context) = (&self.understanding, &self.context);
        let seen = Seen {
            shown: &shown,
            whole: &whole,
        };
        let found = find_lacking(cx, question, context, seen, lacking, table_chars)?;
        let budget = context.schema_chars(cx.config) / BUDGET_DIVISOR;
        let (schema, fitting) = render_schema(&found, cx.shows(), budget);
        let found = found.get(..fitting).unwrap_or(&found);
        let names: Vec<String> = found.iter().map(|table| table.sql_name()).collect();
        stage.end(
            json!({"missing": lacking.missing}),
            json!({"tables": names}),
        );
        if found.is_empty() {
            return Ok(false);
        }
        let text = render_second_look(&cx.config.owner.prompts, &schema);
        self.conversation.show(text, found);
        let known: Vec<u32> = self.tables.iter().map(|table| table.oid).collect();
        let new = found.iter().filter(|table| !known.contains(&table.oid));
        let new: Vec<Arc<Table>> = new.cloned().collect();
        self.tables.extend(new.iter().cloned());
        cx.trace.borrow_mut().context.extend(new);
        // The reply that said what it lacks was no failed attempt.
        self.repairs_left = (self.repairs_left + 1).min(cx.config.max_repairs);
        Ok(true)
    }

    /// Finds problems in an executed query and scores it. `is_whole` says whether it should answer the whole question
    /// by itself: neither a step before the last nor a changed query has all that the words name.
    pub(super) fn judge(
        &self,
        cx: &Run<'_>,
        sql: &str,
        result: &Tried,
        is_whole: bool,
    ) -> Result<Judged, Error> {
        let Some(execution) = result.rows().filter(|_| cx.config.stages.judge) else {
            return Ok(Judged::default());
        };
        let tables = &describe_named_in(cx, sql, &self.tables)?;
        let limits = &cx.config.limits;
        // Neither are the words of a change, or of a question whose meaning is given.
        let is_follow_up = !is_whole
            || self.context.changed.is_some()
            || needs_earlier(!self.context.earlier.is_empty(), &self.understanding);
        let asked = findings::Asked {
            understanding: &self.understanding,
            definitions: &self.context.definitions,
            periods: &self.context.facts.periods,
            groups: &self.context.facts.groups,
            values: &self.context.values,
            is_instructed: !(self.context.instructions.is_empty()
                && self.context.examples.is_empty()),
        };
        let asked = (!is_follow_up).then_some(&asked);
        let find = || judge_result(sql, execution, tables, cx.index, cx.database, limits, asked);
        // The built-in engine answers only when it is certain, and its accuracy is measured separately: it has no score,
        // and of its findings only a proof counts.
        if matches!(cx.config.model, ModelConfig::Builtin) {
            let mut findings = find()?;
            findings.retain(Finding::is_certain);
            if !findings.is_empty() {
                let found: Vec<Value> = findings.iter().map(finding_summary).collect();
                cx.stage("judge")
                    .end(json!({"sql": sql}), json!({"findings": found}));
            }
            return Ok(Judged {
                findings,
                ..Judged::default()
            });
        }
        let stage = cx.stage("judge");
        let findings = find()?;
        let facts = Facts {
            understanding: &self.understanding,
            sql,
            ending: Ending::Ran(execution),
            findings: &findings,
            tables,
            values: &self.context.values,
            definitions: &self.context.definitions,
            is_follow_up,
            max_cost: cx.config.limits.max_cost,
        };
        let mut score = scoring::score(&facts, &cx.config.score);
        let mut unjudged = Vec::new();
        if cx.config.score.enable_relevance_check {
            let understanding = &self.understanding;
            score.relevance = judge_relevance(cx, understanding, sql, execution, &mut unjudged)?;
        }
        cx.note(|news| news.score = Some(rounded(score.total())));
        let empty = EmptyResult::of(sql, execution, tables, cx.database, limits)?;
        // Its conditions may come from an earlier question, whatever it names itself.
        let is_follow_up = is_follow_up || !self.context.earlier.is_empty();
        let facts = Facts {
            is_follow_up,
            ..facts
        };
        let reason = empty.as_ref().map(|empty| EmptyReason::of(empty, &facts));
        let found: Vec<Value> = findings.iter().map(finding_summary).collect();
        let mut summary = json!({"findings": found, "score": score.summary()});
        let suspicions = match asked.filter(|_| is_small(cx)) {
            Some(asked) => findings::find_suspicions(sql, tables, asked, execution),
            None => Suspicions::default(),
        };
        if let Some(members) = summary
            .as_object_mut()
            .filter(|_| !suspicions.said.is_empty())
        {
            members.insert("suspicions".to_owned(), json!(suspicions.said.len()));
        }
        if let (Some(members), Some(empty)) = (summary.as_object_mut(), &empty) {
            let empty = json!({"result": empty.nothing.as_str(), "causes": empty.kinds()});
            members.insert("empty".to_owned(), empty);
        }
        if let (Some(members), Some(problem)) = (summary.as_object_mut(), unjudged.first()) {
            members.insert("unjudged".to_owned(), problem.as_str().into());
        }
        stage.end(json!({"sql": sql}), summary);
        Ok(Judged {
            findings,
            unjudged,
            score: Some(score),
            empty,
            reason: reason.unwrap_or_default(),
            sight: Sight {
                egress: cx.egress(),
                is_private: execution.is_private,
            },
            suspicions,
        })
    }

    /// Keeps an executed attempt unless an earlier one is better: fewer certain findings, then fewer suspicions, then a higher
    /// score.
    fn keep(
        &mut self,
        mut proposal: SqlProposal,
        result: Tried,
        judged: Judged,
        failures: Vec<Failure>,
    ) {
        let certain = judged.findings.iter().filter(|f| f.is_certain()).count();
        let score = judged.score.as_ref().map_or(0.0, Score::total);
        let against = (certain, judged.suspicions.said.len());
        let is_better = self.best.as_ref().is_none_or(|best| {
            let others = (best.certain, best.suspicions.len());
            against < others || (against == others && score >= best.score)
        });
        if is_better {
            proposal.is_wrong = judged.is_wrong();
            proposal.empty_cause = judged
                .empty
                .as_ref()
                .and_then(EmptyResult::for_caller)
                .map(Box::new);
            proposal.score = judged.score.map(Box::new);
            self.best = Some(BestAttempt {
                proposal,
                result,
                certain,
                score,
                failures,
                stands: None,
                suspicions: judged.suspicions.said,
            });
        }
    }

    /// Notes that the model, told what is wrong with the best attempt, wrote the same query again: it may stand, and the
    /// reader learns so, with the reason.
    fn let_stand(&mut self, cx: &Run<'_>, again: &SqlProposal) {
        let Some(best) = &mut self.best else {
            return;
        };
        if best.failures.is_empty() || !same_sql(&best.proposal.sql, &again.sql) {
            return;
        }
        let stage = cx.stage("repair");
        stage.end(
            json!({"attempt": self.tried.len()}),
            json!({"stands": true}),
        );
        let reasons = again
            .notes
            .iter()
            .filter(|note| !best.proposal.notes.contains(note));
        let reasons: Vec<&str> = reasons.map(String::as_str).collect();
        let told = "the model was told of this, and lets the query stand";
        best.stands = Some(match reasons.is_empty() {
            true => told.to_owned(),
            false => format!("{told}: {}", reasons.join("; ")),
        });
    }

    /// The best executed attempt, else an answer that says why the last attempt failed.
    fn give_up(&mut self, cx: &Run<'_>, sql: String) -> Step {
        let refused = self.refused.take();
        let ended = match refused {
            Some(finding) => refuse(finding, Some(sql), &cx.session.user()),
            None => Answer::without_rows(Status::Failed, "the query was not run"),
        };
        self.or_best(cx, Step::Ended(Box::new(ended)))
    }

    /// The best executed attempt if the endpoint fails, else the error.
    fn best_or_error(&mut self, cx: &Run<'_>, error: Error) -> Result<Step, Error> {
        match self.best.take() {
            Some(mut best) if error.is_of_endpoint() => {
                best.proposal
                    .notes
                    .push(format!("no better query was written: {}", error.message()));
                Ok(best.passed(cx))
            }
            _ => Err(error),
        }
    }

    /// The best executed attempt, else `step`.
    fn or_best(&mut self, cx: &Run<'_>, step: Step) -> Step {
        match self.best.take() {
            Some(best) => best.passed(cx),
            None => step,
        }
    }
}

impl BestAttempt {
    /// The attempt as the answer. Where it fails the gate, its warnings come first; that of a small model, which is
    /// seldom right then, is no answer.
    fn passed(mut self, cx: &Run<'_>) -> Step {
        let mut warnings = failure_warnings(&self.failures, cx.config.repair_on);
        let against = warnings.first().or(self.suspicions.first());
        if let Some(first) = against.filter(|_| is_small(cx)) {
            let sentence =
                format!("the model's query is not to be relied on, so it is no answer: {first}");
            let mut answer = Answer::without_rows(Status::Failed, sentence);
            answer.sql = Some(self.proposal.sql);
            answer.hint =
                Some("Ask in the words of the tables, or ask for less at a time.".to_owned());
            return Step::Ended(Box::new(answer));
        }
        warnings.extend(self.stands);
        self.proposal.notes.splice(0..0, warnings);
        Step::Passed(Box::new(self.proposal), self.result)
    }
}

/// Whether the model is one of those whose queries are right only where nothing speaks against them.
fn is_small(cx: &Run<'_>) -> bool {
    cx.config.model.profile() == Profile::Compact
}

/// Whether LIMIT was measured to cut between rows with equal sort keys, so that the first row may be
/// tied.
fn cuts_among_equals(finding: &Finding) -> bool {
    finding.check == Check::ArbitraryLimit && finding.basis == Basis::Measured
}

/// A finding as recorded in the trace.
fn finding_summary(finding: &Finding) -> Value {
    json!({
        "check": finding.check.as_str(),
        "severity": finding.severity.as_str(),
        "basis": finding.basis.as_str(),
    })
}

/// A score with the digits that mean something.
fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

fn same_sql(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}
