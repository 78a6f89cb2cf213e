//! The frame of SQL functions that pgrx's own wrapper cannot serve: it supports neither the caller's column
//! definition list nor an SQLSTATE of the extension.
//!
//! [`entry_point!`] defines the C symbol and its calling-convention record; the body gets a [`Call`] and
//! returns a datum or an error, which is raised when no Rust value is left on the stack.

use std::ffi::CStr;
use std::panic::{RefUnwindSafe, UnwindSafe};

use pgrx::FromDatum;
use pgrx::pg_sys::{self, Datum};

use crate::pg::server::error::{Raised, raise};
use crate::pg::server::installed_version::require_same_version_of;
use crate::pg::server::limits::interrupt_checks;
use crate::pg::server::spi::encoding::{server_text, text_of};

/// Makes `$body` the SQL function of C's calling convention `text2sql_…`, which is called as the body is, or as named. The
/// function must be of the library's version, except `of_any_version`: those that policies, triggers and event triggers
/// call, whose arguments and results never change.
macro_rules! entry_point {
    (of_any_version $body:ident) => {
        $crate::pg::server::entry::entry_point!(@call_of_any_version, $body, $body);
    };
    ($body:ident) => {
        $crate::pg::server::entry::entry_point!(@call, $body, $body);
    };
    ($name:ident = $body:ident) => {
        $crate::pg::server::entry::entry_point!(@call, $name, $body);
    };
    (@$call:ident, $name:ident, $body:ident) => {
        const _: () = {
            /// # Safety
            /// For PostgreSQL to call.
            #[unsafe(export_name = concat!("text2sql_", stringify!($name)))]
            unsafe extern "C-unwind" fn called(
                arguments: pgrx::pg_sys::FunctionCallInfo,
            ) -> pgrx::pg_sys::Datum {
                // SAFETY: called by PostgreSQL, and nothing in this frame needs dropping.
                unsafe { $crate::pg::server::entry::$call(arguments, $body) }
            }

            #[unsafe(export_name = concat!("pg_finfo_text2sql_", stringify!($name)))]
            extern "C" fn record() -> &'static pgrx::pg_sys::Pg_finfo_record {
                &$crate::pg::server::entry::VERSION_1
            }
        };
    };
}
pub(crate) use entry_point;

/// Runs the body of an SQL function of the library's version and raises its error.
///
/// # Safety
/// Called directly by an `extern "C-unwind"` function that PostgreSQL called, with nothing to drop.
pub(crate) unsafe fn call(
    arguments: pg_sys::FunctionCallInfo,
    body: fn(&Call) -> Result<Datum, Raised>,
) -> Datum {
    // SAFETY: by contract.
    unsafe {
        run(arguments, move |call| {
            require_same_version_of(|| call.function_name())?;
            body(call)
        })
    }
}

/// The same for a function of any version.
///
/// # Safety
/// As for [`call`].
pub(crate) unsafe fn call_of_any_version(
    arguments: pg_sys::FunctionCallInfo,
    body: fn(&Call) -> Result<Datum, Raised>,
) -> Datum {
    // SAFETY: by contract.
    unsafe { run(arguments, body) }
}

/// # Safety
/// As for [`call`].
unsafe fn run(
    arguments: pg_sys::FunctionCallInfo,
    body: impl Fn(&Call) -> Result<Datum, Raised> + Copy + UnwindSafe + RefUnwindSafe,
) -> Datum {
    // SAFETY: the guard turns every unwinding into an ERROR at a frame with nothing to drop.
    let outcome = unsafe {
        pgrx::pgrx_extern_c_guard(move || {
            let outcome = body(&Call { arguments }).map_err(Raised::into_server_memory);
            // Both are plain data now. A result interrupted by a cancel is discarded.
            interrupt_checks::serve();
            outcome
        })
    };
    match outcome {
        Ok(datum) => datum,
        // SAFETY: `outcome` and `report` own nothing, nor does the caller.
        Err(report) => unsafe { raise(report) },
    }
}

/// The calling convention of every entry point.
pub(crate) static VERSION_1: pg_sys::Pg_finfo_record = pg_sys::Pg_finfo_record { api_version: 1 };

