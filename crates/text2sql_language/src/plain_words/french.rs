//! French.

use super::PlainWords;

#[rustfmt::skip]
pub(super) const FRENCH: PlainWords = PlainWords {
    function: &[
        "a", "afin", "ai", "alors", "apres", "as", "au", "aucun", "aucune", "aussi", "autre", "autres", "aux", "avaient", "avait", "avant",
        "avec", "avez", "avoir", "avons", "c", "ce", "ces", "cet", "cette", "chaque", "chez", "combien", "comment", "contre", "d", "dans", "de", "depuis", "des",
        "dont", "du", "elle", "elles", "en", "entre", "es", "est", "et", "ete", "etaient", "etait", "etre", "eu", "fait", "il", "ils", "j", "je", "l", "la",
        "laquelle", "le", "lequel", "les", "lesquels", "leur", "leurs", "lors", "lui", "ma", "mais", "me", "mes", "moi", "moins", "mon", "n", "ne", "nos", "notre",
        "nous", "on", "ont", "ou", "par", "parmi", "pas", "pendant", "peu", "plus", "pour", "pourquoi", "qu", "quand", "que", "quel", "quelle", "quelles", "quels", "qui",
        "quoi", "s", "sa", "sans", "se", "selon", "ses", "si", "son", "sont", "sous", "sur", "t", "tous", "tout", "toute", "toutes", "tres", "un", "une", "vers", "vos", "votre",
        "vous", "y",
    ],
    general: &[
        "affiche", "afficher", "affichez", "age", "an", "annee", "annees", "ans", "aujourd", "chiffre", "chiffres", "classe", "classes", "compte", "croissant", "date", "dates", "decroissant", "dernier",
        "derniere", "dernieres", "derniers", "detail", "details", "difference", "differents", "distincts", "donne", "donner", "donnez", "eleve", "elevee", "enumere", "genre", "grand", "grande", "heure", "heures", "hier", "hui", "inferieur", "jour", "jours", "liste", "lister", "listez", "maximal", "maximale",
        "maximum", "meilleur", "meilleure", "meilleurs", "minimal", "minimum", "mois", "montant", "montre", "montrer", "montrez", "moyen", "moyenne", "moyens", "nom", "nombre", "noms", "nouveau", "nouveaux",
        "numero", "ordre", "part", "petit", "petite", "pourcent", "pourcentage", "premier", "premiere", "premieres", "premiers", "prochain", "quantite", "recent", "recents", "semaine", "semaines", "seul", "seule",
        "somme", "superieur", "table", "taux", "total", "totale", "totaux", "tri", "trie", "tries", "trimestre", "trouve", "trouver", "trouvez", "type", "valeur", "valeurs",
    ],
    capitalises_nouns: false,
};
