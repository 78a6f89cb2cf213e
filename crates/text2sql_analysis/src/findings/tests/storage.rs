//! Statistics, row-level security, materialised views.

use super::super::{Check, Severity, compare_view, find};
use super::{has_finding, has_no_finding};
use text2sql_domain::schema_fixture::shop;

#[test]
fn tables_without_statistics_are_noted() {
    has_finding(
        Check::NotAnalysed,
        Severity::Note,
        &[
            "SELECT * FROM fresh",
            "SELECT count(*) FROM orders JOIN fresh ON id = order_id",
            "WITH f AS (SELECT * FROM fresh) SELECT * FROM f",
            "SELECT * FROM orders WHERE order_id IN (SELECT id FROM fresh)",
            "SELECT label FROM fresh UNION SELECT name FROM customers",
        ],
    );
    has_no_finding(
        Check::NotAnalysed,
        Severity::Note,
        &[
            "SELECT * FROM orders",
            "SELECT * FROM active_customers",
            "SELECT 1",
            "SELECT * FROM unknown_table",
            "WITH fresh AS (SELECT 1 AS id) SELECT * FROM fresh",
        ],
    );
}

#[test]
fn reports_row_security() {
    has_finding(
        Check::RowSecurity,
        Severity::Note,
        &[
            "SELECT * FROM notes",
            "SELECT body FROM notes WHERE note_id = 1",
            "SELECT * FROM orders WHERE order_id IN (SELECT note_id FROM notes)",
            "SELECT body FROM notes UNION ALL SELECT name FROM customers",
            "SELECT * FROM (SELECT * FROM notes) n",
        ],
    );
    has_finding(
        Check::RowSecurity,
        Severity::Warning,
        &[
            "SELECT count(*) FROM notes",
            "SELECT max(note_id) FROM notes",
            "SELECT body, count(*) FROM notes GROUP BY body",
            "SELECT (SELECT count(*) FROM notes)",
            "WITH n AS (SELECT count(*) AS c FROM notes) SELECT c FROM n",
        ],
    );
    has_no_finding(
        Check::RowSecurity,
        Severity::Note,
        &[
            "SELECT * FROM orders",
            "SELECT count(*) FROM customers",
            "SELECT 'notes'",
            "WITH notes AS (SELECT 1 AS x) SELECT count(*) FROM notes",
            "SELECT notes.name FROM customers AS notes",
        ],
    );
}

#[test]
fn reports_materialised_views() {
    has_finding(
        Check::StaleView,
        Severity::Note,
        &[
            "SELECT * FROM revenue_by_day",
            "SELECT sum(revenue) FROM revenue_by_day",
            "SELECT * FROM payments JOIN revenue_by_day ON day = paid_on",
            "SELECT * FROM orders WHERE due IN (SELECT day FROM revenue_by_day)",
            "WITH r AS (SELECT * FROM revenue_by_day) SELECT * FROM r",
        ],
    );
    has_no_finding(
        Check::StaleView,
        Severity::Note,
        &[
            "SELECT * FROM active_customers",
            "SELECT * FROM orders",
            "WITH revenue_by_day AS (SELECT 1 AS day) SELECT * FROM revenue_by_day",
            "SELECT paid_on FROM payments",
            "SELECT revenue_by_day.name FROM customers revenue_by_day",
        ],
    );
    let mut findings = find("SELECT * FROM revenue_by_day", &shop())
        .unwrap()
        .unwrap();
    compare_view(&mut findings, "revenue_by_day", " SELECT 1;\n");
    assert!(findings[0].probe.is_some());
}
