-- Privileges of the demo roles. Roles belong to the cluster, so this file can be run for every copy of the
-- demo.

SET client_min_messages = warning;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'demo_analyst') THEN
        CREATE ROLE demo_analyst LOGIN;
    END IF;
END $$;

GRANT USAGE ON SCHEMA public, hr, web TO demo_analyst;
GRANT SELECT ON
    countries, stores, employees, hr.departments, categories, suppliers, products, product_suppliers,
    customer_addresses, orders, order_items, payments, shipments, returns, campaigns, campaign_orders,
    inventory, reviews, support_tickets, "Gift Cards", monthly_revenue, active_customers, product_sales
TO demo_analyst;

-- Not hr.employee_salaries at all. For customers neither date of birth nor bank account, for web sessions no
-- address.
GRANT SELECT (customer_id, first_name, last_name, full_name, company_name, email, phone, country_code, cust_seg_cd,
              flg_act, dt_crt, newsletter, interests, preferences, loyalty_points, referred_by)
    ON customers TO demo_analyst;
GRANT SELECT (session_id, customer_id, order_id, ordered_on, started_at, duration, pages_viewed, device, source)
    ON web.sessions TO demo_analyst;

DROP POLICY IF EXISTS not_confidential ON support_tickets;
CREATE POLICY not_confidential ON support_tickets FOR SELECT TO demo_analyst USING (NOT is_confidential);
