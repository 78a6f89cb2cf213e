-- Business terms of the shop. Loaded after the extension, by a curator.

SELECT text2sql.describe('stores', synonyms => '{shops,branches,Filialen}');
SELECT text2sql.describe('customers.cust_seg_cd', meanings =>
    '{"P": "private", "C": "Gipfelclub", "B": "business", "E": "employee"}');
SELECT text2sql.describe('products.abc_cls', meanings => '{"A": "top seller", "B": "middle", "C": "slow seller"}');
SELECT text2sql.describe('customers.preferences', priority => 'low');
SELECT text2sql.define('club member', 'customer of the Gipfelclub whose account is open',
    $$cust_seg_cd = 'C' AND flg_act = 'Y'$$, 'customers');
SELECT text2sql.define('net sales', 'items without the 20 percent tax, cancelled orders left out',
    $$round(sum(items_total / 1.2) FILTER (WHERE status <> 'cancelled'), 2)$$, 'orders', '{turnover,Nettoumsatz}');
SELECT text2sql.define('average basket', 'revenue for each order that was not cancelled',
    $$round(sum(revenue) / nullif(count(*) FILTER (WHERE status <> 'cancelled'), 0), 2)$$, 'orders', '{AOV}');
