//! German words of the grammar, each with the English words that the parser knows.
//!
//! As in the English lists, no noun of a schema is here: those come from the schema itself.

use text2sql_domain::{word_pairs, words};

/// Phrases, the longest first if they begin alike; `|` separates variants.
#[rustfmt::skip]
pub const PHRASES: &[(&str, &str)] = word_pairs!(
    "wie viele|wieviele|wie viel|wieviel = how many, \
     wie heißen die|wie heissen die|wie lauten die namen der|wie lauten die namen aller = what are the names of the, \
     wie heißt der|wie heißt die|wie heißt das = what is the name of the, \
     wie hoch ist|wie hoch sind|wie hoch war|wie hoch waren|wie groß ist|wie groß sind|wie lang ist = how high is, \
     wie lautet|wie lauten = what is, \
     was ist|was sind|welches ist|welche sind|welcher ist = what is, gibt es|gab es = are there, \
     haben wir = do we have, wie oft = how often, \
     zeige mir|zeig mir|zeigen sie mir|zeige|zeig|zeigen sie|liste mir|liste|listen sie|nenne mir|nenne|nennen sie|gib mir|gib|geben sie mir|finde|suche|berechne|ermittle|bestimme = show, \
     alle informationen über|alle informationen zu|alle angaben zu|alle daten zu|alle details zu|alle informationen zu den = all information about, \
     die anzahl an|die anzahl der|die anzahl von|die anzahl aller|anzahl an|anzahl der|anzahl von|anzahl aller|die zahl der|zahl der|die anzahl|anzahl|die gesamtzahl der|gesamtzahl der = number of, \
     im durchschnitt = on average, \
     den durchschnitt der|den durchschnitt des|durchschnitt der|durchschnitt des|durchschnitt von|mittelwert der|mittelwert des|den mittelwert der = average of the, \
     dem durchschnitt|der durchschnitt|den durchschnitt|durchschnitt = average, \
     durchschnittliche|durchschnittlichen|durchschnittlicher|durchschnittliches|mittlere|mittleren|mittlerer = average, \
     die summe der|die summe des|die summe aller|summe der|summe des|summe aller|summe von = total of the, \
     gesamte|gesamten|gesamter|gesamtes|summierte = total, insgesamt = in total, \
     median der|median des|median von|der median|den median|median = median, \
     prozent der|prozent aller|wie viel prozent der = percentage of the, \
     anteil der|anteil an|der anteil der|den anteil der = share of the, \
     maximale|maximalen|maximaler|maximum der|maximum des|das maximum der|maximum = maximum, \
     minimale|minimalen|minimaler|minimum der|minimum des|das minimum der|minimum = minimum, \
     höchste|höchsten|höchster|höchstes = highest, \
     niedrigste|niedrigsten|niedrigster|niedrigstes|geringste|geringsten = lowest, \
     größte|größten|größter|größtes = largest, kleinste|kleinsten|kleinster|kleinstes = smallest, \
     meisten|meiste = most, wenigsten = fewest, älteste|ältesten|ältester = oldest, \
     jüngste|jüngsten|jüngster = youngest, neueste|neuesten|neuester|aktuellste = newest, \
     früheste|frühesten = earliest, späteste|spätesten = latest, \
     am teuersten = the most expensive, am billigsten|am günstigsten = the cheapest, \
     am ältesten = the oldest, am jüngsten = the youngest, am längsten = the longest, \
     am kürzesten = the shortest, am schwersten = the heaviest, am leichtesten = the lightest, \
     ohne duplikate|ohne doppelte|ohne wiederholung|ohne wiederholungen = without duplicates, \
     bietet|bieten|angeboten = offer, es|sich|bitte|denn|dabei = there, \
     teuerste|teuersten|teuerster|teuerstes = most expensive, \
     billigste|billigsten|günstigste|günstigsten = cheapest, längste|längsten|längster = longest, \
     kürzeste|kürzesten|kürzester = shortest, schwerste|schwersten|schwerster = heaviest, \
     leichteste|leichtesten = lightest, \
     häufigste|häufigsten|häufigster|beliebteste|beliebtesten|am häufigsten = most common, \
     seltenste|seltensten|am seltensten = least common, \
     für jede der|für jeden der|für jedes der = for each of the, \
     für jede|für jeden|für jedes|für alle = for each, in jeder|in jedem|in jede = in each, \
     pro|je = per, jede|jeder|jedes|jeden|jedem = each, gruppiert nach = grouped by, \
     sortiert nach|geordnet nach|sortiere nach = sorted by, \
     in absteigender reihenfolge|absteigend = in descending order, \
     in aufsteigender reihenfolge|aufsteigend = in ascending order, \
     in alphabetischer reihenfolge|alphabetisch sortiert|alphabetisch geordnet|alphabetisch = in alphabetical order, \
     mehr als ein|mehr als eine|mehr als einen|mehr als einem = more than one, \
     mindestens ein|mindestens eine|mindestens einen|mindestens einem = at least one, \
     genau ein|genau eine|genau einen|genau einem = exactly one, mehr als = more than, \
     weniger als = less than, mindestens = at least, höchstens|maximal = at most, \
     genau = exactly, größer oder gleich|größer gleich = greater than or equal to, \
     kleiner oder gleich|kleiner gleich = less than or equal to, \
     größer als|höher als|grösser als = greater than, \
     kleiner als|niedriger als|geringer als = less than, älter als = older than, \
     jünger als = younger than, teurer als = more expensive than, \
     billiger als|günstiger als = cheaper than, länger als = longer than, \
     kürzer als = shorter than, schwerer als = heavier than, leichter als = lighter than, \
     jahre alt = years old, ungleich = not equal to, gleich = equal to, \
     aber nicht|jedoch nicht = but not, sowohl = both, als auch = and, entweder = either, \
     und|sowie = and, oder = or, nicht = not, noch nie|nie|niemals = never, \
     kein|keine|keinen|keiner|keinem = no, ohne = without, mit = with, aus = from, im = in, \
     in der|in den|in dem|in = in, vom|von den|von der|von dem|von = of, \
     zu den|zu der|zum|zur|zu = of, beim|bei der|bei dem|bei = at, am = on, \
     auf der|auf dem|auf = on, an der|an dem|an = at, für = for, seit|ab = since, \
     vor dem|vor der|vor = before, bis zum|bis = until, zwischen = between, während = during, \
     unter = under, über = over, durch = by, welche|welcher|welches|welchen|welchem = which, \
     wer = who, was = what, wo = where, alle|allen|sämtliche = all, aller = of all, \
     verschiedene|verschiedenen|unterschiedliche|unterschiedlichen|verschiedener|unterschiedlicher|eindeutige|eindeutigen = different, \
     deren|dessen = whose, ihre|ihren|ihrer|seine|seinen|seiner = their, \
     ein|eine|einen|einem|einer|eines = a, haben|hat|hatten|hatte|besitzen|besitzt = have, \
     sind|ist|war|waren|wurde|wurden|werden|wird = are, \
     beginnt mit|beginnen mit|anfängt mit|anfangen mit|mit beginnt = starts with, \
     endet mit|enden mit = ends with, enthält|enthalten|beinhaltet|beinhalten = contain, \
     beginnt|beginnen = start, endet|enden = end, kostet|kosten = cost, \
     heißt|heißen|heisst|namens|genannt = named, wohnen|wohnt|leben|lebt = live, \
     arbeiten|arbeitet = work, kommen|kommt|stammen|stammt = come, gehören|gehört = belong, \
     liegen|liegt|befinden sich|befindet sich = located, \
     aufgegeben|platziert|aufgegebene|aufgegebenen = placed, \
     gekauft|kaufen|kauft|kauften = bought, verkauft|verkaufen = sold, gemacht|getätigt = made, \
     existieren|existiert = exist, erhalten|bekommen = received, \
     belegen|belegt|besuchen|besucht|besuchten = attend, eingeschrieben = enrolled, \
     registriert = registered, unterrichten|unterrichtet = teach, \
     geschrieben|schreiben = written, veröffentlicht = released, name|namen = name, \
     vollständige namen|vollständigen namen|voller name|volle namen = full names, \
     null|leer|unbekannt|fehlt|fehlen = null, stand heute|per heute = as of today, heute = today, \
     gestern = yesterday, vorgestern = day before yesterday, morgen = tomorrow, \
     übermorgen = day after tomorrow, vorjahr|vorjahres = last year, \
     vorquartal|vorquartals = last quarter, vormonat|vormonats = last month, \
     vorwoche = last week, \
     laufenden jahr|laufendes jahr|laufenden jahres|aktuellen jahr|aktuelles jahr|aktuellen jahres = this year, \
     laufenden quartal|laufendes quartal|laufenden quartals|aktuellen quartal|aktuelles quartal = this quarter, \
     laufenden monat|laufender monat|laufenden monats|aktuellen monat|aktueller monat = this month, \
     laufenden woche|laufende woche|aktuellen woche|aktuelle woche = this week, \
     seit jahresbeginn|seit jahresanfang|seit anfang des jahres|seit beginn des jahres = year to date, \
     seit quartalsbeginn|seit anfang des quartals|seit beginn des quartals = quarter to date, \
     seit monatsbeginn|seit anfang des monats|seit beginn des monats = month to date, \
     seit wochenbeginn|seit anfang der woche|seit beginn der woche = week to date, \
     bisher|bislang|bis jetzt|bis dato = so far, \
     nächstes|nächsten|nächster|nächste|nächstem|kommenden|kommendes|kommende = next, \
     letztes|letzten|letzter|letzte|letztem|vergangenen|vorigen|voriges = last, \
     dieses|diesem|diesen|dieser|diese = this, jahr|jahre|jahres|jahren = year, \
     monat|monats|monate|monaten = month, quartal|quartals|quartale = quarter, halbjahr|halbjahres = half, \
     woche|wochen = week, tage|tagen|tag|tages = days, ersten|erstes|erste = first, \
     zweiten|zweites|zweite = second, dritten|drittes|dritte = third, \
     vierten|viertes|vierte = fourth, januar|jänner = january, februar = february, märz = march, \
     april = april, mai = may, juni = june, juli = july, august = august, september = september, \
     oktober = october, november = november, dezember = december, zwei = two, drei = three, \
     vier = four, fünf = five, sechs = six, sieben = seven, acht = eight, neun = nine, \
     zehn = ten, elf = eleven, zwölf = twelve, zwanzig = twenty, dreißig = thirty, \
     fünfzig = fifty, hundert = hundred, tausend = thousand, mal = times, \
     männlich|männliche|männlichen = male, weiblich|weibliche|weiblichen = female"
);

