//! Italian.

use super::PlainWords;

#[rustfmt::skip]
pub(super) const ITALIAN: PlainWords = PlainWords {
    function: &[
        "a", "abbiamo", "ad", "agli", "ai", "al", "alla", "alle", "allo", "anche", "avere", "c", "che", "chi", "ci", "ciascun", "ciascuna", "ciascuno", "come",
        "con", "contro", "cui", "d", "da", "dagli", "dai", "dal", "dall", "dalla", "dalle", "degli", "dei", "del", "dell", "della", "delle", "dello", "di", "dopo", "dove", "durante", "e",
        "ed", "era", "erano", "essere", "fra", "gli", "ha", "hanno", "ho", "i", "il", "in", "io", "l", "la", "le", "lo", "loro", "ma", "meno", "mi", "mio", "molti", "ne",
        "negli", "nei", "nel", "nell", "nella", "nelle", "nello", "noi", "non", "nostra", "nostri", "nostro", "o", "ogni", "per", "perche", "piu", "poi", "prima", "qual", "quale",
        "quali", "quando", "quante", "quanti", "quanto", "quanta", "quelle", "quelli", "quello", "questa", "queste", "questi", "questo", "se", "senza", "si", "sia", "sono", "stata", "stati", "stato", "su",
        "sua", "sue", "sugli", "sui", "sul", "sulla", "sulle", "suo", "suoi", "tra", "tutte", "tutti", "tutto", "un", "una", "uno", "verso",
    ],
    general: &[
        "alta", "alto", "anni", "anno", "basso", "conta", "conteggio", "crescente", "dammi", "data", "date", "decrescente", "dettagli", "differenza", "diversi", "elenca", "elenco", "fammi", "giorni", "giorno", "grande", "ieri", "importo", "lista",
        "maggior", "maggiore", "massima", "massimo", "media", "medio", "mese", "mesi", "migliore", "migliori", "minima", "minimo", "minore", "mostra", "mostrami", "nome", "nomi", "numero", "nuovi", "oggi", "ora", "ore", "ordine", "parte",
        "percentuale", "piccolo", "prime", "primi", "primo", "quantita", "recente", "recenti", "settimana", "settimane", "somma", "tabella", "tasso", "tipo", "totale", "totali", "trimestre", "trova", "ultima", "ultime", "ultimi", "ultimo", "valore", "valori",
    ],
    capitalises_nouns: false,
};
