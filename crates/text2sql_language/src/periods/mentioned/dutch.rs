//! Dutch periods. "afgelopen maand" and "laatste maand" may be the calendar's or the last thirty days: they
//! are left out, as is "morgen", which is also the morning.

use super::wording::{Phrases, Wording};

#[rustfmt::skip]
pub const DUTCH: Phrases = Phrases {
    marks: &["de", "het", "een", "van", "zijn", "is", "hoeveel", "welke", "welk", "wat", "voor", "met", "zonder", "en",
        "op", "er", "wij", "we", "elke", "elk", "per", "naar", "uit", "bij", "hebben", "heeft", "sinds", "geleden", "werden"],
    numbers: &["twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen", "tien", "elf", "twaalf"],
    same: &["zelfde", "dezelfde", "hetzelfde"],
    phrases: &[
        ("vandaag", "today"),
        ("gisteren", "yesterday"),
        ("eergisteren", "day before yesterday"),
        ("overmorgen", "day after tomorrow"),
        ("vorige week|verleden week", "last week"),
        ("vorige maand|verleden maand", "last month"),
        ("vorig kwartaal|het vorige kwartaal", "last quarter"),
        ("vorig jaar|verleden jaar|het vorige jaar", "last year"),
        ("deze week|de huidige week", "this week"),
        ("deze maand|de huidige maand", "this month"),
        ("dit kwartaal|het huidige kwartaal", "this quarter"),
        ("dit jaar|het huidige jaar", "this year"),
        ("volgende week", "next week"),
        ("volgende maand", "next month"),
        ("volgend kwartaal|het volgende kwartaal", "next quarter"),
        ("volgend jaar|het volgende jaar", "next year"),
        ("deze week tot nu toe|sinds het begin van de week", "week to date"),
        ("deze maand tot nu toe|sinds het begin van de maand", "month to date"),
        ("dit kwartaal tot nu toe|sinds het begin van het kwartaal", "quarter to date"),
        ("dit jaar tot nu toe|sinds het begin van het jaar", "year to date"),
        ("de laatste # dagen|de afgelopen # dagen|afgelopen # dagen|laatste # dagen", "last # days"),
        ("de laatste # weken|de afgelopen # weken|afgelopen # weken|laatste # weken", "last # weeks"),
        ("de laatste # maanden|de afgelopen # maanden|afgelopen # maanden|laatste # maanden", "last # months"),
        ("de laatste # kwartalen|de afgelopen # kwartalen|afgelopen # kwartalen", "last # quarters"),
        ("de laatste # jaar|de afgelopen # jaar|afgelopen # jaar|de laatste # jaren", "last # years"),
        ("de komende # dagen|komende # dagen", "next # days"),
        ("de komende # weken|komende # weken", "next # weeks"),
        ("# dagen geleden", "# days ago"),
        ("# weken geleden", "# weeks ago"),
        ("# maanden geleden", "# months ago"),
        ("# jaar geleden|# jaren geleden", "# years ago"),
    ],
    wording: Wording {
        is: "is",
        means: "betekent",
        range: "{} tot {} (niet inbegrepen)",
        from: "vanaf {}",
        before: "vóór {}",
    },
};
