//! Names that are taken apart, and names that are not.

use super::*;

fn read_in(catalog: &[&str], name: &str) -> String {
    let analyzer = Analyzer::default();
    let mut vocabulary = Vocabulary::default();
    for known in catalog {
        vocabulary.add_name(known, 1, &analyzer);
    }
    NameReader::new(&vocabulary, &analyzer).read(name).text()
}

fn check(catalog: &[&str], cases: &[(&str, &str)]) {
    for (name, expected) in cases {
        assert_eq!(read_in(catalog, name), *expected, "{name}");
    }
}

#[test]
fn words_that_are_written_together_are_cut() {
    check(
        &[],
        &[
            ("custaddr", "customer address"),
            ("orderheader", "order header"),
            ("ordhdr", "order header"),
            ("tblOrdHdr", "order header"),
            ("tblordhdr", "order header"),
            ("sbtransaction", "sb transaction"),
            ("qtyonhand", "quantity hand"),
            ("emp_dob", "employee birth date"),
            ("acct_bal_amt", "account balance amount"),
            ("FacBldgAddr", "facility building address"),
            ("invoicedate", "invoice date"),
            ("custno", "customer number"),
            ("CustNo", "customer number"),
            ("birthdate", "birth date"),
            ("accountbalance", "account balance"),
            ("createdby", "created"),
            ("dateofbirth", "date birth"),
            ("shippingaddress", "shipping address"),
            ("paymentmethod", "payment method"),
            ("studentid", "student id"),
            ("deptname", "department name"),
            ("airportcode", "airport code"),
        ],
    );
    // A word of the catalog that is written together itself.
    check(
        &["orderline", "bandmate"],
        &[
            ("orderlineno", "order line number"),
            ("bandmateid", "band mate id"),
        ],
    );
}

#[test]
fn the_words_of_the_catalog_decide() {
    check(
        &[
            "gnp",
            "gnp",
            "country",
            "kunden",
            "bestellung",
            "artikel",
            "gruppe",
            "datum",
            "name",
        ],
        &[
            ("gnpold", "gnp old"),
            ("kundennr", "kunden number"),
            ("bestelldatum", "bestell datum"),
            ("artikelgruppe", "artikel gruppe"),
            ("kundenname", "kunden name"),
        ],
    );
    check(
        &["course", "header"],
        &[("crs", "course"), ("hdrs", "header")],
    );
}

#[test]
fn what_is_a_word_stays_one() {
    // Its own stem is no part of a word.
    check(
        &["accession", "comptroller", "dlocation"],
        &[
            ("accession", "accession"),
            ("comptroller", "comptroller"),
            ("dlocation", "dlocation"),
        ],
    );
    for name in [
        "customer",
        "customers",
        "carpet",
        "notable",
        "database",
        "status",
        "address",
        "reference",
        "candidate",
        "together",
        "therapist",
        "season",
        "position",
        "warehouse",
        "discount",
        "accounting",
        "information",
        "permission",
        "capacity",
        "category",
        "interest",
        "transport",
        "passport",
        "parties",
        "manager",
        "international",
        "management",
        "department",
        "catalog",
        "catalogue",
        "country",
        "counter",
        "target",
        "origin",
        "forest",
        "formula",
        "import",
        "report",
        "restaurant",
        "standard",
        "president",
        "attendance",
        "verwaltung",
        "bestellung",
        "rechnung",
        "lieferant",
        "mitarbeiter",
        "kunde",
        "kunden",
        "artikel",
        "vorname",
        "strasse",
        "abteilung",
        "gehalt",
        "commande",
        "facture",
        "fournisseur",
        "cliente",
        "pedido",
        "proveedor",
        "empleado",
        "kennzeichen",
        "utilisateur",
        "loss",
        "lens",
        "bus",
        "ship",
        "comptroller",
        "accession",
        "hispanic",
    ] {
        assert_eq!(read_in(&[], name), name);
    }
}

#[test]
fn abbreviations_are_spelled_out() {
    check(
        &["building", "student", "course"],
        &[
            ("bldg", "building"),
            ("hdr", "header"),
            ("stu_crs", "student course"),
            ("cntct", "contact"),
            ("immnztn", "immunization"),
            ("vndr_dim", "vendor"),
        ],
    );
}

#[test]
fn a_reading_has_further_words_and_a_length() {
    let analyzer = Analyzer::default();
    let vocabulary = Vocabulary::default();
    let reader = NameReader::new(&vocabulary, &analyzer);
    let reading = reader.read("tblCustAddr");
    let further: Vec<&str> = reading.further_words().collect();
    assert_eq!(further, ["customer", "address"]);
    assert_eq!(reading.length(), 2);
    let reading = reader.read("custaddr");
    let further: Vec<&str> = reading.further_words().collect();
    assert_eq!(further, ["cust", "customer", "addr", "address"]);
    assert_eq!(reader.read("customer_orders").further_words().count(), 0);
}
