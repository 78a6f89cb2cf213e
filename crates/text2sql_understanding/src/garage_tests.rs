//! Questions over an invented garage in words that its tables do not have, each with its statement, or with none.

use std::sync::Arc;

use crate::statements::{has_all, statement};
use text2sql_domain::schema::Table;
use text2sql_domain::schema_fixture::Build;

fn garage() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "workshops")
            .columns("workshop_id integer!, name text!, city text!, installation_date date")
            .key(&["workshop_id"])
            .done(),
        Build::table(2, "employees")
            .columns(
                "employee_id integer!, full_name text!, workshop_id integer!, hired_on date!, \
                 salary numeric!, commission numeric, manager_id integer",
            )
            .key(&["employee_id"])
            .refers("workshop_id", 1, "workshops", "workshop_id")
            .done(),
        Build::table(3, "courses")
            .columns("course_id integer!, title text!, hours integer!, level text!")
            .key(&["course_id"])
            .values("level", &["basic", "advanced"], 0.0)
            .done(),
        Build::table(4, "enrolments")
            .columns("enrolment_id integer!, course_id integer!, employee_id integer!, passed_on date")
            .key(&["enrolment_id"])
            .refers("course_id", 3, "courses", "course_id")
            .refers("employee_id", 2, "employees", "employee_id")
            .done(),
        Build::table(5, "parts")
            .columns("part_id integer!, name text!, price numeric!, kind text!, start_shelf text, end_shelf text, wheels integer")
            .key(&["part_id"])
            .values("kind", &["brake", "lamp"], 0.0)
            .values("name", &["Halo 3"], 0.0)
            .done(),
    ]
}

fn asked(question: &str) -> String {
    statement(question, "2024-05-01", &garage())
}

fn means(question: &str, parts: &[&str]) {
    has_all(question, &asked(question), parts);
}

fn declines(question: &str) {
    assert_eq!(asked(question), "", "{question}");
}

#[test]
fn general_words_for_persons_are_the_one_table_of_persons() {
    let hired = ["FROM employees AS e", "e.hired_on >= DATE '2023-01-01'"];
    means("How many people started in 2023?", &hired);
    means("Wie viele Leute haben 2023 angefangen?", &hired);
    means(
        "Who earns more than 5000?",
        &["FROM employees", "e.salary > 5000"],
    );
    // Nobody is a guest here.
    declines("How many guests do we have?");
    // The day on which somebody left is not that of the beginning.
    declines("How many people left in 2023?");
}

#[test]
fn a_verb_of_beginning_means_the_one_date_of_a_beginning() {
    let installed = [
        "w.installation_date >= DATE '2021-01-01'",
        "workshops.installation_date",
    ];
    means("workshops set up in 2021", &installed);
    means("Which workshops were opened in 2021?", &installed);
    declines("Which workshops were closed in 2021?");
    declines("Which workshops were painted in 2021?");
}

#[test]
fn the_first_of_each_group_is_shown_with_those_that_equal_it() {
    means(
        "the dearest part of each kind",
        &["(p.kind, p.price) IN (SELECT p2.kind, max(p2.price) FROM parts AS p2 GROUP BY p2.kind)"],
    );
    means(
        "The best paid employee in every workshop",
        &["SELECT w.name, e.full_name, e.salary", "max(e2.salary)"],
    );
    means(
        "Who is the longest serving employee of each workshop?",
        &["min(e2.hired_on)"],
    );
    // Among which rows, and how many of them, is another question.
    declines("the two dearest parts of each kind");
    declines("the dearest part of each part");
}

#[test]
fn values_have_rows_and_rows_have_one() {
    means(
        "Which cities have more than one workshop?",
        &["SELECT DISTINCT w.city", "HAVING count(*) > 1"],
    );
    means(
        "Which workshops have only one employee?",
        &["coalesce(e.value, 0) = 1"],
    );
    means("parts with two wheels", &["p.wheels = 2"]);
    means("parts with wheels", &["p.wheels > 0"]);
    means("Which employees get a commission?", &["e.commission > 0"]);
}

#[test]
fn what_nobody_did_has_no_rows_of_it() {
    let none = ["NOT EXISTS (SELECT 1 FROM enrolments AS e WHERE e.course_id = c.course_id)"];
    means("courses nobody has signed up for", &none);
    means("Which courses has nobody enrolled in?", &none);
    means(
        "Which workshops does nobody work in?",
        &["NOT EXISTS (SELECT 1 FROM employees"],
    );
    declines("courses nobody has laughed about");
}

#[test]
fn a_figure_of_what_is_named_is_its_price_or_pay() {
    means(
        "What does Halo 3 cost?",
        &["SELECT p.name, p.price", "p.name = 'Halo 3'"],
    );
    means(
        "What does each workshop cost us in salaries?",
        &["sum(e.salary)"],
    );
    means(
        "Which employees earn more than their boss?",
        &["e.salary > e2.salary"],
    );
    declines("Which parts cost more than their boss?");
    means(
        "Which parts start and end on the same shelf?",
        &["p.start_shelf = p.end_shelf"],
    );
}

#[test]
fn several_questions_and_states_that_nothing_says_are_declined() {
    declines("The most expensive part we have - who bought it?");
    declines("How many parts are taken?");
    declines("Which courses does each employee have?");
    declines("the most employee");
}

#[test]
fn things_are_ranked_by_a_column_of_their_own() {
    means(
        "top 3 employees by salary",
        &["ORDER BY e.salary DESC", "FETCH FIRST 3 ROWS"],
    );
    means(
        "top courses by hours",
        &["ORDER BY c.hours DESC", "FETCH FIRST 10 ROWS"],
    );
    // The salaries of a workshop could be added or averaged.
    declines("top 3 workshops by salary");
}