/// Maximum size of a text argument in bytes. Functions have lower bounds of their own, with a hint; the largest is that of a
/// schema, `text2sql_sql::ddl::MAX_SCHEMA_BYTES`.
pub(crate) const MAX_TEXT_BYTES: usize = 4 << 20;

/// Maximum size of a document or array, as it is stored: an evaluation hands over the rows of its gold queries.
pub(crate) const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// One call of an SQL function. Its arguments are measured before they are read: what a function does with a text may
/// take longer than linear time.
pub(crate) struct Call {
    pub(crate) arguments: pg_sys::FunctionCallInfo,
}

impl Call {
    /// The n-th argument, counted from 0, declared as text; `None` is NULL.
    pub(crate) fn text(&self, n: usize) -> Result<Option<String>, Raised> {
        let Some(text) = self.measured(n, MAX_TEXT_BYTES)? else {
            return Ok(None);
        };
        // SAFETY: the argument is declared as text; the copy is NUL-terminated.
        unsafe { Ok(Some(text_of(pg_sys::text_to_cstring(text.cast_mut_ptr())))) }
    }

    /// The n-th argument, declared as a type of variable length, if it is not NULL. Nothing is unpacked to measure it.
    fn measured(&self, n: usize, most: usize) -> Result<Option<Datum>, Raised> {
        let Some(datum) = self.read::<Datum>(n) else {
            return Ok(None);
        };
        // SAFETY: the argument is declared as a type of variable length.
        let bytes = unsafe { pg_sys::toast_raw_datum_size(datum) };
        match bytes <= most {
            true => Ok(Some(datum)),
            false => Err(Raised::new(
                "54000",
                format!(
                    "argument {} has {bytes} bytes, and at most {most} are read",
                    n + 1
                ),
            )),
        }
    }

    /// The n-th argument, declared as boolean; NULL is false.
    pub(crate) fn boolean(&self, n: usize) -> bool {
        self.read(n).unwrap_or(false)
    }

    /// The n-th argument, declared as bigint; `None` is NULL.
    pub(crate) fn bigint(&self, n: usize) -> Option<i64> {
        self.read(n)
    }

    /// The n-th argument, declared as integer; `None` is NULL.
    pub(crate) fn integer(&self, n: usize) -> Option<i32> {
        self.read(n)
    }

    /// The n-th argument, declared as double precision; `None` is NULL.
    pub(crate) fn double(&self, n: usize) -> Option<f64> {
        self.read(n)
    }

    /// The n-th argument, declared as jsonb; `None` is NULL. PostgreSQL accepts JSON nested thousands of levels
    /// deep and numbers of thousands of digits; `serde_json` limits both.
    pub(crate) fn json(&self, n: usize) -> Result<Option<pgrx::JsonB>, Raised> {
        let Some(datum) = self.measured(n, MAX_DOCUMENT_BYTES)? else {
            return Ok(None);
        };
        // SAFETY: the argument is declared as jsonb; its text form is NUL-terminated.
        let text = unsafe {
            pgrx::direct_function_call::<&CStr>(pg_sys::jsonb_out, &[Some(datum)])
                .map(|text| text_of(text.as_ptr()))
        };
        let value = serde_json::from_str(&text.unwrap_or_default())
            .map_err(|error| Raised::new("54001", format!("could not parse JSON: {error}")))?;
        Ok(Some(pgrx::JsonB(value)))
    }

    /// The n-th argument, declared as an array of what `T` reads, without its NULL elements; `None`
    /// is NULL.
    pub(crate) fn array<T>(&self, n: usize) -> Result<Option<Vec<T>>, Raised>
    where
        Vec<Option<T>>: FromDatum,
    {
        self.measured(n, MAX_DOCUMENT_BYTES)?;
        let elements: Option<Vec<Option<T>>> = self.read(n);
        Ok(elements.map(|elements| elements.into_iter().flatten().collect()))
    }

    /// The n-th argument, declared as oid; `None` is NULL.
    pub(crate) fn oid(&self, n: usize) -> Option<pg_sys::Oid> {
        self.read(n)
    }

