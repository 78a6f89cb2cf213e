//! llama.cpp behind a safe interface: one model file, one context, the state of a few prompts.
//!
//! The state of a prompt is kept after its reply. The next prompt that begins alike, as those of one role and catalog do,
//! is read only from where it differs.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

use llama_cpp_sys_2 as llama;

use crate::names::Rules;

/// How many prompts are remembered: those of a few roles or databases that take turns.
const SLOTS: usize = 4;

/// Tokens that are read in one step: more is hardly faster and takes more memory.
const BATCH: usize = 256;

/// Tokens that are tried for a place in a reply before it is given up.
const MOST_REFUSED: usize = 100;

/// A beginning that is shorter is not worth a copy of its state.
const LEAST_SHARED: usize = 32;

/// The size of the engine.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Threads that write; twice as many read, where there are as many processors.
    pub threads: i32,
    /// Tokens of a prompt with its reply, and of all remembered prompts together.
    pub context: u32,
}

impl Size {
    /// Reading a prompt is much work at a time: there more threads pay. For single tokens they wait for each other more
    /// than they compute, where the machine has other work.
    fn prompt_threads(self) -> i32 {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let processors = i32::try_from(processors).unwrap_or(i32::MAX);
        (self.threads * 2).min(processors).max(self.threads)
    }
}

/// One part of a prompt.
pub enum Part<'a> {
    /// What the form of a conversation consists of: its marks are tokens of their own.
    Frame(&'a str),
    /// Text of others: what looks like a mark in it is text.
    Text(&'a str),
}

/// A reply.
#[derive(Debug)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Those of them that had been read before.
    pub cached_tokens: usize,
    /// Tokens of the reply.
    pub reply_tokens: usize,
    /// Whether the reply was cut at its limit.
    pub is_cut: bool,
}

/// Why there is no reply.
#[derive(Debug)]
pub enum Failure {
    /// The caller has gone.
    Stopped,
    /// The prompt does not fit.
    TooLong {
        /// Its tokens.
        tokens: usize,
        /// The tokens that there is room for.
        limit: usize,
    },
    /// Nothing likely may follow what has been written.
    NoName,
    /// llama.cpp failed.
    Broken(&'static str),
}

/// The tokens whose state one sequence holds.
#[derive(Default)]
struct Slot {
    tokens: Vec<llama::llama_token>,
    last_use: u64,
}

/// A model, ready to reply.
pub struct Engine {
    model: NonNull<llama::llama_model>,
    context: NonNull<llama::llama_context>,
    vocabulary: *const llama::llama_vocab,
    slots: Vec<Slot>,
    uses: u64,
    room: usize,
    /// Read by llama.cpp while it computes: see `must_stop`.
    stop: Box<StopFlag>,
}

struct StopFlag(std::sync::Arc<AtomicBool>);

// SAFETY: nothing of llama.cpp's model and context belongs to a thread; the engine is used by one thread at a time.
unsafe impl Send for Engine {}

/// Called by llama.cpp between the operations of a step: many times in a hundred milliseconds.
unsafe extern "C" fn must_stop(flag: *mut c_void) -> bool {
    // SAFETY: the engine owns the flag and outlives its context.
    unsafe { &*flag.cast::<StopFlag>() }
        .0
        .load(Ordering::Relaxed)
}

/// Messages of llama.cpp may hold names of files: none is printed.
unsafe extern "C" fn keep_silent(
    _: llama::ggml_log_level,
    _: *const std::ffi::c_char,
    _: *mut c_void,
) {
}

impl Engine {
    /// Maps the file and makes room for prompts.
    pub fn load(file: &Path, size: Size) -> Result<Self, &'static str> {
        use std::os::unix::ffi::OsStrExt;
        let path =
            CString::new(file.as_os_str().as_bytes()).map_err(|_| "the file's name has a NUL")?;
        let stop = Box::new(StopFlag(std::sync::Arc::default()));
        // SAFETY: plain calls of a library that is initialised first; parameters are made by it, and the flag lives as
        // long as the context.
        unsafe {
            llama::llama_log_set(Some(keep_silent), std::ptr::null_mut());
            llama::llama_backend_init();
            let mut params = llama::llama_model_default_params();
            params.n_gpu_layers = 0;
            // Rearranged weights would be a copy in memory, for each start anew.
            params.use_extra_bufts = false;
            let model = NonNull::new(llama::llama_model_load_from_file(path.as_ptr(), params))
                .ok_or("it is no GGUF file of a model that llama.cpp knows, or memory is short")?;
            let mut params = llama::llama_context_default_params();
            let trained = u32::try_from(llama::llama_model_n_ctx_train(model.as_ptr()))
                .unwrap_or(size.context);
            params.n_ctx = size.context.min(trained);
            params.n_batch = BATCH as u32;
            params.n_ubatch = BATCH as u32;
            params.n_seq_max = SLOTS as u32;
            params.n_threads = size.threads;
            params.n_threads_batch = size.prompt_threads();
            params.kv_unified = true;
            params.no_perf = true;
            params.abort_callback = Some(must_stop);
            params.abort_callback_data = std::ptr::from_ref::<StopFlag>(&stop).cast_mut().cast();
            let Some(context) = NonNull::new(llama::llama_init_from_model(model.as_ptr(), params))
            else {
                llama::llama_model_free(model.as_ptr());
                return Err("there is no memory for its prompts");
            };
            Ok(Self {
                model,
                context,
                vocabulary: llama::llama_model_get_vocab(model.as_ptr()),
                slots: (0..SLOTS).map(|_| Slot::default()).collect(),
                uses: 0,
                room: llama::llama_n_ctx(context.as_ptr()) as usize,
                stop,
            })
        }
    }

