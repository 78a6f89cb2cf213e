//! Spanish.

use super::PlainWords;

#[rustfmt::skip]
pub(super) const SPANISH: PlainWords = PlainWords {
    function: &[
        "a", "al", "algun", "alguna", "ante", "antes", "aquel", "aun", "cada", "como", "con", "contra", "cual", "cuales", "cuando", "cuanta", "cuantas", "cuanto", "cuantos", "cuya", "cuyo", "cuyos",
        "de", "del", "desde", "despues", "donde", "durante", "e", "el", "ella", "ellas", "ellos", "en", "entre", "era", "eran", "es", "esa", "ese", "esos", "esta", "estan", "estas", "este", "esto", "estos", "fue",
        "fueron", "ha", "hace", "han", "hasta", "hay", "hubo", "la", "las", "le", "les", "lo", "los", "mas", "me", "mi", "mis", "mucho", "muchos", "muy", "ni", "no", "nos", "nosotros", "nuestra", "nuestras", "nuestro", "nuestros",
        "o", "otra", "otro", "otros", "para", "pero", "por", "porque", "que", "quien", "quienes", "se", "segun", "ser", "si", "sin", "sobre", "son", "su", "sus", "tambien", "te", "tenemos", "tiene", "tienen",
        "toda", "todas", "todo", "todos", "tu", "un", "una", "unas", "uno", "unos", "y", "ya", "yo",
    ],
    general: &[
        "alta", "alto", "ano", "anos", "ayer", "baja", "bajo", "cantidad", "creciente", "cuenta", "dame", "datos", "decreciente", "detalles", "dia", "dias", "diferencia", "diferentes", "dime", "distintos", "encuentra", "enumera", "fecha", "fechas", "grande", "hora", "horas", "hoy",
        "importe", "lista", "listar", "maxima", "maximo", "mayor", "mayores", "media", "medio", "mejor", "mejores", "menor", "menores", "menos", "mes", "meses", "minima", "minimo", "mostrar", "muestra", "muestrame", "nombre", "nombres", "nueva", "nuevos",
        "numero", "orden", "parte", "pequeno", "porcentaje", "primer", "primera", "primeras", "primero", "primeros", "promedio", "proximo", "reciente", "recientes", "semana", "semanas", "suma", "tabla", "tasa", "tipo", "total", "totales", "trimestre",
        "ultima", "ultimas", "ultimo", "ultimos", "valor", "valores",
    ],
    capitalises_nouns: false,
};
