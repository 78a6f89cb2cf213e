//! The words of a question that name nothing of a database: function words ("the", "de", "welche"), and general
//! words that ask and measure ("show", "average", "nombre").
//!
//! The language is the one with most function words in the question; where several have as many, the words of
//! all of them count.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::function_words;
use crate::terms::fold;

/// The language in which every noun has a capital letter.
const CAPITALISES_NOUNS: &str = "de";

/// General words by language, without case and accents: verbs that ask, and words for measures, orders, periods
/// and things in general. A value that is called so is named by more than this word.
#[rustfmt::skip]
const GENERAL: &[(&str, &str)] = &[
    ("en", "again age alphabetical alphabetically already amount amounts anything ascending ask average averages became \
         become best biggest bottom broken calculate call called came change changed check checked common \
         compare compared contain containing contains count counts current currently data date dates day days \
         descending detail details determine difference different display distinct earlier earliest ever \
         everything exactly fewer fewest find first following found full get give given go got greater group \
         grouped happened high higher highest hour hours id identify ids including info information item items \
         kind kinds know known large larger largest last late later latest least length less let list listed \
         little live long longest look low lower lowest made make max maximum mean median min minimum minute \
         minutes missing month monthly months name named names need never new newest next number numbers often \
         old oldest one ones order ordered overall part people percent percentage person place placed popular \
         previous provide quarter quarters range rank ranked rate ratio recent recently record records report \
         respectively result results retrieve return rows second see show shown single small smaller smallest \
         something sort sorted still sum table tables take taken tell thing things third time times today together \
         took top total totals twice two type types unique use used using value values various want week weeks \
         whole work worked worst worth year yearly years yesterday yet young youngest"),
    ("de", "alphabetisch anteil anzahl art beste besten bezeichnung bitte daten datum detail details differenz \
         durchschnitt durchschnittlich durchschnittliche durchschnittlichen durchschnittlicher einzeln \
         einzelnen einzige erste ersten erster finde fruheste geordnet gesamt gesamte gesamten gib gleich \
         gleiche gleichen grosse grosste grossten gruppiert haufig haufigste haufigsten heute hochste hochsten \
         insgesamt jahr jahre jahren kleinste letzte letzten letzter liste maximal maximum meiste meisten menge \
         mindestens minimal minimum mittel mittelwert monat monate monaten nachste name namen nenne neue neuen \
         neueste neuesten niedrigste niedrigsten nummer prozent quartal schlechteste sortiert stunde stunden \
         summe tabelle tag tage tagen teuerste teuersten typ unterschiedliche vergleich verschiedene \
         verschiedenen wenigsten wert werte woche wochen zahl zeig zeige zeigen zeit zeitraum"),
    ("nl", "aandeel aantal alfabetisch alstublieft beste dag dagen datum datums eerste geef gemiddeld gemiddelde \
         gesorteerd gisteren grootste hoogste jaar jaren kleinste laagste laatste lijst maand maanden maximaal \
         maximum meest meeste minimaal minimum minste naam namen nieuwe nieuwste noem nummer oudste percentage \
         procent som soort tabel tijd toon totaal totale type vandaag verschil verschillende waarde waarden \
         week weken"),
    ("fr", "affiche afficher affichez age an annee annees ans aujourd chiffre chiffres classe classes compte \
         croissant date dates decroissant dernier derniere dernieres derniers detail details difference \
         differents distincts donne donner donnez eleve elevee enumere genre grand grande heure heures hier hui \
         inferieur jour jours liste lister listez maximal maximale maximum meilleur meilleure meilleurs minimal \
         minimum mois montant montre montrer montrez moyen moyenne moyens nom nombre noms nouveau nouveaux \
         numero ordre part petit petite pourcent pourcentage premier premiere premieres premiers prochain \
         quantite recent recents semaine semaines seul seule somme superieur table taux total totale totaux tri \
         trie tries trimestre trouve trouver trouvez type valeur valeurs"),
    ("it", "alta alto anni anno basso conta conteggio crescente dammi data date decrescente dettagli differenza \
         diversi elenca elenco fammi giorni giorno grande ieri importo lista maggior maggiore massima massimo \
         media medio mese mesi migliore migliori minima minimo minore mostra mostrami nome nomi numero nuovi \
         oggi ora ordine ore parte percentuale piccolo prime primi primo quantita recente recenti settimana \
         settimane somma tabella tasso tipo totale totali trimestre trova ultima ultime ultimi ultimo valore \
         valori"),
    ("pt", "alta alto ano anos baixo conta contagem crescente dado dados data datas decrescente detalhes dia dias \
         diferenca diferentes distintos encontre grande hoje hora horas lista liste maior maiores maxima maximo \
         media medio melhor melhores menor menores menos mes meses minima minimo mostra mostrar mostre nome \
         nomes nova novos numero ontem ordem parte pequeno percentagem porcentagem primeira primeiras primeiro \
         primeiros quantidade recente recentes semana semanas soma tabela taxa tipo totais total trimestre \
         ultima ultimas ultimo ultimos valor valores"),
    ("es", "ahora alta alto ano anos ayer baja bajo cantidad creciente cuenta dame datos decreciente detalles dia dias \
         diferencia diferentes dime distintos encuentra enumera fecha fechas grande hora horas hoy importe \
         lista listar maxima maximo mayor mayores media medio mejor mejores menor menores menos mes meses \
         minima minimo mostrar muestra muestrame nombre nombres nueva nuevos numero orden parte pequeno \
         porcentaje primer primera primeras primero primeros promedio proximo reciente recientes semana semanas \
         suma tabla tasa tipo total totales trimestre ultima ultimas ultimo ultimos valor valores"),
];

