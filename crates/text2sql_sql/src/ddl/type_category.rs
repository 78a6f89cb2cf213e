//! The category of a type by its name, in any of the dialects.

use text2sql_domain::schema::TypeCategory;

/// The category of a type as it is written in DDL.
pub(super) fn category(type_name: &str) -> TypeCategory {
    let lower = type_name.to_lowercase();
    let lower = lower.trim();
    let is_array = lower.ends_with(']') || lower.ends_with(" array");
    let first = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()
        .unwrap_or_default();
    if is_array || matches!(first, "list" | "map") {
        return TypeCategory::Array;
    }
    // MySQL's booleans are numbers of one digit.
    if lower.starts_with("tinyint(1)") {
        return TypeCategory::Boolean;
    }
    exact(first, lower).unwrap_or_else(|| by_affinity(first))
}

/// Whether the word is the name of a type.
pub(super) fn is_type(word: &str) -> bool {
    let lower = word.to_lowercase();
    exact(&lower, &lower).is_some()
}

/// SQLite's rule of affinity: a type that has INT in its name holds integers, and so on.
fn by_affinity(word: &str) -> TypeCategory {
    if word.contains("int") && !word.contains("point") {
        TypeCategory::Integer
    } else if word.contains("char") || word.contains("text") {
        TypeCategory::Text
    } else {
        TypeCategory::Other
    }
}

/// The category of a type with that first word.
fn exact(first: &str, whole: &str) -> Option<TypeCategory> {
    Some(match first {
        "bool" | "boolean" => TypeCategory::Boolean,
        "bit" if !whole.starts_with("bit varying") && !whole.contains('(') => TypeCategory::Boolean,
        "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" | "int1" | "int2"
        | "int3" | "int4" | "int8" | "int16" | "int32" | "int64" | "int128" | "serial"
        | "smallserial" | "bigserial" | "serial2" | "serial4" | "serial8" | "hugeint"
        | "uhugeint" | "ubigint" | "uinteger" | "usmallint" | "utinyint" | "long" | "short"
        | "signed" | "unsigned" => TypeCategory::Integer,
        "numeric" | "decimal" | "dec" | "number" | "real" | "double" | "float" | "float4"
        | "float8" | "money" | "smallmoney" | "fixed" => TypeCategory::Number,
        "text" | "varchar" | "char" | "character" | "nvarchar" | "nchar" | "ntext" | "tinytext"
        | "mediumtext" | "longtext" | "citext" | "string" | "clob" | "varchar2" | "nvarchar2"
        | "bpchar" | "name" | "sysname" | "national" | "varying" | "native" | "set" => {
            TypeCategory::Text
        }
        "enum" => TypeCategory::Enum,
        "date" => TypeCategory::Date,
        "datetime" | "datetime2" | "smalldatetime" | "timestamp" | "timestamptz"
        | "timestamp_s" | "timestamp_ms" | "timestamp_ns" | "datetimeoffset" => {
            TypeCategory::Timestamp
        }
        "time" | "timetz" => TypeCategory::Time,
        "interval" => TypeCategory::Interval,
        "uuid" | "uniqueidentifier" => TypeCategory::Uuid,
        "json" | "jsonb" | "variant" => TypeCategory::Json,
        "int4range" | "int8range" | "numrange" | "daterange" | "tsrange" | "tstzrange"
        | "int4multirange" | "int8multirange" | "nummultirange" | "datemultirange"
        | "tsmultirange" | "tstzmultirange" => TypeCategory::Range,
        "struct" | "row" | "union" => TypeCategory::Composite,
        "bytea" | "blob" | "tinyblob" | "mediumblob" | "longblob" | "binary" | "varbinary"
        | "image" | "rowversion" | "bytes" => TypeCategory::Binary,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_types_of_all_dialects() {
        for (name, expect) in [
            ("varchar(20)", TypeCategory::Text),
            ("NVARCHAR(MAX)", TypeCategory::Text),
            ("bigint unsigned", TypeCategory::Integer),
            ("tinyint(1)", TypeCategory::Boolean),
            ("bit", TypeCategory::Boolean),
            ("decimal(10,2)", TypeCategory::Number),
            ("double precision", TypeCategory::Number),
            ("timestamp with time zone", TypeCategory::Timestamp),
            ("datetime2(7)", TypeCategory::Timestamp),
            ("INTEGER[]", TypeCategory::Array),
            ("STRUCT(a INTEGER, b TEXT)", TypeCategory::Composite),
            ("uniqueidentifier", TypeCategory::Uuid),
            ("UNSIGNED BIG INT", TypeCategory::Integer),
            ("geometry", TypeCategory::Other),
            ("", TypeCategory::Other),
        ] {
            assert_eq!(category(name), expect, "{name}");
        }
    }
}
