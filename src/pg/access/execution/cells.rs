//! Converts values to text and JSON, exactly: the text is the result of the type's output function, and JSON
//! keeps its digits.
//!
//! `boolean` becomes true or false; integers, floats and `numeric` their digits (NaN and Infinity
//! a string); `json` and `jsonb` stay as they are; arrays and rows become arrays and objects by
//! the same rules; everything else a string.

use std::collections::HashMap;
use std::rc::Rc;

use pgrx::{pg_sys, varsize_any};
use serde_json::value::RawValue;
use text2sql_domain::sql_result::Cell;

use crate::pg::server::compat::tuple_descriptor;
use crate::pg::server::spi::encoding::text_of;

/// Writes the cells of one result. It is allocated in the sandbox's memory.
pub(crate) struct CellWriter {
    columns: Vec<pg_sys::Oid>,
    context: pg_sys::MemoryContext,
    known: HashMap<u32, Rc<TypeWriter>>,
}

struct TypeWriter {
    shape: Shape,
    output: *mut pg_sys::FmgrInfo,
}

enum Shape {
    Boolean,
    Number,
    Json,
    Array(pg_sys::Oid),
    Row,
    Other,
}

impl CellWriter {
    /// Prepares for columns of these types.
    pub(crate) fn new(columns: impl Iterator<Item = pg_sys::Oid>) -> Self {
        Self {
            columns: columns.collect(),
            // SAFETY: reads a variable; the context lives as long as the execution.
            context: unsafe { pg_sys::CurrentMemoryContext },
            known: HashMap::new(),
        }
    }

    /// Writes one value of the column `index`.
    ///
    /// # Safety
    /// `datum` is a value of that column's type unless `is_null`.
    pub(crate) unsafe fn cell(
        &mut self,
        index: usize,
        datum: pg_sys::Datum,
        is_null: bool,
    ) -> Cell {
        let Some(oid) = self.columns.get(index).copied().filter(|_| !is_null) else {
            return Cell {
                text: None,
                json: RawValue::NULL.to_owned(),
            };
        };
        let writer = self.writer(oid);
        // SAFETY: the caller vouches for the value, the writer belongs to its type.
        unsafe {
            let text = writer.text(datum);
            let json = match writer.shape {
                Shape::Array(_) | Shape::Row => {
                    let mut json = String::new();
                    self.write(&writer, datum, &mut json);
                    json
                }
                _ => writer.scalar(&text),
            };
            Cell {
                json: RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned()),
                text: Some(text),
            }
        }
    }

    fn writer(&mut self, oid: pg_sys::Oid) -> Rc<TypeWriter> {
        let context = self.context;
        Rc::clone(
            self.known
                .entry(oid.to_u32())
                .or_insert_with(|| Rc::new(TypeWriter::of(oid, context))),
        )
    }

    /// Appends the JSON of a value.
    unsafe fn write(&mut self, writer: &TypeWriter, datum: pg_sys::Datum, json: &mut String) {
        // SAFETY: the value is of the writer's type.
        unsafe {
            match writer.shape {
                Shape::Array(element) => self.write_array(element, datum, json),
                Shape::Row => self.write_row(datum, json),
                _ => json.push_str(&writer.scalar(&writer.text(datum))),
            }
        }
    }

    unsafe fn write_array(
        &mut self,
        element: pg_sys::Oid,
        datum: pg_sys::Datum,
        json: &mut String,
    ) {
        // SAFETY: detoasted, the value is an ArrayType: a header, then `ndim` sizes.
        let (dimensions, values, nulls) = unsafe {
            let array = pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast::<pg_sys::ArrayType>();
            let count = usize::try_from((*array).ndim).unwrap_or(0);
            let sizes = array.add(1).cast::<i32>();
            let dimensions: Vec<usize> = (0..count)
                .map(|index| usize::try_from(*sizes.add(index)).unwrap_or(0))
                .collect();
            let (mut length, mut by_value, mut alignment) = (0, false, 0);
            pg_sys::get_typlenbyvalalign(
                element,
                &raw mut length,
                &raw mut by_value,
                &raw mut alignment,
            );
            let (mut values, mut nulls, mut count) =
                (std::ptr::null_mut(), std::ptr::null_mut(), 0);
            pg_sys::deconstruct_array(
                array,
                element,
                i32::from(length),
                by_value,
                alignment,
                &raw mut values,
                &raw mut nulls,
                &raw mut count,
            );
            let count = usize::try_from(count).unwrap_or(0);
            let pairs: Vec<(pg_sys::Datum, bool)> = (0..count)
                .map(|index| (*values.add(index), *nulls.add(index)))
                .collect();
            let (values, nulls): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            (dimensions, values, nulls)
        };
        let writer = self.writer(element);
        let mut elements = values.into_iter().zip(nulls);
        // SAFETY: the elements are of the writer's type.
        unsafe { self.write_dimension(&writer, &dimensions, &mut elements, json) }
    }

    unsafe fn write_dimension(
        &mut self,
        writer: &TypeWriter,
        dimensions: &[usize],
        elements: &mut impl Iterator<Item = (pg_sys::Datum, bool)>,
        json: &mut String,
    ) {
        json.push('[');
        if let Some((size, inner)) = dimensions.split_first() {
            for index in 0..*size {
                if index > 0 {
                    json.push(',');
                }
                // SAFETY: as for the whole array.
                unsafe {
                    if !inner.is_empty() {
                        self.write_dimension(writer, inner, elements, json);
                        continue;
                    }
                    match elements.next() {
                        Some((datum, false)) => self.write(writer, datum, json),
                        _ => json.push_str("null"),
                    }
                }
            }
        }
        json.push(']');
    }

    unsafe fn write_row(&mut self, datum: pg_sys::Datum, json: &mut String) {
        // SAFETY: detoasted, the value is a row with a header that names its type; the arrays have
        // one entry per attribute.
        unsafe {
            let header = pg_sys::pg_detoast_datum(datum.cast_mut_ptr())
                .cast::<pg_sys::HeapTupleHeaderData>();
            let descriptor = pg_sys::lookup_rowtype_tupdesc_copy(
                (*header).t_choice.t_datum.datum_typeid,
                (*header).t_choice.t_datum.datum_typmod,
            );
            let count = usize::try_from((*descriptor).natts).unwrap_or(0);
            let mut tuple = pg_sys::HeapTupleData {
                t_len: u32::try_from(varsize_any(header.cast())).unwrap_or(0),
                t_data: header,
                ..Default::default()
            };
            let mut values = vec![pg_sys::Datum::from(0_usize); count];
            let mut nulls = vec![true; count];
            pg_sys::heap_deform_tuple(
                &raw mut tuple,
                descriptor,
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
            );
            json.push('{');
            let mut is_first = true;
            for (attribute, (datum, is_null)) in tuple_descriptor::attributes(descriptor)
                .iter()
                .zip(values.into_iter().zip(nulls))
                .filter(|(attribute, _)| !attribute.attisdropped)
            {
                if !is_first {
                    json.push(',');
                }
                is_first = false;
                json.push_str(&quote(&text_of(attribute.attname.data.as_ptr())));
                json.push(':');
                if is_null {
                    json.push_str("null");
                } else {
                    let writer = self.writer(attribute.atttypid);
                    self.write(&writer, datum, json);
                }
            }
            json.push('}');
        }
    }
}

