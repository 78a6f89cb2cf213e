//! Constants that ask for a huge value. It is made by one allocation, which neither the timer nor
//! the memory watchdog can interrupt: `format('%900000000s', 'x')` takes 4 s and 1.7 GB.

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_sys};

use crate::pg::encoding::text_of;

/// Length that `repeat`, `lpad`, `rpad` and a width in `format` may ask for by a constant.
const MAX_FILL: i32 = 100_000;

// OIDs of pg_proc.dat, the same in PostgreSQL 13 to 18.
const REPEAT: u32 = 1622;
const LPAD: u32 = 879;
const LPAD_FILL: u32 = 873;
const RPAD: u32 = 880;
const RPAD_FILL: u32 = 874;
const FORMAT: u32 = 3540;
const FORMAT_VARIADIC: u32 = 3539;

/// Whether a call of `repeat`, `lpad`, `rpad` or `format` asks for more by a constant.
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
            _ => false,
        }
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
