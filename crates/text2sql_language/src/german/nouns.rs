//! German nouns of business data with the English words that a schema may have for them.
//!
//! A schema is often in English where the question is German. The list holds nouns with one plain meaning;
//! what it does not hold, the embedder may know.

use std::collections::HashMap;
use std::sync::LazyLock;
use text2sql_domain::word_pairs;

use crate::english::capitalise;
use crate::names::singular;

/// German forms, the singular and the plural first, and the English words in the order of preference; `|` separates
/// variants. English words are in the singular, because names are compared by their stems.
#[rustfmt::skip]
const NOUNS: &[(&str, &str)] = word_pairs!(
    "abteilung|abteilungen = department|division, \
     adresse|adressen|anschrift|anschriften = address, aktivität|aktivitäten = activity, \
     album|alben = album, angebot|angebote|angeboten = offer|quote, \
     arzt|ärzte|ärzten|arztes|ärztin|ärztinnen = doctor|physician, aufgabe|aufgaben = task, \
     auftrag|aufträge|aufträgen|auftrags = order|job, ausgabe|ausgaben = expense, \
     ausleihe|ausleihen|verleih|verleihe|verleihvorgang|verleihvorgänge|vermietung|vermietungen = rental|loan, \
     autor|autoren|autors|autorin|autorinnen = author, bank|banken = bank, \
     beruf|berufe|berufen = occupation|profession|job, \
     bestand|bestände|bestands|lagerbestand|lagerbestände = inventory|stock, \
     bestellung|bestellungen = order, betrag|beträge|beträgen|betrags = amount, \
     bewertung|bewertungen = rating|review, buch|bücher|büchern|buchs|buches = book, \
     buchung|buchungen = booking|reservation, \
     bundesland|bundesländer|bundesländern = state|province, bundesstaat|bundesstaaten = state, \
     dauer = duration|length, datum|daten = date, einkommen|einkommen = income, \
     ergebnis|ergebnisse|ergebnissen = result, \
     fahrer|fahrer|fahrern|fahrers|fahrerin|fahrerinnen = driver, \
     fahrzeug|fahrzeuge|fahrzeugen|fahrzeugs = vehicle|car, farbe|farben = color|colour, \
     fehler|fehler|fehlern|fehlers = error|bug|defect, filiale|filialen = store|branch|shop, \
     film|filme|filmen|films = film|movie, firma|firmen = company, \
     flug|flüge|flügen|flugs = flight, flughafen|flughäfen|flughafens = airport, \
     gebiet|gebiete|gebieten = territory|area|region, gebäude|gebäude|gebäuden = building, \
     gehalt|gehälter|gehältern|gehalts = salary|wage, gerät|geräte|geräten|geräts = device, \
     geschlecht = gender|sex, geschäft|geschäfte|geschäften|laden|läden|ladens = store|shop, \
     gewicht|gewichte = weight, genre|genres = genre, größe|größen = size, \
     hauptstadt|hauptstädte|hauptstädten = capital, haus|häuser|häusern|hauses = house, \
     hersteller|hersteller|herstellern|herstellers = manufacturer|producer|maker|vendor, \
     hotel|hotels = hotel, höhe = height, \
     interpret|interpreten|künstler|künstlern|künstlers|künstlerin|künstlerinnen = artist, \
     kanal|kanäle|kanälen|kanals = channel, kampagne|kampagnen = campaign, \
     kategorie|kategorien = category, klasse|klassen = class, \
     kommentar|kommentare|kommentaren = comment, konto|konten|kontos = account, \
     kontakt|kontakte|kontakten = contact, kosten = cost, \
     kunde|kunden|kundin|kundinnen = customer|client, kurs|kurse|kursen|kurses = course, \
     lager|lager|lagern|lagers = warehouse|inventory, land|länder|ländern|landes|lands = country, \
     laufzeit|laufzeiten = duration|length|runtime, \
     lehrer|lehrer|lehrern|lehrers|lehrerin|lehrerinnen = teacher, \
     lieferant|lieferanten = supplier|vendor, \
     lieferung|lieferungen|sendung|sendungen = shipment|delivery, \
     lied|lieder|liedern|liedes|titelliste = song|track, länge|längen = length, \
     mannschaft|mannschaften = team, marke|marken = brand, menge|mengen = quantity, \
     mieter|mieter|mietern|mieters = tenant, \
     mitarbeiter|mitarbeiter|mitarbeitern|mitarbeiters|mitarbeiterin|mitarbeiterinnen|beschäftigte|beschäftigten|angestellter|angestellte|angestellten = employee|staff, \
     mitglied|mitglieder|mitgliedern|mitglieds = member, \
     nachname|nachnamen|familienname|familiennamen = surname, nachricht|nachrichten = message, \
     niederlassung|niederlassungen = branch|office, \
     nutzer|nutzer|nutzern|nutzers|benutzer|benutzern|benutzers|anwender|anwendern = user, \
     ort|orte|orten|ortes = city|location|place, passagier|passagiere|passagieren = passenger, \
     patient|patienten|patientin|patientinnen = patient, person|personen = person, \
     personal|personal = staff|employee, postleitzahl|postleitzahlen = postcode|zip, \
     preis|preise|preisen|preises = price, \
     produkt|produkte|produkten|produkts|produktes|artikel|artikeln|artikels = product|article|item, \
     projekt|projekte|projekten|projekts = project, rabatt|rabatte|rabatten|rabatts = discount, \
     raum|räume|räumen|raums|raumes|zimmer|zimmern|zimmers = room, \
     rechnung|rechnungen = invoice|bill, region|regionen = region, \
     regisseur|regisseure|regisseuren|regisseurs|regisseurin|regisseurinnen = director, \
     reise|reisen = trip|journey, restaurant|restaurants = restaurant, rolle|rollen = role, \
     rückgabe|rückgaben|retoure|retouren|rücksendung|rücksendungen = return, \
     schauspieler|schauspieler|schauspielern|schauspielers|schauspielerin|schauspielerinnen|darsteller|darstellern = actor, \
     schiff|schiffe|schiffen|schiffs = ship, schlagwort|schlagwörter|schlagwörtern = tag|keyword, \
     schule|schulen = school, \
     schüler|schüler|schülern|schülers|schülerin|schülerinnen = student|pupil, \
     seite|seiten = page, sprache|sprachen = language, spiel|spiele|spielen|spiels = game|match, \
     spieler|spieler|spielern|spielers|spielerin|spielerinnen = player, \
     stadt|städte|städten = city|town, standort|standorte|standorten = location|site, \
     stelle|stellen = position|job, straße|straßen|strasse|strassen = street, \
     student|studenten|studentin|studentinnen|studierende|studierenden = student, \
     stück|stücke|stücken = track|piece, termin|termine|terminen|termins = appointment, \
     titel|titel|titeln|titels = title, umsatz|umsätze|umsätzen|umsatzes = revenue|turnover, \
     unternehmen|unternehmen|unternehmens = company, verein|vereine|vereinen|vereins = club, \
     verkauf|verkäufe|verkäufen|verkaufs = sale, \
     verkäufer|verkäufer|verkäufern|verkäufers = seller|salesperson, \
     vertrag|verträge|verträgen|vertrags = contract, vorname|vornamen = forename, \
     ware|waren = product|goods|item, währung|währungen = currency, \
     wohnung|wohnungen = apartment|flat, zahlung|zahlungen = payment, \
     zeitschrift|zeitschriften = journal|magazine"
);

