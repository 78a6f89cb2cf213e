//! Columns whose names say that they hold data of persons, or secrets.

use super::readable;
use text2sql_domain::words;

/// Words of names, each followed by what they name.
const WORDS: [(&str, &[&str]); 7] = [
    (
        "an address",
        words!(
            "email, emails, mail, mails, address, addresses, street, adresse, anschrift, strasse, \
             straße, courriel, correo, ip"
        ),
    ),
    (
        "a phone number",
        words!("phone, telephone, telefon, tel, mobile, fax, handy, cellphone"),
    ),
    (
        "the name of a person",
        words!(
            "firstname, lastname, surname, fullname, username, vorname, nachname, prenom, \
             apellido, login, nickname"
        ),
    ),
    (
        "a secret",
        words!(
            "password, passwords, passwd, pwd, passwort, kennwort, secret, token, apikey, pin, \
             cvv, credential, credentials, hash"
        ),
    ),
    (
        "an account or identity number",
        words!(
            "iban, bic, ssn, passport, creditcard, card, license, licence, taxid, steuernummer, \
             kontonummer, ausweis, dni"
        ),
    ),
    (
        "personal data",
        words!(
            "birth, birthday, birthdate, birthplace, dob, geburtsdatum, geburtstag, salary, \
             salaries, wage, wages, gehalt, lohn, religion, ethnicity, diagnosis, diagnose, \
             disability, gender, sex, nationality"
        ),
    ),
    (
        "free text",
        words!(
            "note, notes, comment, comments, remark, remarks, message, body, notiz, bemerkung, \
             kommentar"
        ),
    ),
];

/// Two words that name what neither does alone.
const PAIRS: [(&str, &str, &str); 13] = [
    ("e", "mail", "an address"),
    ("first", "name", "the name of a person"),
    ("last", "name", "the name of a person"),
    ("middle", "name", "the name of a person"),
    ("full", "name", "the name of a person"),
    ("user", "name", "the name of a person"),
    ("given", "name", "the name of a person"),
    ("family", "name", "the name of a person"),
    ("contact", "name", "the name of a person"),
    ("api", "key", "a secret"),
    ("private", "key", "a secret"),
    ("tax", "id", "an account or identity number"),
    ("account", "number", "an account or identity number"),
];

/// Words of tables about persons: their column `name` is one of a person.
const PERSONS: [&str; 24] = *words!(
    "customer, customers, client, clients, employee, employees, person, persons, people, user, \
     users, patient, patients, member, members, student, students, contact, contacts, kunde, \
     kunden, mitarbeiter, personen, staff"
);

/// What private data a column holds by its name; `None` for any other column.
pub fn private_by_name(table: &str, column: &str) -> Option<&'static str> {
    let (table, column) = (readable(table), readable(column));
    let words: Vec<&str> = column.split(' ').collect();
    let by_word = WORDS.iter().find_map(|(what, known)| {
        let mut words = words.iter();
        words.any(|word| known.contains(word)).then_some(*what)
    });
    let by_pair = || {
        let is_there = |(first, second, _): &&(&str, &str, &str)| {
            words.windows(2).any(|pair| pair == [*first, *second])
        };
        PAIRS.iter().find(is_there).map(|(_, _, what)| *what)
    };
    let is_person = |word: &str| PERSONS.contains(&word);
    let by_table = || {
        let is_name = match words.as_slice() {
            ["name"] => table.split(' ').any(is_person),
            [one, "name"] => is_person(one),
            _ => false,
        };
        is_name.then_some("the name of a person")
    };
    by_word.or_else(by_pair).or_else(by_table)
}

#[cfg(test)]
mod tests {
    use super::private_by_name;

    #[test]
    fn names_of_private_columns() {
        for (table, column) in [
            ("customers", "email"),
            ("customers", "eMail"),
            ("customers", "E_Mail_Address"),
            ("customers", "phoneNumber"),
            ("customers", "FirstName"),
            ("customers", "name"),
            ("hr.employees", "name"),
            ("orders", "customer_name"),
            ("users", "password_hash"),
            ("staff", "date_of_birth"),
            ("payments", "card_number"),
            ("tickets", "notes"),
            ("Mitarbeiter", "Gehalt"),
        ] {
            assert!(private_by_name(table, column).is_some(), "{table}.{column}");
        }
    }

    #[test]
    fn names_of_other_columns() {
        for (table, column) in [
            ("products", "name"),
            ("stores", "name"),
            ("countries", "name"),
            ("orders", "channel"),
            ("orders", "status"),
            ("products", "brand_name"),
            ("stores", "city"),
            ("orders", "order_number"),
            ("urban_areas", "mailing"),
        ] {
            assert_eq!(private_by_name(table, column), None, "{table}.{column}");
        }
    }
}