/// The single words of the phrases, to find the one that a misspelt word stands for.
pub fn listed_words() -> impl Iterator<Item = &'static str> {
    PHRASES.iter().flat_map(|(ways, _)| ways.split(['|', ' ']))
}

/// Articles: a genitive after a noun, else "the".
pub const ARTICLES: &[&str] = &["der", "die", "das", "den", "dem", "des"];

/// Function words that only German has.
pub const MARKS: &[&str] = words!(
    "der, die, das, den, dem, des, und, oder, mit, ohne, wie, viele, welche, welcher, welches, \
     zeige, nenne, liste, alle, aller, pro, je, nach, aus, ist, sind, hat, haben, gibt, es, im, \
     von, für, zu, nicht, kein, keine, keinen, deren, dessen, ein, eine, einen, einem, einer, \
     wurden, wurde, mehr, als, anzahl, durchschnittliche, jede, jeden, jedes, jeder, zwischen, \
     seit, vor, bis, über, wer, was, gib, finde, sortiert, höchsten, meisten, namen, auf, am, \
     zeig, hoch, bei, durchschnitt, letzten, letzte, letztes, letzter, dieses, diesem, diesen, \
     dieser, heute, gestern, vorgestern, vorjahr, vormonat, nächsten, nächstes, nur, warum"
);

/// Function words that only English has.
pub const ENGLISH_MARKS: &[&str] = words!(
    "the, of, and, or, with, without, how, many, which, show, all, per, by, from, is, are, has, \
     have, there, for, to, not, no, whose, a, an, were, more, than, number, average, each, \
     between, since, before, until, over, who, what, give, find, sorted, highest, most, names, \
     on, at, list, that, do, does, me, where, count, when"
);
