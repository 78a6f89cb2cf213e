//! Words for a row in a role: another row of the same table, or a person.

use super::keys::Target;
use super::names::{Name, Stands};
use text2sql_domain::words;

/// Words for another row of the same table.
const OWN_ROWS: &[&str] = words!(
    "parent, superior, boss, manager, mgr, report, supervisor, predecessor, successor, previous, \
     prev, next, original, root, replac, lead, leader, super, ancestor, head, prereq, \
     prerequisit, duplicat"
);

/// Words for people in a role.
const PERSON_ROLES: &[&str] = words!(
    "manager, mgr, supervisor, boss, owner, creator, author, editor, reviewer, approver, assigne, \
     agent, advisor, adviser, mentor, head, leader, lead, rep, representativ, salesperson, \
     createdbi, updatedbi, modifiedbi, assignedto, teacher, instructor, professor, prof, doctor, \
     physician, nurs, coach, chair, director, secretari, technician, contact, responsibl, \
     operator, clerk, seller, buyer"
);

/// Tables of people.
const PEOPLE: &[&str] =
    words!("employee, employe, staff, person, user, member, worker, personnel, faculti, human");

/// Further tables of people, whose names nobody writes in full.
const OTHER_PEOPLE: &[&str] = words!(
    "actor, applicant, candidat, client, customer, driver, guest, passeng, patient, player, \
     pupil, student"
);

/// Words before `name` in the name of a person.
const NAMES_OF_PEOPLE: &[&str] = &["famili", "first", "full", "given", "last", "maiden", "sur"];

/// Whether the column holds names of people.
pub(crate) fn names_people(table: &str, column: &str) -> bool {
    let is_person = |word: &String| {
        let word = word.as_str();
        [PERSON_ROLES, PEOPLE, OTHER_PEOPLE, &["surnam"]]
            .iter()
            .any(|words| words.contains(&word))
    };
    let column = Name::of(column);
    let is_own = NAMES_OF_PEOPLE
        .iter()
        .any(|word| column.whole.starts_with(word) && column.whole.ends_with("name"));
    is_own || column.words.iter().any(is_person) || Name::of(table).words.iter().any(is_person)
}

/// What a name says about the row that it references.
#[derive(Default)]
pub(super) struct RowWords {
    /// Another row of the same table: `parent_id`, `reports_to`.
    pub(super) is_own_row: bool,
    /// A person: `manager_id`.
    pub(super) is_person: bool,
    /// Whether it also says that it identifies the row.
    pub(super) identifies: bool,
}

impl RowWords {
    pub(super) fn of(name: &Name) -> Self {
        let subject = name.subject();
        let words = match name.key_word() {
            Some(_) => name.words.get(..name.words.len() - 1).unwrap_or_default(),
            None => &name.words,
        };
        let is_in = |list: &[&str], word: Option<&String>| {
            word.is_some_and(|word| list.contains(&word.as_str()))
                || list.contains(&subject.as_str())
        };
        let reports = name.whole.starts_with("reportsto") || name.whole.starts_with("reportto");
        let identifies = reports
            || name.key_word().is_some_and(|word| word != "name")
            || name.words.last().is_some_and(|last| last == "by");
        // `parent_entry_id`, but `sales_rep_id`.
        let is_own_row = identifies && (reports || is_in(OWN_ROWS, words.first()));
        let is_person = reports || is_in(PERSON_ROLES, words.last());
        Self {
            is_own_row,
            is_person,
            identifies,
        }
    }
}

/// Whether the rows of a table are people.
pub(super) fn are_people(target: &Target<'_>) -> bool {
    PEOPLE.iter().any(|word| {
        let stands = target.spellings.get(*word);
        stands.is_some_and(|stands| *stands <= Stands::Core)
    })
}