/// Words by the code of their language.
type Sets = Vec<(&'static str, HashSet<&'static str>)>;

static SETS: LazyLock<Sets> = LazyLock::new(|| sets(GENERAL));
static NUMBER_SETS: LazyLock<Sets> = LazyLock::new(|| sets(NUMBERS));

fn sets(lists: &'static [(&'static str, &'static str)]) -> Sets {
    let set =
        |(code, words): &(&'static str, &'static str)| (*code, words.split_whitespace().collect());
    lists.iter().map(set).collect()
}

/// Numbers in words, by language, without case and accents. What English has of them among its general words is not
/// repeated.
#[rustfmt::skip]
const NUMBERS: &[(&str, &str)] = &[
    ("en", "zero three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred \
            thousand million"),
    ("de", "null zwei drei vier funf sechs sieben acht neun zehn elf zwolf funfzehn zwanzig dreissig vierzig funfzig \
            hundert tausend"),
    ("nl", "nul twee drie vier vijf zes zeven acht negen tien elf twaalf vijftien twintig dertig veertig vijftig honderd \
            duizend"),
    ("fr", "zero deux trois quatre cinq six sept huit neuf dix onze douze quinze vingt trente quarante cinquante cent \
            mille"),
    ("it", "zero due tre quattro cinque sei sette otto nove dieci undici dodici quindici venti trenta quaranta cinquanta \
            cento mille"),
    ("pt", "zero dois duas tres quatro cinco seis sete oito nove dez onze doze quinze vinte trinta quarenta cinquenta cem \
            mil"),
    ("es", "cero dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta cuarenta cincuenta \
            cien mil"),
];

/// The words that name nothing in the language of one question.
#[derive(Debug, Clone)]
pub struct NamesNothing {
    /// The languages that it may be in, by their codes.
    languages: Vec<&'static str>,
}

impl NamesNothing {
    /// Reads it from the words of a question.
    pub fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let words: Vec<String> = words.map(fold).collect();
        Self {
            languages: function_words::likely_languages(&words),
        }
    }

    /// Whether a folded word is an article, a preposition or the like.
    pub fn is_function(&self, word: &str) -> bool {
        let mut languages = self.languages.iter();
        languages.any(|code| function_words::is_function_word_in(code, word))
    }

    /// Whether a folded word asks or measures, or means anything at all: "show", "average", "name".
    pub fn is_general(&self, word: &str) -> bool {
        self.is_among(&SETS, word)
    }

    /// Whether a folded word is a number: "five".
    pub fn is_number(&self, word: &str) -> bool {
        self.is_among(&NUMBER_SETS, word)
    }

    fn is_among(&self, sets: &Sets, word: &str) -> bool {
        let mut sets = sets.iter();
        sets.any(|(code, words)| self.languages.contains(code) && words.contains(word))
    }

    /// Whether a capital letter in the middle of a sentence marks a name.
    pub fn capitals_mark_names(&self) -> bool {
        !self.languages.contains(&CAPITALISES_NOUNS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(question: &str) -> NamesNothing {
        NamesNothing::of(question.split_whitespace())
    }

    #[test]
    fn general_words_are_folded() {
        for (_, words) in SETS.iter().chain(NUMBER_SETS.iter()) {
            assert!(words.iter().all(|word| fold(word) == *word), "{words:?}");
        }
    }

    #[test]
    fn numbers_are_those_of_the_language_of_the_question() {
        assert!(of("What are the five newest orders?").is_number("five"));
        assert!(of("Wie heißen die fünf neuesten Kunden?").is_number("funf"));
        assert!(!of("What are the six newest orders?").is_number("sechs"));
    }

    #[test]
    fn each_language_has_its_own_function_words() {
        for (question, function, other) in [
            ("How many orders came from Berlin", "from", "de"),
            ("Wie viele Kunden haben wir in der Schweiz", "der", "le"),
            ("Hoeveel klanten hebben we in de stad", "de", "le"),
            ("Combien de commandes pour le client", "le", "the"),
            ("Quanti ordini per il cliente", "il", "the"),
            ("Quantos pedidos para o cliente", "o", "the"),
            ("Cuántos pedidos para el cliente", "el", "the"),
        ] {
            let words = of(question);
            assert!(words.is_function(function), "{question}: {function}");
            assert!(!words.is_function(other), "{question}: {other}");
        }
        assert!(!of("Wie viele Kunden gibt es").capitals_mark_names());
        assert!(of("How many customers are there").capitals_mark_names());
        // "de" alone is of several languages.
        assert!(of("clientes de Berlin").is_function("de"));
        assert!(of("revenue").is_general("total"));
        assert!(of("Quel est le montant moyen des commandes").is_general("moyen"));
    }
}