    /// The n-th argument, declared as smallint; `None` is NULL.
    pub(crate) fn small_integer(&self, n: usize) -> Option<i16> {
        self.read(n)
    }

    /// A text, or NULL, as the result of the call.
    pub(crate) fn text_or_null(&self, text: Option<&str>) -> Result<Datum, Raised> {
        match text {
            Some(text) => text_result(text),
            None => Ok(self.null()),
        }
    }

    /// NULL as the result of the call.
    pub(crate) fn null(&self) -> Datum {
        // SAFETY: PostgreSQL reads the flag when the call has returned.
        unsafe { (*self.arguments).isnull = true };
        Datum::from(0_usize)
    }

    /// The n-th argument, declared as text, which must not be NULL.
    pub(crate) fn required_text(&self, n: usize, what: &str) -> Result<String, Raised> {
        self.text(n)?
            .ok_or_else(|| Raised::new("22004", format!("{what} must not be null")))
    }

    /// The table whose trigger this call is; `None` for any other call.
    pub(crate) fn trigger_table(&self) -> Option<pg_sys::Oid> {
        // SAFETY: the context is NULL or a node whose tag says what it is.
        unsafe {
            let context = (*self.arguments).context;
            if context.is_null() || (*context).type_ != pg_sys::NodeTag::T_TriggerData {
                return None;
            }
            let trigger = context.cast::<pg_sys::TriggerData>();
            Some((*(*trigger).tg_relation).rd_id)
        }
    }

    /// The name of the called function.
    fn function_name(&self) -> String {
        // SAFETY: PostgreSQL fills in both; the name is palloc'd, or NULL for an unknown function.
        unsafe { text_of(pg_sys::get_func_name((*(*self.arguments).flinfo).fn_oid)) }
    }

    /// The n-th argument as a datum; `None` is NULL.
    pub(crate) fn argument(&self, n: usize) -> Option<Datum> {
        self.read(n)
    }

    /// Whether a procedure was called where it cannot commit: in a transaction block or a function.
    pub(crate) fn is_atomic(&self) -> bool {
        // SAFETY: the context is NULL or a node whose tag says what it is.
        unsafe {
            let context = (*self.arguments).context;
            context.is_null()
                || (*context).type_ != pg_sys::NodeTag::T_CallContext
                || (*context.cast::<pg_sys::CallContext>()).atomic
        }
    }

    fn read<T: FromDatum>(&self, n: usize) -> Option<T> {
        // SAFETY: PostgreSQL hands over `nargs` arguments; the caller's SQL declares their types.
        unsafe {
            let count = usize::try_from((*self.arguments).nargs).unwrap_or(0);
            let argument = (*self.arguments).args.as_slice(count).get(n)?;
            T::from_datum(argument.value, argument.isnull)
        }
    }
}

/// A text as a datum of type text or json, in the server's encoding.
pub(crate) fn text_datum(text: &str) -> Option<Datum> {
    // SAFETY: NUL-terminated server memory, copied into a varlena.
    server_text(text).map(|text| unsafe { Datum::from(pg_sys::cstring_to_text(text)) })
}

/// Texts as a datum of type text[].
pub(crate) fn text_array(texts: &[String]) -> Option<Datum> {
    let mut datums: Vec<Datum> = texts.iter().filter_map(|text| text_datum(text)).collect();
    let count = i32::try_from(datums.len()).unwrap_or(i32::MAX);
    let alignment = pg_sys::TYPALIGN_INT as std::ffi::c_char;
    // SAFETY: `count` datums of type text, which is a varlena with integer alignment.
    unsafe {
        let start = datums.as_mut_ptr();
        let array = pg_sys::construct_array(start, count, pg_sys::TEXTOID, -1, false, alignment);
        Some(Datum::from(array))
    }
}

/// The result of an entry point that returns one text.
pub(crate) fn text_result(text: &str) -> Result<Datum, Raised> {
    text_datum(text).ok_or_else(|| Raised::new("XX000", "internal text contains a NUL byte"))
}
