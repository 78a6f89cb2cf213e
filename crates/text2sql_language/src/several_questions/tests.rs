//! Questions that are cut, and many that are not.

use super::*;

fn texts(text: &str) -> Option<Vec<String>> {
    Some(split(text)?.into_iter().map(|part| part.text).collect())
}

#[test]
fn independent_questions_are_parts() {
    for (text, parts) in [
        (
            "How many orders were there in 2025, and which store sold most?",
            &[
                "How many orders were there in 2025?",
                "Which store sold most?",
            ][..],
        ),
        (
            "How many customers are there? And how many stores are there?",
            &[
                "How many customers are there?",
                "How many stores are there?",
            ],
        ),
        (
            "Compare the revenue of 2024 and 2025; also list the ten best customers",
            &[
                "Compare the revenue of 2024 and 2025.",
                "List the ten best customers.",
            ],
        ),
        (
            "Please show the stores in Berlin and how many orders were placed last month",
            &[
                "Show the stores in Berlin.",
                "How many orders were placed last month?",
            ],
        ),
        (
            "How many customers are there, how many orders were placed, and which stores are in Graz?",
            &[
                "How many customers are there?",
                "How many orders were placed?",
                "Which stores are in Graz?",
            ],
        ),
        (
            "Wie viele Bestellungen gab es 2025 und wie viele Kunden gibt es?",
            &[
                "Wie viele Bestellungen gab es 2025?",
                "Wie viele Kunden gibt es?",
            ],
        ),
        (
            "Welche Filialen sind in Wien, und wie viele Kunden gibt es?",
            &["Welche Filialen sind in Wien?", "Wie viele Kunden gibt es?"],
        ),
        (
            "List the stores. How many of the employees are managers?",
            &[
                "List the stores.",
                "How many of the employees are managers?",
            ],
        ),
        (
            "How many orders were there this year and which customers live in \"Bad Ischl\"?",
            &[
                "How many orders were there this year?",
                "Which customers live in \"Bad Ischl\"?",
            ],
        ),
    ] {
        assert_eq!(
            texts(text).as_deref(),
            Some(&parts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>()[..]),
            "{text}"
        );
    }
}

#[test]
fn lists_conditions_and_references_are_one_question() {
    for text in [
        "How many orders and customers are there?",
        "Show orders and customers",
        "Products with a price between 1 and 5",
        "How many customers live in Berlin and Hamburg?",
        "Which customers ordered in 2024 and 2025?",
        "Which customers ordered in 2024 and which in 2025?",
        "Show orders which were cancelled and which were paid in 2025",
        "Which customers live in Berlin and have ordered twice?",
        "Show the price and list price of each product",
        "Show the name and count of the products",
        "Customers who live in Berlin and who ordered in 2025",
        "Which store sold how many coats and how many hats were returned there?",
        "Which store sold how many coats and how many hats were sold?",
        "Which store sold most, and how many orders does it have?",
        "Which customers ordered most and where do they live?",
        "List the ten best customers and show their orders",
        "What is the best month, and who bought most in that month?",
        "Find the best store. Who works there?",
        "Which month had the highest revenue and how many orders were in the same month?",
        "How many orders and how many customers?",
        "For each store, how many orders were placed and how many customers came?",
        "In 2025, how many orders were placed and which store sold most?",
        "Show the text 'how many and which one? how many'",
        "Show the film \"Who is it? And which one?\"",
        "List the orders of customer No. 5 and the returns",
        "How many orders were there in St. Gallen?",
        "How many orders were there?",
        "Search and rescue orders by month",
        "Welche Kunden wohnen in Wien und welche in Graz?",
        "Welche Filiale hat am meisten verkauft und wie viele Mitarbeiter hat sie?",
        "Zeige Bestellungen und Kunden",
        "Wie viele Kunden und Filialen gibt es?",
        "Welche Kunden wohnen in Wien und haben 2025 bestellt?",
        "Show the stores and which employees each has",
        "Which products are new, and which are sold out?",
        "orders by month and how many were cancelled",
        // The other sentence goes on about the same.
        "Which store sold most? Give me the name of the store.",
        "Who are the five oldest customers, and also what are the ages?",
        "How many coats does each store sell and what are the names of the best three?",
        "What is the revenue of each store? Also list the city.",
        "Find the employees who have sold a coat and also find the coat.",
        "Show the customers with an address in Graz and who do not have a card",
        "What is the average price and how many coats are there in each store?",
        "What is the name of the store with most returns and how many returns are there?",
        "What are the kinds of coats and how many are of each kind?",
        "What is the rarest colour, and how many are there?",
        "Which store has the highest average price, and what is the average price?",
        "When was the coat sold? Give me the day.",
        "How many customers, orders, and stores are there?",
        "What is the average and what the maximum of the price?",
        "",
        "and and and",
        "? ! ;",
    ] {
        assert_eq!(texts(text), None, "{text}");
    }
}

#[test]
fn more_parts_than_allowed_are_not_cut() {
    let text = "How many stores are there? ".repeat(MAX_PARTS + 1);
    assert_eq!(texts(&text), None);
}

#[test]
fn parts_of_one_sentence_are_marked() {
    let parts =
        split("How many orders were there, and which stores are in Graz? List all products.")
            .unwrap_or_default();
    let marks: Vec<(bool, &str)> = parts
        .iter()
        .map(|part| (part.continues_sentence, part.opener.as_str()))
        .collect();
    assert_eq!(
        marks,
        [(false, "how many"), (true, "which"), (false, "list")]
    );
}

#[test]
fn models_are_told_about_parts_in_any_language() {
    for text in [
        "How many orders were there in 2025, and which store sold most?",
        "Combien de clients et quelles villes ?",
        "¿Cuántos pedidos hubo? ¿Qué tienda vendió más?",
        "Quanti clienti ci sono e quali negozi?",
        "Hoeveel klanten zijn er en welke winkels?",
        "Compare the revenue; also list the customers",
        "How many orders are there, and who is best?",
    ] {
        assert!(may_be_several(text), "{text}");
    }
    for text in [
        "How many orders were there?",
        "Show orders and customers",
        "Products with a price between 1 and 5",
        "Wie viele Kunden und Filialen gibt es?",
        "Gibt es leere Kisten? Welche?",
        "Quelqu'un gagne-t-il plus que son chef ? Qui ?",
    ] {
        assert!(!may_be_several(text), "{text}");
    }
}

#[test]
fn long_texts_are_read_in_linear_time() {
    // 16 kB of the worst take milliseconds; what is read anew for each word would take minutes.
    let long = |piece: &str| piece.repeat(200_000 / piece.len());
    for text in [
        long("and "),
        long("and how x "),
        long("please "),
        long("show all and which a? it "),
        long("how many a are there and which b, "),
    ] {
        let _ = split(&text);
        let _ = may_be_several(&text);
    }
}

#[test]
fn no_text_is_cut_inside_a_letter() {
    for text in [
        "Wie viele Käufe gab es, und wie viele Käufer gibt es",
        "\u{130}st. How many İs are there? how many",
    ] {
        for (end, _) in text.char_indices() {
            let _ = split(&text[..end]);
            let _ = may_be_several(&text[..end]);
        }
    }
}
