//! Portuguese periods. "o último mês" may be the calendar's or the last thirty days: it is left out, as is
//! "amanhã", which without its accent is part of "a manhã".

use super::wording::{Phrases, Wording};

#[rustfmt::skip]
pub const PORTUGUESE: Phrases = Phrases {
    marks: &["o", "a", "os", "as", "do", "da", "dos", "das", "no", "na", "nos", "nas", "de", "um", "uma", "é", "são",
        "quantos", "quantas", "quanto", "qual", "quais", "que", "para", "com", "sem", "em", "por", "houve", "há", "tem",
        "têm", "cada", "e", "desde"],
    numbers: &["dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze"],
    same: &["mesmo", "mesma"],
    phrases: &[
        ("hoje", "today"),
        ("ontem", "yesterday"),
        ("anteontem", "day before yesterday"),
        ("depois de amanhã", "day after tomorrow"),
        ("a semana passada|na semana passada|semana passada", "last week"),
        ("o mês passado|no mês passado|do mês passado|mês passado", "last month"),
        ("o trimestre passado|no trimestre passado|trimestre passado", "last quarter"),
        ("o ano passado|no ano passado|do ano passado|ano passado", "last year"),
        ("esta semana|nesta semana|desta semana|a semana corrente", "this week"),
        ("este mês|neste mês|deste mês|o mês corrente", "this month"),
        ("este trimestre|neste trimestre|deste trimestre|o trimestre corrente", "this quarter"),
        ("este ano|neste ano|deste ano|o ano corrente", "this year"),
        ("a próxima semana|na próxima semana|a semana que vem", "next week"),
        ("o próximo mês|no próximo mês|o mês que vem", "next month"),
        ("o próximo trimestre|no próximo trimestre", "next quarter"),
        ("o próximo ano|no próximo ano|o ano que vem", "next year"),
        ("desde o início da semana|desde o começo da semana", "week to date"),
        ("desde o início do mês|desde o começo do mês", "month to date"),
        ("desde o início do trimestre|desde o começo do trimestre", "quarter to date"),
        ("desde o início do ano|desde o começo do ano|no acumulado do ano", "year to date"),
        ("os últimos # dias|nos últimos # dias|últimos # dias", "last # days"),
        ("as últimas # semanas|nas últimas # semanas|últimas # semanas", "last # weeks"),
        ("os últimos # meses|nos últimos # meses|últimos # meses", "last # months"),
        ("os últimos # trimestres|nos últimos # trimestres|últimos # trimestres", "last # quarters"),
        ("os últimos # anos|nos últimos # anos|últimos # anos", "last # years"),
        ("os próximos # dias|nos próximos # dias|próximos # dias", "next # days"),
        ("as próximas # semanas|nas próximas # semanas|próximas # semanas", "next # weeks"),
        ("há # dias|# dias atrás", "# days ago"),
        ("há # semanas|# semanas atrás", "# weeks ago"),
        ("há # meses|# meses atrás", "# months ago"),
        ("há # anos|# anos atrás", "# years ago"),
    ],
    wording: Wording {
        is: "é",
        means: "significa",
        range: "{} até {} exclusive",
        from: "a partir de {}",
        before: "antes de {}",
    },
};
