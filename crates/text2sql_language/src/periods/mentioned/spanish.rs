//! Spanish periods. "el último mes" may be the calendar's or the last thirty days: it is left out, as is
//! "la mañana".

use super::wording::{Phrases, Wording};

#[rustfmt::skip]
pub const SPANISH: Phrases = Phrases {
    marks: &["el", "la", "los", "las", "del", "de", "un", "una", "es", "son", "cuántos", "cuántas", "cuánto", "qué",
        "cuál", "cuáles", "para", "con", "sin", "en", "por", "hubo", "hay", "tiene", "tienen", "cada", "y", "hace", "desde"],
    numbers: &["dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce"],
    same: &["mismo", "misma"],
    phrases: &[
        ("hoy", "today"),
        ("ayer", "yesterday"),
        ("anteayer|antes de ayer", "day before yesterday"),
        ("pasado mañana", "day after tomorrow"),
        ("la semana pasada|semana pasada", "last week"),
        ("el mes pasado|del mes pasado|mes pasado", "last month"),
        ("el trimestre pasado|del trimestre pasado|trimestre pasado", "last quarter"),
        ("el año pasado|del año pasado|año pasado", "last year"),
        ("esta semana|la semana en curso", "this week"),
        ("este mes|el mes en curso", "this month"),
        ("este trimestre|el trimestre en curso", "this quarter"),
        ("este año|el año en curso", "this year"),
        ("la próxima semana|la semana que viene", "next week"),
        ("el próximo mes|el mes que viene", "next month"),
        ("el próximo trimestre", "next quarter"),
        ("el próximo año|el año que viene", "next year"),
        ("en lo que va de semana|desde el inicio de la semana", "week to date"),
        ("en lo que va de mes|en lo que va del mes|desde el inicio del mes", "month to date"),
        ("en lo que va de trimestre|en lo que va del trimestre", "quarter to date"),
        ("en lo que va de año|en lo que va del año|desde el inicio del año|desde principios de año", "year to date"),
        ("los últimos # días|últimos # días", "last # days"),
        ("las últimas # semanas|últimas # semanas", "last # weeks"),
        ("los últimos # meses|últimos # meses", "last # months"),
        ("los últimos # trimestres|últimos # trimestres", "last # quarters"),
        ("los últimos # años|últimos # años", "last # years"),
        ("los próximos # días|próximos # días", "next # days"),
        ("las próximas # semanas|próximas # semanas", "next # weeks"),
        ("hace # días", "# days ago"),
        ("hace # semanas", "# weeks ago"),
        ("hace # meses", "# months ago"),
        ("hace # años", "# years ago"),
    ],
    wording: Wording {
        is: "es",
        means: "significa",
        range: "{} hasta {} sin incluirlo",
        from: "desde {}",
        before: "antes de {}",
    },
};
