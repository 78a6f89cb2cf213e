//! German and Dutch.

use super::PlainWords;

#[rustfmt::skip]
pub(super) const GERMAN: PlainWords = PlainWords {
    function: &[
        "aber", "alle", "allem", "allen", "aller", "alles", "als", "also", "am", "an", "auch", "auf", "aus", "ausser", "bei", "beim", "bis",
        "da", "damit", "dann", "das", "dass", "dazu", "dem", "den", "denen", "der", "deren", "des", "dessen", "die",
        "dies", "diese", "diesem", "diesen", "dieser", "dieses", "doch", "du", "durch", "ein", "eine", "einem", "einen", "einer",
        "eines", "er", "es", "fur", "gegen", "gegenuber", "gibt", "hat", "hatte", "hatten", "haben", "hinter", "ich", "ihr",
        "ihre", "ihrem", "ihren", "ihrer", "ihres", "im", "in", "innerhalb", "ins", "ist", "je", "jede", "jedem", "jeden", "jeder",
        "jedes", "jeweils", "kein", "keine", "keinem", "keinen", "keiner", "man", "mehr", "mir", "mit", "nach", "neben", "nicht", "noch", "nur",
        "ob", "oder", "ohne", "pro", "sein", "seine", "seinem", "seinen", "seiner", "seit", "sich", "sie", "sind", "so", "uber", "um", "und",
        "uns", "unser", "unsere", "unserem", "unseren", "unserer", "unter", "viel", "viele", "vielen", "vom", "von", "vor", "wann", "war", "waren",
        "warum", "was", "welche", "welchem", "welchen", "welcher", "welches", "wem", "wen", "wenn", "wer", "werden", "weniger", "wessen", "wie", "wieviel",
        "wieviele", "wir", "wird", "wo", "wurde", "wurden", "zu", "zum", "zur", "zwischen",
    ],
    general: &[
        "alphabetisch", "anteil", "anzahl", "art", "bezeichnung", "bitte", "daten", "datum", "detail", "details",
        "differenz", "durchschnitt", "durchschnittlich", "durchschnittliche", "durchschnittlichen", "durchschnittlicher", "einzeln", "einzelnen", "einzige",
        "erste", "ersten", "erster", "finde", "fruheste", "geordnet", "gesamt", "gesamte", "gesamten", "gib", "gleich", "gleiche", "gleichen", "grosse", "grosste", "grossten",
        "gruppiert", "haufig", "haufigste", "haufigsten", "heute", "hochste", "hochsten", "insgesamt", "jahr", "jahre", "jahren", "kleinste", "letzte",
        "letzten", "letzter", "liste", "maximal", "maximum", "meiste", "meisten", "menge", "mindestens", "minimal", "minimum", "mittel", "mittelwert",
        "monat", "monate", "monaten", "name", "namen", "nachste", "nenne", "neue", "neueste", "neuesten", "neuen", "niedrigste", "niedrigsten", "nummer",
        "prozent", "quartal", "schlechteste", "beste", "besten", "sortiert", "stunde", "stunden", "summe", "tabelle", "tag", "tage", "tagen", "teuerste", "teuersten", "typ", "unterschiedliche",
        "verschiedene", "verschiedenen", "vergleich", "wert", "werte", "wenigsten", "woche", "wochen", "zahl", "zeig", "zeige", "zeigen", "zeit",
        "zeitraum",
    ],
    capitalises_nouns: true,
};

#[rustfmt::skip]
pub(super) const DUTCH: PlainWords = PlainWords {
    function: &[
        "aan", "achter", "al", "alle", "alleen", "als", "bij", "dan", "dat", "de", "deze", "die", "dit", "door", "dus",
        "een", "elk", "elke", "en", "er", "geen", "haar", "had", "hadden", "heb", "hebben", "heeft", "het", "hij", "hoe", "hoeveel", "hun",
        "ieder", "iedere", "ik", "in", "is", "je", "kan", "maar", "me", "meer", "met", "mij", "mijn", "minder", "na", "naar", "niet", "nog", "of",
        "om", "onder", "ons", "onze", "ook", "op", "over", "per", "sinds", "te", "tegen", "ten", "ter", "toe", "tot", "tussen", "uit", "van",
        "veel", "voor", "waar", "waarin", "waarom", "wanneer", "waren", "was", "wat", "we", "welk", "welke", "werd", "werden", "wie", "wiens",
        "wij", "worden", "wordt", "ze", "zich", "zij", "zijn", "zonder",
    ],
    general: &[
        "aandeel", "aantal", "alfabetisch", "alstublieft", "beste", "dag", "dagen", "datum", "datums", "eerste", "geef", "gemiddeld",
        "gemiddelde", "gesorteerd", "gisteren", "grootste", "hoogste", "jaar", "jaren", "kleinste", "laagste", "laatste", "lijst", "maand", "maanden",
        "maximaal", "maximum", "meest", "meeste", "minimaal", "minimum", "minste", "naam", "namen", "nieuwe", "nieuwste", "noem", "nummer", "oudste", "percentage", "procent", "som", "soort", "tabel",
        "tijd", "toon", "totaal", "totale", "type", "vandaag", "verschil", "verschillende", "waarde", "waarden", "week", "weken",
    ],
    capitalises_nouns: false,
};
