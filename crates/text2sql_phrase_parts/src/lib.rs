//! The values of a sentence's placeholders, for the macros of `text2sql_phrases`. A placeholder that is given no value
//! takes the variable of its name, as those of `format!` do.

#![forbid(unsafe_code)]

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// `parts!(["{rows} of {all}"] all = count)` is `&[("all", &count), ("rows", &rows)]`. A template that is no literal has
/// no placeholders that could be seen here.
#[proc_macro]
pub fn parts(input: TokenStream) -> TokenStream {
    let mut input = input.into_iter();
    let templates = input.next().map(literals).unwrap_or_default();
    let mut parts: Vec<(String, TokenStream)> = given(input.collect());
    for (template, span) in templates {
        for name in placeholders(&template) {
            if !parts.iter().any(|(known, _)| *known == name) {
                let variable = TokenTree::Ident(Ident::new(&name, span));
                parts.push((name, variable.into()));
            }
        }
    }
    let parts: TokenStream = parts.into_iter().flat_map(pair).collect();
    let array = Group::new(Delimiter::Bracket, parts);
    [punct('&'), TokenTree::Group(array)].into_iter().collect()
}

/// The values that the caller names: `name` or `name = value`, separated by commas.
fn given(tokens: Vec<TokenTree>) -> Vec<(String, TokenStream)> {
    let is = |token: &TokenTree, sign| matches!(token, TokenTree::Punct(p) if p.as_char() == sign);
    let arguments = tokens.split(|token| is(token, ','));
    let named = arguments.filter_map(|argument| {
        let name = argument.first()?;
        let value = match argument.get(1).is_some_and(|token| is(token, '=')) {
            true => argument.get(2..)?.iter().cloned().collect(),
            false => name.clone().into(),
        };
        Some((name.to_string(), value))
    });
    named.collect()
}

/// The literals of a list, each with where it is written.
fn literals(list: TokenTree) -> Vec<(String, Span)> {
    match list {
        TokenTree::Group(group) => group.stream().into_iter().flat_map(literals).collect(),
        TokenTree::Literal(literal) => vec![(literal.to_string(), literal.span())],
        _ => Vec::new(),
    }
}

/// The names in braces, as they stand in the source: `{name}` or `{name:case}`, but not the `{e9}` of `\u{e9}`.
fn placeholders(template: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let is_escape = before.ends_with("\\u");
        let inner = after.split_once('}').map_or("", |(inner, _)| inner);
        let name = inner.split(':').next().unwrap_or_default();
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_name && !is_escape {
            names.push(name.to_owned());
        }
        rest = after;
    }
    names
}

/// `("name", &value),`
fn pair((name, value): (String, TokenStream)) -> [TokenTree; 2] {
    let name = TokenTree::Literal(Literal::string(&name));
    let value = TokenTree::Group(Group::new(Delimiter::Parenthesis, value));
    let pair = [name, punct(','), punct('&'), value].into_iter().collect();
    let pair = TokenTree::Group(Group::new(Delimiter::Parenthesis, pair));
    [pair, punct(',')]
}

fn punct(sign: char) -> TokenTree {
    TokenTree::Punct(Punct::new(sign, Spacing::Alone))
}
