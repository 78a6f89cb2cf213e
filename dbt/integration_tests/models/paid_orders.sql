select id, customer_id, total, ordered_on from {{ ref('orders') }} where status = 'paid'
