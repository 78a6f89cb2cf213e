//! What a reply may name: the tables and columns of the prompt, PostgreSQL's words, and what the reply itself has named.
//!
//! The rules are about words, not about the form of a query: a model that writes `t1.name` before it has said what `t1`
//! is goes its own way. Whether a column belongs to that table is the server's question; that there is such a column at
//! all is decided here, while the word is written.

use std::collections::HashSet;

use serde::Deserialize;

/// The names of a request, as SQL writes them.
#[derive(Debug, Default, Deserialize)]
pub struct Names {
    /// Tables, with their schema where the query needs it.
    pub tables: Vec<String>,
    /// Columns of all tables.
    pub columns: Vec<String>,
}

/// Words of queries that only read, and units of time.
const KEYWORDS: &str = "select with recursive distinct on from join inner left right full outer cross natural using where \
    group by having order limit offset fetch first next row rows only union intersect except all any some as and or not in \
    is null true false like ilike similar to escape between symmetric exists case when then else end asc desc nulls last \
    lateral window over partition range groups preceding following unbounded current filter within ordinality values array \
    interval date time timestamp zone at both leading trailing for collate materialized unknown distinct grouping sets rollup \
    cube ties exclude no others tablesample year years quarter quarters month months week weeks day days hour hours minute \
    minutes second seconds isodow dow doy isoyear epoch century decade millennium current_date current_time \
    current_timestamp localtime localtimestamp current_user";

/// Words that name a type.
const TYPES: &str = "integer int int2 int4 int8 bigint smallint numeric decimal real double precision float float8 float4 \
    text varchar character varying char boolean bool date timestamp timestamptz time interval json jsonb uuid bytea money \
    signed unsigned with without zone";

/// Functions: those of PostgreSQL that answers need, and those of other databases that are translated afterwards.
const FUNCTIONS: &str = "count sum avg min max round ceil ceiling floor trunc abs sign sqrt power mod exp ln log greatest \
    least coalesce nullif cast extract date_part date_trunc date_bin age now make_date make_interval to_char to_date \
    to_timestamp to_number lower upper initcap length char_length trim btrim ltrim rtrim substring substr position strpos \
    left right replace translate split_part concat concat_ws string_agg array_agg json_agg jsonb_agg array_length \
    array_to_string string_to_array cardinality unnest generate_series bool_and bool_or every stddev stddev_samp stddev_pop \
    variance var_samp var_pop corr percentile_cont percentile_disc mode row_number rank dense_rank percent_rank cume_dist \
    ntile lag lead first_value last_value nth_value regexp_replace regexp_match regexp_matches format reverse repeat lpad \
    rpad overlay random width_bucket row exists any some all in array values \
    year month day hour quarter week date time strftime datediff date_diff dateadd date_add date_sub ifnull isnull nvl len \
    julianday date_format group_concat getdate curdate to_days datepart timestampdiff instr iif if charindex convert isnumeric";

/// A word or sign of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// In lower case, unless it is quoted.
    Word(String),
    /// A number or a string.
    Constant,
    Sign(u8),
}

impl Token {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }
}

/// What may stand where a word is written.
enum Place {
    /// The first word of a query.
    Beginning,
    /// A name that the query gives.
    New,
    Type,
    Table,
    /// Behind the point of a qualified name.
    Member,
    Any,
}

/// The rules for one reply.
pub struct Rules {
    keywords: HashSet<&'static str>,
    types: HashSet<&'static str>,
    functions: HashSet<&'static str>,
    /// Without their schemas.
    tables: HashSet<String>,
    schemas: HashSet<String>,
    columns: HashSet<String>,
}

impl Rules {
    /// The rules of a request.
    pub fn new(names: &Names) -> Self {
        let words = |text: &'static str| text.split_whitespace().collect();
        let mut tables = HashSet::new();
        let mut schemas = HashSet::new();
        for name in &names.tables {
            let mut parts = parts(name);
            tables.extend(parts.pop());
            schemas.extend(parts);
        }
        Self {
            keywords: words(KEYWORDS),
            types: words(TYPES),
            functions: words(FUNCTIONS),
            tables,
            schemas,
            columns: names.columns.iter().flat_map(|name| parts(name)).collect(),
        }
    }

    /// Whether a reply may begin like this; with `is_end` whether it may be this.
    pub fn allow(&self, text: &[u8], is_end: bool) -> bool {
        let mut reader = Reader::new(self);
        reader.read(text, is_end).is_some()
    }

