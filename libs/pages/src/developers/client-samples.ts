import { placeholderUrl } from './placeholder-url.ts';

/** Programs of the page about the typed client: a test compiles each with `tsc --strict`. */
export const listing = `
import { Client } from './client.ts';

const shop = new Client({ key: process.env.KEY });
for await (const order of shop.iterateOrders({ query: { status: 'paid' } })) {
  console.log(order.customer_email, order.total_cents, order.currency);
}
`;

export const recording = `
import { Client, isProblem } from './client.ts';

const shop = new Client({ key: process.env.KEY });
try {
  const body = { productSlug: 'watercolour-course', email: 'maya@example.com' };
  const { orderId } = await shop.createOrder({ body }, { idempotencyKey: 'order-1001' });
  console.log(orderId);
} catch (err) {
  if (isProblem(err, 'product_not_found')) console.error(err.detail);
  else if (isProblem(err, 'validation_failed')) console.error(err.errors.map(({ field, message }) => \`\${field} \${message}\`));
  else throw err;
}
`;

export const refunding = `
import { Client } from './client.ts';

const shop = new Client({ key: process.env.KEY });

/** Refunds an order, if exactly what was shown would go back. */
export async function refund(orderId: string): Promise<void> {
  const { charges } = await shop.previewRefund({ orderId });
  const expectedCents = charges.reduce((sum, { refundCents }) => sum + refundCents, 0);
  const { status } = await shop.refundOrder({ orderId, body: { expectedCents } });
  console.log(status);
}
`;

export const receiving = `
import { createServer } from 'node:http';
import { type WebhookEvent, verify } from './client.ts';

function handle(event: WebhookEvent): void {
  switch (event.name) {
    case 'order.paid':
      console.log(event.payload.email, event.payload.total);
      break;
    case 'subscription.payment_failed':
      console.log(event.payload.attempt, event.payload.nextTryDays);
      break;
    case 'unknown':
      console.log('of a newer version:', event.event, event.payload);
      break;
  }
}

createServer(async (req, res) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of req) chunks.push(chunk);
  try {
    handle(await verify(Buffer.concat(chunks), req.headers, process.env.SECRET ?? ''));
    res.writeHead(204).end();
  } catch {
    res.writeHead(400).end();
  }
}).listen(3001);
`;

export const following = `
import { Client, eventOf } from './client.ts';

const shop = new Client({ key: process.env.KEY });

/** Reads the log from where it was left. Returns where to go on: store it. */
export async function follow(last?: string) {
  for await (const logged of shop.iterateEvents({ query: { after: last } })) {
    const event = eventOf(logged);
    if (event?.name === 'order.paid') console.log(event.id, event.payload.orderId);
    last = logged.id;
  }
  return last;
}
`;

export const selling = `
import { Client } from './client.ts';

/** A buyer's calls need no key: the checkout has a secret. */
const shop = new Client({ baseUrl: '${placeholderUrl}' });
const { id: checkoutId, secret, totalCents } = await shop.openCheckout({
  body: { handle: 'your-handle', slug: 'watercolour-course', email: 'maya@example.com' },
});
const outcome = await shop.payCheckout(
  { checkoutId, body: { paymentMethod: 'sim_ok', totalCents } },
  { checkoutSecret: secret },
);
console.log(outcome.status);
`;
