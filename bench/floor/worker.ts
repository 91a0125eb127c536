/**
 * The floor's back: NATS subscriptions, a pool of 16, plain SQL. Started by start-floor.ts; NATS_URL, DATABASE_URL.
 */
import { newId } from '@app/contracts/ids';
// biome-ignore lint/style/noRestrictedImports: the floor is the path without our libraries.
import { connect, headers, type Msg } from '@nats-io/transport-node';
import pg from 'pg';
import { type OrderBody, subjects } from './requests.ts';

const priceCents = 4900;
const bumpCents = 1900;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
const { NATS_URL = '', NATS_USER = '', NATS_PASSWORD = '' } = process.env;
const nats = await connect({ servers: NATS_URL, user: NATS_USER, pass: NATS_PASSWORD });

async function placeOrder(body: OrderBody): Promise<unknown> {
  const now = new Date();
  const orderId = newId('order', now.getTime());
  const totalCents = priceCents + bumpCents;
  const event = { orderId, email: body.email, totalCents, currency: 'usd', sentAt: now.toISOString() };
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into orders (id, product_id, customer_email, customer_name, total_cents, currency, status,
        utm_source, utm_campaign, country, test, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        ...[orderId, body.productSlug, body.email, body.name ?? '', totalCents, 'usd', 'paid'],
        ...[body.utm_source ?? null, body.utm_campaign ?? null, body.country ?? null, false, now],
      ],
    );
    await client.query(
      'insert into order_items (order_id, position, kind, label, amount_cents) values ($1, 1, $2, $3, $4), ($1, 2, $5, $6, $7)',
      [orderId, 'main', 'The product itself', priceCents, 'bump', 'A small addition', bumpCents],
    );
    await client.query('insert into outbox (id, type, payload, created_at) values ($1, $2, $3, $4)', [
      ...[newId('event', now.getTime()), 'order.paid', JSON.stringify(event), now],
    ]);
    await client.query('commit');
  } catch (err) {
    await client.query('rollback');
    throw err;
  } finally {
    client.release();
  }
  return { ok: true, orderId, totalCents };
}

async function listOrders(): Promise<unknown> {
  const { rows } = await pool.query(
    `select o.id, o.product_id, o.customer_email, o.customer_name, o.total_cents, o.currency, o.status,
       o.utm_source, o.utm_medium, o.utm_campaign, o.utm_term, o.utm_content, o.created_at,
       (select json_agg(json_build_object('kind', i.kind, 'label', i.label, 'amount_cents', i.amount_cents) order by i.position)
        from order_items i where i.order_id = o.id) as items,
       o.country, o.affiliate_code, o.test
     from orders o order by o.id desc limit 100`,
  );
  return { data: rows };
}

async function listProducts(): Promise<unknown> {
  const { rows } = await pool.query(
    `select id, name, slug, price_cents, currency, pricing_type, billing_interval, status, access_url, created_at, updated_at
     from products order by id`,
  );
  return { data: rows };
}

function serve(subject: string, answer: (question: string) => Promise<unknown>): void {
  const respond = async (message: Msg) => {
    try {
      message.respond(JSON.stringify(await answer(message.string())));
    } catch (err) {
      const failed = headers();
      failed.set('error', (err as Error).message);
      message.respond('', { headers: failed });
    }
  };
  nats.subscribe(subject, { queue: 'floor', callback: (_err, message) => void respond(message) });
}

serve(subjects.placeOrder, (question) => placeOrder(JSON.parse(question) as OrderBody));
serve(subjects.listOrders, listOrders);
serve(subjects.listProducts, listProducts);
await nats.flush();
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
