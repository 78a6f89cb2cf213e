//! Which days periods are, in every language that is known here, and what is left alone.

use super::*;
use crate::understanding::Understanding;

#[track_caller]
fn check(question: &str, expect: &[&str]) {
    let found: Vec<String> = Understanding::of(question, "2026-11-21")
        .periods()
        .iter()
        .map(MentionedPeriod::statement)
        .collect();
    assert_eq!(found, expect, "{question}");
}

#[test]
fn tells_the_days_of_periods_in_english() {
    check(
        "How many orders were placed last month?",
        &["'last month' is 2026-10-01 up to but without 2026-11-01"],
    );
    check(
        "Revenue this quarter by country",
        &["'this quarter' is 2026-10-01 up to but without 2027-01-01"],
    );
    check(
        "What is the year-to-date revenue?",
        &["'year-to-date' is 2026-01-01 up to but without 2026-11-22"],
    );
    check(
        "revenue year to date",
        &["'year to date' is 2026-01-01 up to but without 2026-11-22"],
    );
    check(
        "Open invoices as of today",
        &["'as of today' is before 2026-11-22"],
    );
    check("Orders placed yesterday", &["'yesterday' is 2026-11-20"]);
    check(
        "Orders of the last 7 days",
        &["'last 7 days' is 2026-11-15 up to but without 2026-11-22"],
    );
    check(
        "New customers since January",
        &["'since January' is 2026-01-01 and later"],
    );
    check(
        "New customers since December",
        &["'since December' is 2025-12-01 and later"],
    );
    check(
        "Compare this year with last year",
        &[
            "'this year' is 2026-01-01 up to but without 2027-01-01",
            "'last year' is 2025-01-01 up to but without 2026-01-01",
        ],
    );
    check(
        "sales from 2024 to today",
        &["'from 2024 to today' is 2024-01-01 up to but without 2026-11-22"],
    );
}

#[test]
fn tells_the_days_of_periods_in_german() {
    check(
        "Wie viele Bestellungen gab es letzten Monat?",
        &["'letzten Monat' ist 2026-10-01 bis ausschließlich 2026-11-01"],
    );
    check(
        "Umsatz dieses Jahr",
        &["'dieses Jahr' ist 2026-01-01 bis ausschließlich 2027-01-01"],
    );
    check(
        "Umsatz im Vorjahr",
        &["'Vorjahr' ist 2025-01-01 bis ausschließlich 2026-01-01"],
    );
    check(
        "Bestellungen der letzten 7 Tage",
        &["'letzten 7 Tage' ist 2026-11-15 bis ausschließlich 2026-11-22"],
    );
    check(
        "Umsatz seit Jahresbeginn je Land",
        &["'seit Jahresbeginn' ist 2026-01-01 bis ausschließlich 2026-11-22"],
    );
    check(
        "Welche Bestellungen gab es gestern?",
        &["'gestern' ist 2026-11-20"],
    );
    check(
        "Neue Kunden seit Januar",
        &["'seit Januar' ist ab 2026-01-01"],
    );
    check(
        "Welche Bestellungen kamen vor 3 Tagen?",
        &["'vor 3 Tagen' ist 2026-11-18"],
    );
}

#[test]
fn leaves_alone_what_today_does_not_tell() {
    for question in [
        "How many orders were placed in 2024?",
        "Orders in March 2025",
        "Sales since Easter",
        "How many albums are called 'Today'?",
        "Who sang Yesterday?",
        "The last 5 orders",
        "Customers with the last name Smith",
        "Revenue of the last fiscal year",
        "Revenue against the same month last year",
        "The last week of July 2022",
    ] {
        check(question, &[]);
    }
}

