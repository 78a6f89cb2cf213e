//! Constants that request a huge value. It is created by one allocation, which neither the timer nor the memory
//! watchdog can interrupt: `format('%900000000s', 'x')` takes 4 s and 1.7 GB.

use pgrx::pg_sys::NodeTag;
use pgrx::{FromDatum, PgList, pg_sys};

use crate::pg::server::spi::encoding::text_of;

/// Maximum length that `repeat`, `lpad`, `rpad` and a width in `format` may request by a constant.
const MAX_FILL: i32 = 100_000;

/// Maximum number of elements for `array_fill`, and of points of a polygon around a circle. Their loops do not
/// check for interrupts (120 million elements: 3 s), so a number known only at run time is refused as well.
const MAX_ELEMENTS: i64 = 100_000;

// OIDs of pg_proc.dat, the same in PostgreSQL 13 to 18.
const REPEAT: u32 = 1622;
const LPAD: u32 = 879;
const LPAD_FILL: u32 = 873;
const RPAD: u32 = 880;
const RPAD_FILL: u32 = 874;
const FORMAT: u32 = 3540;
const FORMAT_VARIADIC: u32 = 3539;
const ARRAY_FILL: u32 = 1193;
const ARRAY_FILL_BOUNDS: u32 = 1286;
const CIRCLE_TO_POLYGON: u32 = 1475;

/// Whether the call requests more than the maximum in one step.
///
/// # Safety
/// The arguments are those of an analysed call.
pub(super) unsafe fn asks_for_huge_value(call: &pg_sys::FuncExpr) -> bool {
    // SAFETY: the arguments are expression nodes; each cast follows the node's tag, and the
    // Datum's form the constant's type.
    unsafe {
        let arguments = PgList::<pg_sys::Node>::from_pg(call.args);
        let constant = |index| {
            arguments
                .get_ptr(index)
                .filter(|node: &*mut pg_sys::Node| (**node).type_ == NodeTag::T_Const)
                .map(|node| &*node.cast::<pg_sys::Const>())
                .filter(|constant| !constant.constisnull)
        };
        match call.funcid.to_u32() {
            REPEAT | LPAD | LPAD_FILL | RPAD | RPAD_FILL => {
                constant(1).is_some_and(|length| length.constvalue.value() as i32 > MAX_FILL)
            }
            FORMAT | FORMAT_VARIADIC => constant(0).is_some_and(|format| {
                let text = pg_sys::text_to_cstring(format.constvalue.cast_mut_ptr());
                has_huge_width(&text_of(text))
            }),
            ARRAY_FILL | ARRAY_FILL_BOUNDS => {
                let sizes = arguments.get_ptr(1);
                sizes
                    .and_then(|sizes| product_of(sizes))
                    .is_none_or(|count| count > MAX_ELEMENTS)
            }
            CIRCLE_TO_POLYGON => constant(0)
                .is_none_or(|count| i64::from(count.constvalue.value() as i32) > MAX_ELEMENTS),
            _ => false,
        }
    }
}

/// The product of an array of constant numbers.
///
/// # Safety
/// The node is an expression of type `integer[]`.
unsafe fn product_of(sizes: *mut pg_sys::Node) -> Option<i64> {
    // SAFETY: each cast follows the node's tag, and the Datum's form the constant's type.
    unsafe {
        let factors: Vec<Option<i32>> = match (*sizes).type_ {
            NodeTag::T_Const => {
                let constant = &*sizes.cast::<pg_sys::Const>();
                Vec::from_datum(constant.constvalue, constant.constisnull)?
            }
            NodeTag::T_ArrayExpr => {
                let elements = (*sizes.cast::<pg_sys::ArrayExpr>()).elements;
                PgList::<pg_sys::Node>::from_pg(elements)
                    .iter_ptr()
                    .map(|element| {
                        ((*element).type_ == NodeTag::T_Const)
                            .then(|| (*element.cast::<pg_sys::Const>()).constvalue.value() as i32)
                    })
                    .collect()
            }
            _ => return None,
        };
        factors
            .into_iter()
            .try_fold(1_i64, |product, factor| product.checked_mul(factor?.into()))
    }
}

/// Whether a `format` template has a number of more than five digits after a percent sign.
fn has_huge_width(template: &str) -> bool {
    template.split('%').skip(1).any(|directive| {
        directive
            .split(|c: char| !c.is_ascii_digit())
            .take(3)
            .any(|digits| digits.len() > 5)
    })
}
