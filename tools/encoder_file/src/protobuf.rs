//! The few lines of protocol buffers that `sp.model` needs.

/// The fields of a message that have a length or 4 bytes, with their numbers; `None` if it is damaged.
pub(crate) fn fields(mut message: &[u8]) -> Option<Vec<(u64, &[u8])>> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let tag = number(&mut message)?;
        let length = match tag & 7 {
            0 => {
                number(&mut message)?;
                continue;
            }
            1 => 8,
            2 => usize::try_from(number(&mut message)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let (content, rest) = message.split_at_checked(length)?;
        fields.push((tag >> 3, content));
        message = rest;
    }
    Some(fields)
}

/// Takes a number of variable length from the front.
fn number(message: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = message.split_first()?;
        *message = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