#[test]
fn tells_the_days_of_periods_in_other_languages() {
    let check = |question: &str, expect: &str| check(question, &[expect]);
    // French
    check(
        "Combien de commandes le mois dernier ?",
        "'le mois dernier' est 2026-10-01 jusqu'au 2026-11-01 exclu",
    );
    check(
        "Le chiffre d'affaires de cette année par pays",
        "'cette année' est 2026-01-01 jusqu'au 2027-01-01 exclu",
    );
    check(
        "Quelles commandes des 7 derniers jours ?",
        "'7 derniers jours' est 2026-11-15 jusqu'au 2026-11-22 exclu",
    );
    check(
        "Ventes depuis le début de l'année",
        "'depuis le début de l'année' est 2026-01-01 jusqu'au 2026-11-22 exclu",
    );
    check("Qui sont les clients d'hier ?", "'hier' est 2026-11-20");
    check(
        "les commandes d'il y a trois jours",
        "'il y a trois jours' est 2026-11-18",
    );
    check(
        "Combien de ventes aujourd'hui ?",
        "'aujourd'hui' est 2026-11-21",
    );
    // Spanish
    check(
        "¿Cuántos pedidos hubo el mes pasado?",
        "'el mes pasado' es 2026-10-01 hasta 2026-11-01 sin incluirlo",
    );
    check(
        "Ventas del año pasado por país",
        "'del año pasado' es 2025-01-01 hasta 2026-01-01 sin incluirlo",
    );
    check(
        "ingresos en lo que va de año",
        "'en lo que va de año' es 2026-01-01 hasta 2026-11-22 sin incluirlo",
    );
    check(
        "pedidos de los últimos siete días",
        "'los últimos siete días' es 2026-11-15 hasta 2026-11-22 sin incluirlo",
    );
    check("¿Cuáles son los pedidos de ayer?", "'ayer' es 2026-11-20");
    check(
        "cuantos clientes de este trimestre",
        "'este trimestre' es 2026-10-01 hasta 2027-01-01 sin incluirlo",
    );
    // Italian
    check(
        "Quanti ordini ci sono stati il mese scorso?",
        "'il mese scorso' è 2026-10-01 fino al 2026-11-01 escluso",
    );
    check(
        "Il fatturato di quest'anno per paese",
        "'quest'anno' è 2026-01-01 fino al 2027-01-01 escluso",
    );
    check(
        "gli ordini degli ultimi 30 giorni",
        "'ultimi 30 giorni' è 2026-10-23 fino al 2026-11-22 escluso",
    );
    check(
        "fatturato dall'inizio dell'anno",
        "'dall'inizio dell'anno' è 2026-01-01 fino al 2026-11-22 escluso",
    );
    check("Quali ordini sono di ieri?", "'ieri' è 2026-11-20");
    // Portuguese
    check(
        "Quantos pedidos houve no mês passado?",
        "'no mês passado' é 2026-10-01 até 2026-11-01 exclusive",
    );
    check(
        "Receita do ano passado por país",
        "'do ano passado' é 2025-01-01 até 2026-01-01 exclusive",
    );
    check(
        "vendas nos últimos 7 dias",
        "'nos últimos 7 dias' é 2026-11-15 até 2026-11-22 exclusive",
    );
    check(
        "receita desde o início do ano",
        "'desde o início do ano' é 2026-01-01 até 2026-11-22 exclusive",
    );
    check("Quais pedidos chegaram ontem?", "'ontem' é 2026-11-20");
    // Dutch
    check(
        "Hoeveel bestellingen waren er vorige maand?",
        "'vorige maand' is 2026-10-01 tot 2026-11-01 (niet inbegrepen)",
    );
    check(
        "De omzet van dit jaar per land",
        "'dit jaar' is 2026-01-01 tot 2027-01-01 (niet inbegrepen)",
    );
    check(
        "De omzet van dit jaar tot nu toe",
        "'dit jaar tot nu toe' is 2026-01-01 tot 2026-11-22 (niet inbegrepen)",
    );
    check(
        "bestellingen van de afgelopen 7 dagen",
        "'de afgelopen 7 dagen' is 2026-11-15 tot 2026-11-22 (niet inbegrepen)",
    );
    check(
        "Welke bestellingen kwamen gisteren binnen?",
        "'gisteren' is 2026-11-20",
    );
    // Without small words, where nobody else could mean something else by it.
    check(
        "ventas mes pasado",
        "'mes pasado' es 2026-10-01 hasta 2026-11-01 sin incluirlo",
    );
    check(
        "omzet vorige maand",
        "'vorige maand' is 2026-10-01 tot 2026-11-01 (niet inbegrepen)",
    );
    check(
        "vendas semana passada",
        "'semana passada' é 2026-11-09 até 2026-11-16 exclusive",
    );
}

#[test]
fn words_that_mean_something_else_elsewhere_do_not_fire() {
    for question in [
        // German and Dutch "here", and a surname.
        "Welche Kunden sind hier?",
        "Welke klanten zijn hier?",
        "hier",
        "Orders of customer Demain",
        "Who sang Hier encore?",
        // The morning.
        "Hoeveel bestellingen waren er in de morgen?",
        "¿Cuántos pedidos hubo por la mañana?",
        "Quantos pedidos houve pela manhã?",
        // The calendar's, or the last thirty days?
        "Combien de commandes le dernier mois ?",
        "¿Cuántos pedidos hubo en el último mes?",
        "Quanti ordini nell'ultimo mese?",
        "Quantos pedidos houve no último mês?",
        "Hoeveel bestellingen waren er afgelopen maand?",
        // Of another period.
        "Le chiffre d'affaires du même mois l'année dernière",
        "Las ventas del mismo mes del año pasado",
        "De omzet van dezelfde maand vorig jaar",
        "Les ventes du mois dernier de 2022",
        // A fiscal year, a number that counts something else, a title.
        "Las ventas del año fiscal pasado",
        "Les 5 dernières commandes",
        "Los últimos 5 pedidos",
        "Combien de fois la chanson 'Hier' est-elle vendue ?",
        // "mes" is French for "my", "once" is English.
        "Combien de mes commandes sont ouvertes ?",
        "Which customers ordered only once?",
    ] {
        check(question, &[]);
    }
}