    fn is_like_an_alias(&self, word: &str) -> bool {
        // o, t1, od, or letters of a table in their order: cust, dept.
        let letters = word.trim_end_matches(|last: char| last.is_ascii_digit());
        let is_short = letters.len() <= 2 && word.len() - letters.len() <= 2;
        let is_abbreviation = |table: &String| {
            let mut rest = table.chars();
            letters.len() <= 5
                && table.starts_with(letters.get(..1).unwrap_or_default())
                && letters.chars().all(|letter| rest.any(|own| own == letter))
        };
        !letters.is_empty() && (is_short || self.tables.iter().any(is_abbreviation))
    }
}

/// `"Gift Cards"` is itself without its quotes, `hr.staff` are two.
fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut is_quoted = false;
    for letter in name.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted => parts.push(std::mem::take(&mut part)),
            _ => part.push(letter),
        }
    }
    parts.push(part);
    parts
}

/// Reads a reply from its beginning.
struct Reader<'a> {
    rules: &'a Rules,
    /// The last two.
    before: Option<Token>,
    last: Option<Token>,
    /// What the reply has named so far.
    given: HashSet<String>,
    /// For each open parenthesis: the word before it, and whether tables are listed in it.
    open: Vec<(String, bool)>,
    lists_tables: bool,
    has_with: bool,
    /// Whether the last word was a table or the end of a subquery, which an alias may follow.
    may_be_named: bool,
}

impl<'a> Reader<'a> {
    fn new(rules: &'a Rules) -> Self {
        Self {
            rules,
            before: None,
            last: None,
            given: HashSet::new(),
            open: Vec::new(),
            lists_tables: false,
            has_with: false,
            may_be_named: false,
        }
    }

