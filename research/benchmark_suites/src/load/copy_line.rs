//! A row as COPY reads it.

/// A row in the text form of COPY.
pub(crate) fn copy_line(values: impl Iterator<Item = Option<String>>) -> String {
    let mut line = String::new();
    for (place, value) in values.enumerate() {
        if place > 0 {
            line.push('\t');
        }
        match value {
            None => line.push_str("\\N"),
            Some(value) => {
                for c in value.chars() {
                    match c {
                        '\\' => line.push_str("\\\\"),
                        '\t' => line.push_str("\\t"),
                        '\n' => line.push_str("\\n"),
                        '\r' => line.push_str("\\r"),
                        c => line.push(c),
                    }
                }
            }
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::copy_line;
    use crate::load::column_type::Type;
    use crate::value::Raw;

    #[test]
    fn copy_gets_each_value_in_its_type() {
        let values = [
            Type::Bigint.input(&Raw::Real(3.0)),
            Type::Bigint.input(&Raw::Text("n/a".to_owned())),
            Type::Text.input(&Raw::Text("a\tb\\".to_owned())),
            Type::Bytes.input(&Raw::Blob(vec![0, 255])),
            Type::Text.input(&Raw::Real(0.1)),
        ];
        assert_eq!(
            copy_line(values.into_iter()),
            "3\t\\N\ta\\tb\\\\\t\\\\x00ff\t0.1\n"
        );
    }
}
