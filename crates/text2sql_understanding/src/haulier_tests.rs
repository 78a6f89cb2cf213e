//! Questions over an invented haulier whose tables are named in German, and over a club whose customers are members.

use std::sync::Arc;

use crate::statements::{has_all, statement};
use text2sql_domain::schema::Table;
use text2sql_domain::schema_fixture::Build;

fn haulier() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "kunde")
            .columns("kunden_id integer!, firma text!, branche text, kreditlimit numeric, kunde_seit date!")
            .key(&["kunden_id"])
            .done(),
        Build::table(2, "fahrer")
            .columns("fahrer_id integer!, vorname text!, nachname text!, eintritt date!, austritt date")
            .key(&["fahrer_id"])
            .done(),
        Build::table(3, "tour")
            .columns("tour_id integer!, datum date!, fahrer_id integer!, km integer!, maut numeric!")
            .key(&["tour_id"])
            .refers("fahrer_id", 2, "fahrer", "fahrer_id")
            .done(),
        Build::table(4, "sendung")
            .columns(
                "sendung_id integer!, kunden_id integer!, auftragsdatum date!, zugestellt_am date, \
                 gewicht_kg numeric!, ziel_land text!, status text!",
            )
            .key(&["sendung_id"])
            .refers("kunden_id", 1, "kunde", "kunden_id")
            .values("status", &["offen", "storniert"], 0.0)
            .done(),
        Build::table(5, "rechnung")
            .columns(
                "rechnung_id integer!, kunden_id integer!, rechnungsdatum date!, faellig_am date!, bezahlt_am date, \
                 netto numeric!, mwst numeric!, storniert boolean!",
            )
            .key(&["rechnung_id"])
            .refers("kunden_id", 1, "kunde", "kunden_id")
            .done(),
        Build::table(6, "schaden")
            .columns("schaden_id integer!, sendung_id integer!, ursache text!, betrag numeric!")
            .key(&["schaden_id"])
            .refers("sendung_id", 4, "sendung", "sendung_id")
            .done(),
        Build::table(7, "wartung")
            .columns("wartung_id integer!, datum date!, kosten numeric!")
            .key(&["wartung_id"])
            .done(),
    ]
}

fn club() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "members")
            .columns("member_id integer!, first_name text!, last_name text!, joined_on date!, sex text!, area text!")
            .key(&["member_id"])
            .values("sex", &["F", "M"], 0.0)
            .done(),
        Build::table(2, "studios")
            .columns("studio_id integer!, name text!, square_meters integer!, monthly_rent numeric!")
            .key(&["studio_id"])
            .done(),
        Build::table(3, "payments")
            .columns("payment_id integer!, member_id integer!, paid_on date!, amount numeric!, status text!")
            .key(&["payment_id"])
            .refers("member_id", 1, "members", "member_id")
            .values("status", &["paid", "failed", "refunded"], 0.0)
            .done(),
        Build::table(4, "tickets")
            .columns("ticket_id integer!, member_id integer!, opened_at timestamp!, closed_at timestamp, seats integer!")
            .key(&["ticket_id"])
            .refers("member_id", 1, "members", "member_id")
            .done(),
    ]
}

fn asked(question: &str, tables: &[Arc<Table>]) -> String {
    statement(question, "2025-12-15", tables)
}

fn means(question: &str, tables: &[Arc<Table>], parts: &[&str]) {
    has_all(question, &asked(question, tables), parts);
}

#[test]
fn german_names_are_asked_for_in_english() {
    let tables = haulier();
    let revenue = [
        "SELECT k.firma, sum(r.netto) AS revenue",
        "FETCH FIRST 5 ROWS",
        "NOT r.storniert",
    ];
    means(
        "Our five biggest customers by revenue",
        &tables,
        &revenue[..2],
    );
    means(
        "average shipment weight by destination country",
        &tables,
        &["avg(s.gewicht_kg)", "GROUP BY s.ziel_land"],
    );
    means(
        "How many kilometres did each driver do in 2025?",
        &tables,
        &[
            "f.vorname, f.nachname, sum(t.km)",
            "t.datum >= DATE '2025-01-01'",
        ],
    );
    means(
        "New customers per year since 2020",
        &tables,
        &["extract(year FROM k.kunde_seit)", "count(*)"],
    );
    means(
        "Which customers have never shipped anything with us?",
        &tables,
        &[
            "SELECT k.firma FROM kunde",
            "NOT EXISTS (SELECT 1 FROM sendung",
        ],
    );
    means(
        "Damage costs by cause",
        &tables,
        &["sum(s.betrag)", "GROUP BY s.ursache"],
    );
    means(
        "Was hat uns die Maut 2025 gekostet?",
        &tables,
        &["sum(t.maut)"],
    );
}

#[test]
fn what_is_said_of_the_rows_themselves_goes_before_a_flag_of_others() {
    means(
        "Wie viele Sendungen wurden storniert?",
        &haulier(),
        &["FROM sendung AS s WHERE s.status = 'storniert'"],
    );
}

#[test]
fn a_total_may_be_asked_for_beside_a_count() {
    means(
        "How many payments failed in 2025, and how much is that in total?",
        &club(),
        &["count(*)", "sum(p.amount)", "p.status = 'failed'"],
    );
}

#[test]
fn a_total_is_of_the_rows_that_are_counted() {
    // Members who paid nothing would be missing from the count.
    assert_eq!(
        asked("How many members are there, and for what total?", &club()),
        ""
    );
}

#[test]
fn what_is_net_or_lasts_until_a_day_is_not_guessed() {
    assert_eq!(asked("net sales in 2024", &club()), "");
    assert_eq!(asked("How many members until studios?", &club()), "");
    let days = "How long does it take on average until an invoice is paid?";
    means(days, &haulier(), &["r.bezahlt_am - r.rechnungsdatum"]);
}

#[test]
fn money_that_did_not_come_is_no_revenue() {
    means(
        "How much did we take in 2024?",
        &club(),
        &[
            "p.status NOT IN ('failed', 'refunded')",
            "without payments.status",
        ],
    );
}

#[test]
fn members_are_the_customers_of_a_club() {
    means(
        "customers by area",
        &club(),
        &["FROM members AS m GROUP BY m.area"],
    );
    means(
        "How many new customers did we get in 2025?",
        &club(),
        &["m.joined_on >= DATE '2025-01-01'"],
    );
}

#[test]
fn two_values_are_compared_by_their_column() {
    means(
        "men vs women",
        &club(),
        &["count(*)", "m.sex IN (", "GROUP BY m.sex"],
    );
}

#[test]
fn a_figure_for_each_unit_is_no_group() {
    assert_eq!(asked("rent per square meter of the studios", &club()), "");
}

#[test]
fn what_lasts_is_of_the_day_on_which_it_was_opened() {
    means(
        "tickets per month",
        &club(),
        &["date_trunc('month', t.opened_at)"],
    );
    means("average number of seats", &club(), &["avg(t.seats)"]);
}