impl TypeWriter {
    fn of(oid: pg_sys::Oid, context: pg_sys::MemoryContext) -> Self {
        // SAFETY: cache look-ups; the function's look-up record lives in the result's context.
        unsafe {
            let mut function = pg_sys::InvalidOid;
            let mut is_varlena = false;
            pg_sys::getTypeOutputInfo(oid, &raw mut function, &raw mut is_varlena);
            let output =
                pg_sys::MemoryContextAllocZero(context, size_of::<pg_sys::FmgrInfo>()).cast();
            pg_sys::fmgr_info_cxt(function, output, context);
            Self {
                shape: Shape::of(pg_sys::getBaseType(oid)),
                output,
            }
        }
    }

    /// The output function's text.
    unsafe fn text(&self, datum: pg_sys::Datum) -> String {
        // SAFETY: the value is of this type; the result is a C string in the row's context.
        unsafe { text_of(pg_sys::OutputFunctionCall(self.output, datum)) }
    }

    /// The JSON of a value without components.
    fn scalar(&self, text: &str) -> String {
        match self.shape {
            Shape::Boolean if text == "t" => "true".to_owned(),
            Shape::Boolean => "false".to_owned(),
            // Not NaN, not Infinity.
            Shape::Number if text.ends_with(|c: char| c.is_ascii_digit()) => text.to_owned(),
            // PostgreSQL's `json` keeps its input text, so it is validated again.
            Shape::Json if serde_json::from_str::<&RawValue>(text).is_ok() => text.to_owned(),
            _ => quote(text),
        }
    }
}

impl Shape {
    fn of(oid: pg_sys::Oid) -> Self {
        match oid {
            pg_sys::BOOLOID => Self::Boolean,
            pg_sys::INT2OID
            | pg_sys::INT4OID
            | pg_sys::INT8OID
            | pg_sys::FLOAT4OID
            | pg_sys::FLOAT8OID
            | pg_sys::NUMERICOID => Self::Number,
            pg_sys::JSONOID | pg_sys::JSONBOID => Self::Json,
            // SAFETY: look-ups in the type cache.
            _ => unsafe {
                let element = pg_sys::get_element_type(oid);
                if element != pg_sys::InvalidOid {
                    Self::Array(element)
                } else if pg_sys::type_is_rowtype(oid) {
                    Self::Row
                } else {
                    Self::Other
                }
            },
        }
    }
}

fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
