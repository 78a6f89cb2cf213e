-- Each of these returns under the guard what it returns without it. One statement a line.
SELECT count(*) FROM orders
SELECT status, count(*), sum(total), avg(total) FROM orders GROUP BY 1 ORDER BY 1
SELECT total FROM orders WHERE customer_id = 7 ORDER BY order_id
SELECT c.city, sum(o.total) FROM customers c JOIN orders o USING (customer_id) GROUP BY 1 ORDER BY 1
SELECT co.name, count(*) FROM countries co JOIN customers c USING (country_id) GROUP BY 1 ORDER BY 1
SELECT co.name, count(c.customer_id) FROM countries co LEFT JOIN customers c USING (country_id) GROUP BY 1 ORDER BY 1
SELECT customer_id FROM orders WHERE total > 98 UNION SELECT customer_id FROM customers WHERE city = 'Nowhere' ORDER BY 1
SELECT customer_id FROM orders INTERSECT SELECT country_id FROM customers ORDER BY 1
SELECT customer_id FROM customers EXCEPT SELECT customer_id FROM orders WHERE total < 50 ORDER BY 1
WITH t AS MATERIALIZED (SELECT customer_id, count(*) AS n FROM orders GROUP BY 1) SELECT max(n) FROM t
SELECT EXISTS (SELECT 1 FROM orders WHERE total > 98) AS e
SELECT (SELECT count(*) FROM items) AS n
SELECT city, customers FROM per_city ORDER BY 1
SELECT DISTINCT status FROM orders ORDER BY 1
SELECT DISTINCT ON (city) city, name FROM customers ORDER BY city, customer_id
SELECT city, name, rank() OVER (PARTITION BY city ORDER BY customer_id) AS r FROM customers ORDER BY 1, 3 LIMIT 7
SELECT name FROM customers WHERE customer_id IN (SELECT customer_id FROM orders WHERE total > 98) ORDER BY 1
SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders WHERE total > 50) ORDER BY 1
SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id AND o.total > 98) ORDER BY 1
SELECT string_agg(DISTINCT status, ',') FROM orders
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders
SELECT array_agg(name ORDER BY name) FROM countries
SELECT n.note_id, o.total FROM notes n JOIN orders o USING (order_id) ORDER BY 1
SELECT date_trunc('month', ordered_on)::date AS month, count(*) FROM orders GROUP BY 1 ORDER BY 1
SELECT status, count(*) FILTER (WHERE total > 50) AS large FROM orders GROUP BY 1 HAVING count(*) > 1 ORDER BY 1
SELECT n FROM events_102999