/// A German noun.
pub struct Noun {
    /// Its singular and plural, capitalised.
    pub forms: (String, String),
    /// The English words for it, best first.
    pub english: Vec<&'static str>,
}

static ALL: LazyLock<Vec<Noun>> = LazyLock::new(|| {
    let nouns = NOUNS.iter().map(|(forms, english)| {
        let mut shown = forms.split('|').map(capitalise);
        let singular = shown.next().unwrap_or_default();
        Noun {
            forms: (singular.clone(), shown.next().unwrap_or(singular)),
            english: english.split('|').collect(),
        }
    });
    nouns.collect()
});

static BY_FORM: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let entries = NOUNS
        .iter()
        .enumerate()
        .flat_map(|(at, (forms, _))| forms.split('|').map(move |form| (form, at)));
    entries.collect()
});

/// The noun that has this form, in any case.
pub fn noun(form: &str) -> Option<&'static Noun> {
    ALL.get(*BY_FORM.get(form.to_lowercase().as_str())?)
}

/// The noun for an English word in the singular: the one with the fewest other meanings.
pub fn in_german(english: &str) -> Option<&'static Noun> {
    let best = ALL
        .iter()
        .filter(|noun| noun.english.first() == Some(&english))
        .min_by_key(|noun| noun.english.len());
    best.or_else(|| ALL.iter().find(|noun| noun.english.contains(&english)))
}

