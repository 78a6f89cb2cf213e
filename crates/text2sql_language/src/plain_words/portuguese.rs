//! Portuguese.

use super::PlainWords;

#[rustfmt::skip]
pub(super) const PORTUGUESE: PlainWords = PlainWords {
    function: &[
        "a", "ainda", "ao", "aos", "apos", "aquela", "aquele", "as", "ate", "cada", "com", "como", "contra", "cuja", "cujo", "cujos", "da", "das", "de", "dela", "dele", "deles", "depois",
        "desde", "desta", "deste", "do", "dos", "durante", "e", "ela", "elas", "ele", "eles", "em", "entre", "era", "eram", "essa", "esse", "esta", "estao", "este", "estes", "eu", "foi",
        "foram", "ha", "houve", "isso", "ja", "lhe", "mais", "mas", "me", "mesmo", "meu", "minha", "muito", "muitos", "na", "nao", "nas", "nem", "no", "nos", "nossa", "nossas", "nosso", "nossos", "num", "numa",
        "o", "onde", "os", "ou", "para", "pela", "pelas", "pelo", "pelos", "por", "porque", "qual", "quais", "quando", "quanta", "quantas", "quanto", "quantos", "que", "quem", "sao", "se", "sem",
        "ser", "seu", "seus", "so", "sob", "sobre", "sua", "suas", "tambem", "te", "tem", "temos", "ter", "tinha", "todas", "todo", "todos", "um", "uma", "umas", "uns",
    ],
    general: &[
        "alta", "alto", "ano", "anos", "baixo", "conta", "contagem", "crescente", "dado", "dados", "data", "datas", "decrescente", "detalhes", "dia", "dias", "diferenca", "diferentes", "distintos", "encontre", "grande", "hoje", "hora", "horas", "lista", "liste",
        "maior", "maiores", "maxima", "maximo", "media", "medio", "melhor", "melhores", "menor", "menores", "menos", "mes", "meses", "minima", "minimo", "mostra", "mostrar", "mostre", "nome", "nomes", "nova", "novos", "numero", "ontem", "ordem",
        "parte", "percentagem", "pequeno", "porcentagem", "primeira", "primeiras", "primeiro", "primeiros", "quantidade", "recente", "recentes", "semana", "semanas", "soma", "tabela", "taxa", "tipo", "total", "totais", "trimestre", "ultima", "ultimas", "ultimo", "ultimos", "valor", "valores",
    ],
    capitalises_nouns: false,
};