    /// A flag that stops the reply that is being made.
    pub fn stop_flag(&self) -> std::sync::Arc<AtomicBool> {
        std::sync::Arc::clone(&self.stop.0)
    }

    /// The form of conversations that the file asks for.
    pub fn template(&self) -> Option<CString> {
        // SAFETY: the text belongs to the model and is copied here.
        unsafe {
            let text = llama::llama_model_chat_template(self.model.as_ptr(), std::ptr::null());
            (!text.is_null()).then(|| std::ffi::CStr::from_ptr(text).to_owned())
        }
    }

    /// The likeliest reply, token by token; of words that the rules allow, if there are any.
    pub fn reply(
        &mut self,
        prompt: &[Part<'_>],
        rules: Option<&Rules>,
        most_tokens: usize,
    ) -> Result<Reply, Failure> {
        let tokens = self.tokens(prompt);
        let limit = self.room.saturating_sub(most_tokens.min(self.room / 4));
        if tokens.is_empty() || tokens.len() > limit {
            return Err(Failure::TooLong {
                tokens: tokens.len(),
                limit,
            });
        }
        let most_tokens = most_tokens.min(self.room - tokens.len());
        let (slot, cached) = self.place(&tokens, most_tokens);
        let outcome = self.read_and_write(slot, &tokens, cached, rules, most_tokens);
        if outcome.is_err() {
            // What is in the cache of an aborted step is unknown.
            self.forget(slot, cached);
        }
        let (bytes, reply_tokens, is_cut) = outcome?;
        Ok(Reply {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            prompt_tokens: tokens.len(),
            cached_tokens: cached,
            reply_tokens,
            is_cut,
        })
    }

    fn read_and_write(
        &mut self,
        slot: usize,
        tokens: &[llama::llama_token],
        cached: usize,
        rules: Option<&Rules>,
        most_tokens: usize,
    ) -> Result<(Vec<u8>, usize, bool), Failure> {
        for step in tokens.get(cached..).unwrap_or_default().chunks(BATCH) {
            self.step(slot, step)?;
        }
        let mut bytes = Vec::new();
        for count in 0..most_tokens {
            let Some(token) = self.next(&bytes, rules)? else {
                return Ok((bytes, count, false));
            };
            self.push_piece(token, &mut bytes);
            self.step(slot, &[token])?;
        }
        Ok((bytes, most_tokens, true))
    }

    /// The likeliest token that may follow; `None` where the reply ends.
    fn next(
        &self,
        written: &[u8],
        rules: Option<&Rules>,
    ) -> Result<Option<llama::llama_token>, Failure> {
        // SAFETY: the last step has computed as many odds as there are tokens; nobody else has them.
        let odds = unsafe {
            let count = usize::try_from(llama::llama_vocab_n_tokens(self.vocabulary)).unwrap_or(0);
            let odds = llama::llama_get_logits_ith(self.context.as_ptr(), -1);
            if odds.is_null() {
                return Err(Failure::Broken("llama.cpp has computed nothing"));
            }
            std::slice::from_raw_parts_mut(odds, count)
        };
        for _ in 0..MOST_REFUSED {
            let best = odds
                .iter()
                .enumerate()
                .max_by(|(_, a), (_, b)| a.total_cmp(b));
            let Some(token) = best.and_then(|(best, _)| i32::try_from(best).ok()) else {
                break;
            };
            // SAFETY: reads the vocabulary.
            let is_end = unsafe { llama::llama_vocab_is_eog(self.vocabulary, token) };
            let Some(rules) = rules else {
                return Ok((!is_end).then_some(token));
            };
            let mut text = written.to_vec();
            if !is_end {
                self.push_piece(token, &mut text);
            }
            if rules.allow(&text, is_end) && (is_end || text.len() > written.len()) {
                return Ok((!is_end).then_some(token));
            }
            if let Some(odds) = usize::try_from(token)
                .ok()
                .and_then(|token| odds.get_mut(token))
            {
                *odds = f32::NEG_INFINITY;
            }
        }
        match rules.is_some_and(|rules| rules.allow(written, true)) {
            true => Ok(None),
            false => Err(Failure::NoName),
        }
    }

    /// Reads tokens at the end of a sequence.
    fn step(&mut self, slot: usize, tokens: &[llama::llama_token]) -> Result<(), Failure> {
        let Some(kept) = self.slots.get_mut(slot) else {
            return Err(Failure::Broken("there is no such place"));
        };
        let mut batch = Batch::new(tokens, kept.tokens.len(), slot);
        // SAFETY: the batch has as many tokens as it says, each in one sequence.
        let code = unsafe { llama::llama_decode(self.context.as_ptr(), batch.as_llama()) };
        match code {
            0 => {
                kept.tokens.extend_from_slice(tokens);
                Ok(())
            }
            2 => Err(Failure::Stopped),
            1 => Err(Failure::Broken("there is no room for the prompt")),
            _ => Err(Failure::Broken("llama.cpp cannot compute this prompt")),
        }
    }

    /// Chooses where a prompt is read, and says how many of its tokens have been read already.
    fn place(&mut self, tokens: &[llama::llama_token], most_tokens: usize) -> (usize, usize) {
        self.uses += 1;
        let shared = |slot: &Slot| {
            slot.tokens
                .iter()
                .zip(tokens)
                .take_while(|(a, b)| a == b)
                .count()
        };
        let lengths: Vec<usize> = self.slots.iter().map(shared).collect();
        let best = lengths
            .iter()
            .enumerate()
            .max_by_key(|(_, length)| **length);
        let (best, length) = best.map_or((0, 0), |(best, length)| (best, *length));
        // At least one token must be read, for the odds of the next.
        let length = length.min(tokens.len().saturating_sub(1));
        let oldest = self
            .slots
            .iter()
            .enumerate()
            .min_by_key(|(_, slot)| slot.last_use);
        let oldest = oldest.map_or(0, |(oldest, _)| oldest);
        let (place, length) = match length {
            // Most of what was there would be lost otherwise: another catalog begins with the same rules.
            length if length * 2 >= self.slots.get(best).map_or(0, |slot| slot.tokens.len()) => {
                (best, length)
            }
            length if length >= LEAST_SHARED && best != oldest => {
                self.forget(oldest, 0);
                self.copy(best, oldest, length);
                (oldest, length)
            }
            _ if length >= LEAST_SHARED => (best, length),
            _ => (oldest, 0),
        };
        self.forget(place, length);
        self.make_room(place, tokens.len() - length + most_tokens);
        if let Some(slot) = self.slots.get_mut(place) {
            slot.last_use = self.uses;
        }
        (place, length)
    }

    /// Forgets other prompts, the oldest first, until there is room for so many tokens.
    fn make_room(&mut self, place: usize, wanted: usize) {
        while self
            .slots
            .iter()
            .map(|slot| slot.tokens.len())
            .sum::<usize>()
            + wanted
            > self.room
        {
            let others = self.slots.iter().enumerate();
            let others = others.filter(|(index, slot)| *index != place && !slot.tokens.is_empty());
            let Some((oldest, _)) = others.min_by_key(|(_, slot)| slot.last_use) else {
                return;
            };
            self.forget(oldest, 0);
        }
    }

    fn copy(&mut self, from: usize, to: usize, length: usize) {
        // SAFETY: both sequences exist; the cells are shared, not copied.
        unsafe {
            let memory = llama::llama_get_memory(self.context.as_ptr());
            llama::llama_memory_seq_cp(memory, from as i32, to as i32, 0, length as i32);
        }
        let kept = self
            .slots
            .get(from)
            .and_then(|slot| slot.tokens.get(..length))
            .map(<[_]>::to_vec);
        if let Some(slot) = self.slots.get_mut(to) {
            slot.tokens = kept.unwrap_or_default();
        }
    }

    /// Forgets the tokens of a sequence from `length` on.
    fn forget(&mut self, slot: usize, length: usize) {
        // SAFETY: removes cells of a sequence that exists.
        unsafe {
            let memory = llama::llama_get_memory(self.context.as_ptr());
            llama::llama_memory_seq_rm(memory, slot as i32, length as i32, -1);
        }
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.tokens.truncate(length);
        }
    }

