/** Examples of the order endpoints, by operation; a test parses them with the schemas they stand beside. */
const order = {
  id: 'ord_01kahv7w3xe5m8q2r6t9y0b4cd',
  product_id: 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg',
  customer_email: 'maya@example.com',
  customer_name: 'Maya Lindqvist',
  total_cents: 6800,
  currency: 'usd',
  status: 'paid',
  utm_source: 'newsletter',
  utm_medium: 'email',
  utm_campaign: 'autumn',
  utm_term: null,
  utm_content: null,
  created_at: '2026-11-20T09:30:12.345Z',
  items: [
    { kind: 'main', label: 'Watercolour Course', amount_cents: 4900 },
    { kind: 'bump', label: 'Printable workbook', amount_cents: 1900 },
  ],
  country: 'SE',
  affiliate_code: 'ANNA',
  test: false,
};

interface Examples {
  readonly body?: unknown;
  readonly response: unknown;
}

export const examples: Readonly<Record<string, Examples>> = {
  listOrders: { response: { data: [order] } },
  getOrder: { response: order },
  createOrder: {
    body: {
      productSlug: 'watercolour-course',
      email: 'maya@example.com',
      name: 'Maya Lindqvist',
      bumpIds: ['bmp_01kaf2m4q7s9v1x3z5b7d9f1hj'],
      affiliateCode: 'ANNA',
    },
    response: { ok: true, orderId: order.id, totalCents: order.total_cents },
  },
};

export const problemExample = {
  type: 'http://127.0.0.1:3000/developers/errors#validation_failed',
  title: 'Some fields are invalid',
  status: 422,
  detail: 'email must be an email address.',
  code: 'validation_failed',
  requestId: '01kahv7w3xe5m8q2r6t9y0b4cd',
  errors: [{ field: 'email', code: 'invalid_format', message: 'must be an email address' }],
};
