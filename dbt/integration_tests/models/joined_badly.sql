{{ config(materialized='view') }}
select count(*) as number from {{ ref('orders') }} o join {{ ref('customers') }} c on o.customer_id = c.id where o.status = null