    fn tokens(&self, prompt: &[Part<'_>]) -> Vec<llama::llama_token> {
        let mut tokens = Vec::new();
        for (index, part) in prompt.iter().enumerate() {
            let (text, has_marks) = match part {
                Part::Frame(text) => (*text, true),
                Part::Text(text) => (*text, false),
            };
            let Ok(length) = i32::try_from(text.len()) else {
                return Vec::new();
            };
            let mut piece = vec![0; text.len() + 8];
            // SAFETY: text and buffer are as long as said; a token is at least one byte, besides those that a model adds.
            let count = unsafe {
                llama::llama_tokenize(
                    self.vocabulary,
                    text.as_ptr().cast(),
                    length,
                    piece.as_mut_ptr(),
                    i32::try_from(piece.len()).unwrap_or(i32::MAX),
                    index == 0,
                    has_marks,
                )
            };
            piece.truncate(usize::try_from(count).unwrap_or(0));
            tokens.extend(piece);
        }
        tokens
    }

    fn push_piece(&self, token: llama::llama_token, bytes: &mut Vec<u8>) {
        let mut piece = [0u8; 256];
        // SAFETY: the buffer is as long as said.
        let count = unsafe {
            llama::llama_token_to_piece(
                self.vocabulary,
                token,
                piece.as_mut_ptr().cast(),
                256,
                0,
                false,
            )
        };
        let written = usize::try_from(count)
            .ok()
            .and_then(|count| piece.get(..count));
        bytes.extend_from_slice(written.unwrap_or_default());
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: nothing uses them any more; the context goes before its model.
        unsafe {
            llama::llama_free(self.context.as_ptr());
            llama::llama_model_free(self.model.as_ptr());
        }
    }
}

/// Tokens of one sequence, in the form of llama.cpp.
struct Batch {
    tokens: Vec<llama::llama_token>,
    positions: Vec<llama::llama_pos>,
    counts: Vec<i32>,
    _sequence: Box<llama::llama_seq_id>,
    sequences: Vec<*mut llama::llama_seq_id>,
    outputs: Vec<i8>,
}

impl Batch {
    fn new(tokens: &[llama::llama_token], from: usize, slot: usize) -> Self {
        let mut sequence = Box::new(slot as llama::llama_seq_id);
        let mut outputs = vec![0; tokens.len()];
        if let Some(last) = outputs.last_mut() {
            *last = 1;
        }
        Self {
            tokens: tokens.to_vec(),
            positions: (from..from + tokens.len())
                .map(|position| position as llama::llama_pos)
                .collect(),
            counts: vec![1; tokens.len()],
            sequences: vec![std::ptr::from_mut(&mut *sequence); tokens.len()],
            _sequence: sequence,
            outputs,
        }
    }