    /// `None` where a word is not allowed.
    fn read(&mut self, text: &[u8], is_end: bool) -> Option<()> {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let rest = text.get(at..)?;
            let length = match byte {
                b if b.is_ascii_whitespace() => {
                    at += 1;
                    continue;
                }
                _ if self
                    .last
                    .as_ref()
                    .is_some_and(|last| *last == Token::Sign(b';')) =>
                {
                    return None;
                }
                b'\'' => {
                    self.last.as_ref()?;
                    let length = quoted(rest, b'\'');
                    if length.is_none() && is_end {
                        return None;
                    }
                    self.push(Token::Constant);
                    length.unwrap_or(rest.len())
                }
                b'"' => match quoted(rest, b'"') {
                    Some(length) => {
                        let name =
                            String::from_utf8_lossy(rest.get(1..length - 1)?).replace("\"\"", "\"");
                        self.name(&name, rest.get(length..)?, true)?;
                        length
                    }
                    None if is_end => return None,
                    None => {
                        let begun = String::from_utf8_lossy(rest.get(1..)?);
                        self.begins_name(&begun, true)?;
                        rest.len()
                    }
                },
                b'0'..=b'9' => {
                    self.last.as_ref()?;
                    self.push(Token::Constant);
                    let is_number = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
                    rest.iter().take_while(is_number).count()
                }
                b if b.is_ascii_alphabetic() || b == b'_' || b >= 0x80 => {
                    let is_word = |byte: &&u8| {
                        byte.is_ascii_alphanumeric() || **byte == b'_' || **byte >= 0x80
                    };
                    let length = rest.iter().take_while(is_word).count();
                    let word = String::from_utf8_lossy(rest.get(..length)?).to_lowercase();
                    match length == rest.len() && !is_end {
                        true => self.begins_name(&word, false)?,
                        false => self.name(&word, rest.get(length..)?, false)?,
                    }
                    length
                }
                // Comments, fences and parameters.
                b'-' if rest.get(1) == Some(&b'-') => return None,
                b'/' if rest.get(1) == Some(&b'*') => return None,
                b'`' | b'\\' | b'$' | b'{' | b'}' | b'?' => return None,
                sign => {
                    if self.last.is_none() && sign != b'(' {
                        return None;
                    }
                    self.sign(sign)?;
                    1
                }
            };
            at += length.max(1);
        }
        (!is_end || self.last.is_some() && self.open.is_empty()).then_some(())
    }

    fn push(&mut self, token: Token) {
        self.may_be_named = false;
        self.before = self.last.replace(token);
    }

    fn sign(&mut self, sign: u8) -> Option<()> {
        match sign {
            b'(' => {
                let opener = match &self.last {
                    Some(Token::Word(word)) => word.clone(),
                    _ => String::new(),
                };
                self.open.push((opener, self.lists_tables));
                self.lists_tables = false;
                self.push(Token::Sign(sign));
            }
            b')' => {
                let (_, lists_tables) = self.open.pop()?;
                self.lists_tables = lists_tables;
                self.push(Token::Sign(sign));
                self.may_be_named = true;
            }
            _ => self.push(Token::Sign(sign)),
        }
        Some(())
    }

    fn place(&self) -> Place {
        let Some(last) = &self.last else {
            return Place::Beginning;
        };
        let is_inside = |word: &str| self.open.last().is_some_and(|(opener, _)| opener == word);
        match last {
            Token::Sign(b'.') => Place::Member,
            Token::Sign(b':') => Place::Type,
            Token::Sign(b'(') if self.before.is_none() => Place::Beginning,
            Token::Word(word) if word == "as" && is_inside("cast") => Place::Type,
            Token::Word(word) if matches!(word.as_str(), "as" | "with" | "recursive") => Place::New,
            Token::Sign(b',') if self.has_with && self.open.is_empty() => Place::New,
            Token::Word(word) if word == "from" && self.is_from_of_a_call() => Place::Any,
            Token::Word(word) if matches!(word.as_str(), "from" | "join" | "lateral" | "only") => {
                Place::Table
            }
            Token::Sign(b',') if self.lists_tables => Place::Table,
            _ => Place::Any,
        }
    }

    /// `extract(year FROM …)`, `IS DISTINCT FROM`.
    fn is_from_of_a_call(&self) -> bool {
        let calls = ["extract", "substring", "trim", "overlay"];
        self.before
            .as_ref()
            .is_some_and(|before| before.is("distinct"))
            || self
                .open
                .last()
                .is_some_and(|(opener, _)| calls.contains(&opener.as_str()))
    }

    fn is_known(&self, place: &Place, word: &str, is_begun: bool) -> bool {
        let rules = self.rules;
        let fits = |own: &str| match is_begun {
            true => own.starts_with(word),
            false => own == word,
        };
        let one_of = |words: &HashSet<&'static str>| match is_begun {
            true => words.iter().any(|own| own.starts_with(word)),
            false => words.contains(word),
        };
        let named = |names: &HashSet<String>| match is_begun {
            // Unquoted names of other spelling are not reached.
            true => names
                .iter()
                .any(|own| fits(&own.to_lowercase()) || fits(own)),
            false => names.contains(word) || names.iter().any(|own| own.to_lowercase() == word),
        };
        match place {
            Place::Beginning => ["select", "with"].into_iter().any(fits),
            Place::New => true,
            Place::Type => one_of(&rules.types),
            Place::Member => named(&rules.columns) || named(&self.given) || named(&rules.tables),
            Place::Table => {
                named(&rules.tables)
                    || named(&rules.schemas)
                    || named(&self.given)
                    || [
                        "lateral",
                        "generate_series",
                        "unnest",
                        "select",
                        "values",
                        "only",
                    ]
                    .into_iter()
                    .any(fits)
            }
            Place::Any => {
                one_of(&rules.keywords)
                    || one_of(&rules.types)
                    || one_of(&rules.functions)
                    || named(&rules.columns)
                    || named(&rules.tables)
                    || named(&self.given)
                    || named(&rules.schemas)
            }
        }
    }

    fn begins_name(&self, word: &str, is_quoted: bool) -> Option<()> {
        let place = self.place();
        let is_allowed = self.is_known(&place, word, true)
            || self.may_be_named
            || matches!(place, Place::Any) && !is_quoted && self.rules.is_like_an_alias(word);
        is_allowed.then_some(())
    }

    fn name(&mut self, word: &str, rest: &[u8], is_quoted: bool) -> Option<()> {
        let next = rest
            .iter()
            .find(|byte| !byte.is_ascii_whitespace())
            .copied();
        let place = self.place();
        let is_keyword = !is_quoted && self.rules.keywords.contains(word);
        let mut is_table = matches!(place, Place::Table)
            || self
                .last
                .as_ref()
                .is_some_and(|last| *last == Token::Sign(b'.'))
                && self.lists_tables;
        match place {
            Place::New => {
                self.given.insert(word.to_owned());
                is_table = false;
            }
            _ if self.may_be_named && !is_keyword => {
                self.given.insert(word.to_owned());
            }
            // An alias whose table follows.
            Place::Any if next == Some(b'.') && self.rules.is_like_an_alias(word) && !is_quoted => {
            }
            // A word may go on behind white space that is not written yet.
            _ if !self.is_known(&place, word, false) => return None,
            Place::Any if next == Some(b'(') && !self.may_open(word, is_quoted) => return None,
            _ => {}
        }
        if !is_quoted {
            self.note(word);
        }
        self.push(Token::Word(word.to_owned()));
        self.may_be_named = is_table && !is_keyword || word == "end";
        Some(())
    }

    /// Whether a parenthesis may follow: that of a call, of a list, or of a subquery.
    fn may_open(&self, word: &str, is_quoted: bool) -> bool {
        let rules = self.rules;
        !is_quoted
            && (rules.functions.contains(word)
                || rules.keywords.contains(word)
                || rules.types.contains(word))
            || self.given.contains(word)
    }

    fn note(&mut self, word: &str) {
        match word {
            "with" if self.last.is_none() => self.has_with = true,
            "select" => {
                self.lists_tables = false;
                if self.open.is_empty() {
                    self.has_with = false;
                }
            }
            "from" if !self.is_from_of_a_call() => self.lists_tables = true,
            "where" | "group" | "having" | "order" | "limit" | "on" | "using" | "union"
            | "intersect" | "except" | "window" => {
                self.lists_tables = false;
            }
            "join" => self.lists_tables = true,
            _ => {}
        }
    }
}

