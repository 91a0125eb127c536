/** Where a buyer came from, as orders and checkouts have it. */
export const utmTypes = {
  utm_source: 'text',
  utm_medium: 'text',
  utm_campaign: 'text',
  utm_term: 'text',
  utm_content: 'text',
} as const;

/** The columns of `orders` that every new order fills. */
export const newOrderTypes = {
  id: 'text',
  account_id: 'text',
  product_id: 'text',
  customer_email: 'text',
  email_key: 'text',
  customer_name: 'text',
  total_cents: 'bigint',
  currency: 'text',
  ...utmTypes,
  country: 'text',
  affiliate_code: 'text',
  discount_id: 'text',
  test: 'boolean',
  items: 'json',
  created_at: 'timestamptz',
} as const;
