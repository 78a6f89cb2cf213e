//! A result as CSV for programs: RFC 4180, with every digit. NULL is an empty field.

use serde_json::Value;

use super::{Answer, Row};

impl Answer {
    /// All rows, with a line of names.
    pub fn csv(&self) -> Result<String, csv::Error> {
        let mut writer = csv::WriterBuilder::new()
            .terminator(csv::Terminator::CRLF)
            .from_writer(Vec::new());
        writer.write_record(
            self.result_columns
                .iter()
                .flatten()
                .map(|column| column.name.as_str()),
        )?;
        for Row(cells) in self.result_rows.iter().flatten() {
            writer.write_record(cells.iter().map(|(_, value)| {
                match serde_json::from_str(value.get()) {
                    Ok(Value::Null) => String::new(),
                    Ok(Value::String(text)) => text,
                    _ => value.get().to_owned(),
                }
            }))?;
        }
        let bytes = writer
            .into_inner()
            .map_err(|error| csv::Error::from(error.into_error()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_quotes_and_null() {
        let answer: Answer = serde_json::from_str(
            r#"{"result_columns": [{"name": "a", "type": "text"}, {"name": "b", "type": "numeric"}],
                "result_rows": [{"a": "x,\"y\"", "b": 1.10}, {"a": null, "b": 12345678901234567890}]}"#,
        )
        .unwrap();
        assert_eq!(
            answer.csv().unwrap(),
            "a,b\r\n\"x,\"\"y\"\"\",1.10\r\n,12345678901234567890\r\n"
        );
    }
}