/// The German word for a name of the schema in the number of the name: "countries" is "Länder". What the question calls it
/// goes first; `None` where the list has neither the English word nor the German one.
pub fn said_for(name: &str, question: &str) -> Option<String> {
    let name = name.to_lowercase();
    // How a sum of pieces is called.
    if name == "units" {
        return said_for("quantity", question);
    }
    let says_name = |word: &str| word.to_lowercase() == name;
    if question.split(is_between).any(says_name) {
        return noun(&name).map(|_| capitalise(&name));
    }
    let one = match in_german(&name) {
        Some(_) => name.clone(),
        None => singular(&name),
    };
    let in_number = |noun: &Noun| match one == name {
        true => noun.forms.0.clone(),
        false => noun.forms.1.clone(),
    };
    let mut asked = question
        .split(is_between)
        .filter_map(|word| Some((word, noun(word)?)));
    if let Some((word, noun)) = asked.find(|(_, noun)| noun.english.contains(&one.as_str())) {
        // An entry has words of one meaning, such as "Geschäft" and "Laden".
        let start = |word: &str| -> String { unaccented(word).chars().take(3).collect() };
        return Some(match start(word) == start(&noun.forms.0) {
            true => in_number(noun),
            false => capitalise(word),
        });
    }
    match in_german(&one) {
        Some(known) => Some(in_number(known)),
        None => noun(&name).map(|_| capitalise(&name)),
    }
}

fn is_between(character: char) -> bool {
    !character.is_alphanumeric()
}

fn unaccented(word: &str) -> String {
    word.to_lowercase()
        .replace('ä', "a")
        .replace('ö', "o")
        .replace('ü', "u")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_belongs_to_one_noun() {
        for (at, (forms, _)) in NOUNS.iter().enumerate() {
            for form in forms.split('|') {
                assert_eq!(BY_FORM.get(form), Some(&at), "{form}");
            }
        }
    }

    #[test]
    fn every_form_is_found() {
        let english = |form: &str| noun(form).map(|noun| noun.english.clone());
        assert_eq!(english("Kunden"), Some(vec!["customer", "client"]));
        assert_eq!(english("Städten"), Some(vec!["city", "town"]));
        assert_eq!(english("Quatsch"), None);
        let shown = |english: &str| in_german(english).map(|noun| noun.forms.1.as_str());
        assert_eq!(shown("employee"), Some("Mitarbeiter"));
        assert_eq!(shown("country"), Some("Länder"));
    }

    #[test]
    fn a_name_is_said_in_the_word_of_the_question_or_else_of_the_list() {
        let said = |name: &str, question: &str| said_for(name, question).unwrap_or_default();
        assert_eq!(said("country", "Umsatz je Region"), "Land");
        assert_eq!(said("countries", ""), "Länder");
        assert_eq!(said("store", "Umsatz je Laden"), "Laden");
        assert_eq!(said("customer", "Umsatz nach Kunden"), "Kunde");
        assert_eq!(said("doctors", "Termine nach Ärzten"), "Ärzte");
        assert_eq!(said("address", ""), "Adresse");
        assert_eq!(said("umsatz", ""), "Umsatz");
        assert_eq!(said("store", "Umsatz je store"), "");
        assert_eq!(said("status", "Bestellungen nach Status"), "");
        assert_eq!(said("net sales", "Verkäufe je Land"), "");
    }
}