/// How long a quoted text is; `None` where it does not end.
fn quoted(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    loop {
        match (text.get(at), text.get(at + 1)) {
            (Some(&byte), Some(&next)) if byte == quote && next == quote => at += 2,
            (Some(&byte), _) if byte == quote => return Some(at + 1),
            (Some(_), _) => at += 1,
            (None, _) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        let list = |text: &str| text.split(' ').map(str::to_owned).collect();
        let mut columns: Vec<String> =
            list("customer_id company_name country order_id order_date \"unitPrice\" name");
        columns.push("\"Card No\"".to_owned());
        let mut tables: Vec<String> = list("customers orders hr.departments");
        tables.push("\"Gift Cards\"".to_owned());
        Rules::new(&Names { tables, columns })
    }

    fn may_be(text: &str) -> bool {
        rules().allow(text.as_bytes(), true)
    }

    fn may_begin(text: &str) -> bool {
        rules().allow(text.as_bytes(), false)
    }

    /// Every beginning of what may be written may be written, too.
    fn is_free(text: &str) {
        assert!(may_be(text), "{text}");
        for (end, _) in text.char_indices() {
            let begun = text.get(..end).unwrap();
            assert!(may_begin(begun), "{begun}");
        }
    }

    #[test]
    fn queries_of_names_that_exist_are_free() {
        is_free(
            "SELECT country, count(*) AS customers_there FROM customers GROUP BY country ORDER BY customers_there DESC LIMIT 5;",
        );
        is_free(
            "SELECT T1.company_name FROM customers AS T1 JOIN orders AS T2 ON T1.customer_id = T2.customer_id WHERE T2.order_date >= '1997-01-01'",
        );
        is_free(
            "SELECT c.company_name FROM customers c LEFT JOIN orders o USING (customer_id) WHERE o.order_id IS NULL",
        );
        is_free(
            "SELECT EXTRACT(YEAR FROM o.order_date) AS y, SUM(\"unitPrice\") total FROM orders o GROUP BY y HAVING count(*) > 1.5",
        );
        is_free(
            "WITH big AS (SELECT customer_id, count(*) AS n FROM orders GROUP BY 1), other AS (SELECT 1) SELECT c.name, b.n FROM big b JOIN customers c ON c.customer_id = b.customer_id",
        );
        is_free("SELECT \"Card No\" FROM \"Gift Cards\" WHERE name = 'O''Neil ß'");
        is_free(
            "SELECT d.name FROM hr.departments d, orders WHERE CAST(order_id AS numeric(10, 2)) > 1 AND order_date::date < current_date - INTERVAL '1 month'",
        );
        is_free("SELECT x.name FROM (SELECT name FROM orders WHERE order_id IN (1, 2)) AS x");
        is_free("SELECT cust.name FROM customers cust");
        is_free("SELECT CASE WHEN country = 'UK' THEN 1 ELSE 0 END AS british FROM customers");
    }

    #[test]
    fn a_name_that_does_not_exist_cannot_be_written() {
        for text in [
            "SELECT city",
            "SELECT c.city",
            "SELECT count(*) FROM invoices",
            "SELECT name FROM customers WHERE region",
            "SELECT name FROM customers ORDER BY turnover",
            "SELECT \"unitCost\"",
            "SELECT foo(",
        ] {
            assert!(!may_begin(&format!("{text} ")), "{text}");
        }
        assert!(!may_begin("SELECT c.company_tit"));
        assert!(may_begin("SELECT c.company_n"));
    }

    #[test]
    fn a_reply_is_one_query_that_reads() {
        for text in [
            "```sql",
            "The",
            "DELETE",
            "INSERT",
            "SELECT 1; SELECT",
            "SELECT 1 -- x",
            "SELECT $1",
            ") x",
        ] {
            assert!(!may_begin(text), "{text}");
        }
        assert!(may_be("SELECT 1;\n"));
        for text in [
            "",
            "SELECT (1",
            "SELECT 'x",
            "SELECT \"na",
            "SELECT nam FROM customers",
        ] {
            assert!(!may_be(text), "{text}");
        }
    }
}