    fn as_llama(&mut self) -> llama::llama_batch {
        llama::llama_batch {
            n_tokens: i32::try_from(self.tokens.len()).unwrap_or(0),
            token: self.tokens.as_mut_ptr(),
            embd: std::ptr::null_mut(),
            pos: self.positions.as_mut_ptr(),
            n_seq_id: self.counts.as_mut_ptr(),
            seq_id: self.sequences.as_mut_ptr(),
            logits: self.outputs.as_mut_ptr(),
        }
    }
}

/// Writes a conversation in the form that the model was trained with. The texts are replaced by marks, so that they can be
/// put back as texts.
pub fn frame(template: Option<&CString>, roles: &[&str]) -> Option<Vec<String>> {
    let mark = |index: usize| format!("\u{2}{index}\u{2}");
    let names: Vec<CString> = roles
        .iter()
        .filter_map(|role| CString::new(*role).ok())
        .collect();
    let marks: Vec<CString> = (0..roles.len())
        .filter_map(|index| CString::new(mark(index)).ok())
        .collect();
    let messages: Vec<llama::llama_chat_message> = names
        .iter()
        .zip(&marks)
        .map(|(role, content)| llama::llama_chat_message {
            role: role.as_ptr(),
            content: content.as_ptr(),
        })
        .collect();
    let mut buffer = vec![0u8; 4096 + roles.len() * 256];
    let chatml = c"chatml";
    // SAFETY: all texts are NUL-terminated and live; the buffer is as long as said.
    let length = unsafe {
        llama::llama_chat_apply_template(
            template.map_or(chatml.as_ptr(), |template| template.as_ptr()),
            messages.as_ptr(),
            messages.len(),
            true,
            buffer.as_mut_ptr().cast(),
            i32::try_from(buffer.len()).unwrap_or(i32::MAX),
        )
    };
    buffer.truncate(
        usize::try_from(length)
            .ok()
            .filter(|length| *length <= buffer.len())?,
    );
    let whole = String::from_utf8(buffer).ok()?;
    let mut rest = whole.as_str();
    let mut frames = Vec::new();
    for index in 0..roles.len() {
        let (before, after) = rest.split_once(&mark(index))?;
        frames.push(before.to_owned());
        rest = after;
    }
    frames.push(rest.to_owned());
    Some(frames)
}
