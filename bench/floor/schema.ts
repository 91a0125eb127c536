import { newId } from '@app/contracts/ids';
import pg from 'pg';

const database = 'bench_floor';

const tables = `
create table products (
  id text primary key, name text not null, slug text not null unique, price_cents integer not null, currency text not null,
  pricing_type text not null, billing_interval text, status text not null, access_url text,
  created_at timestamptz not null, updated_at timestamptz not null
);
create table orders (
  id text primary key, product_id text not null, customer_email text not null, customer_name text not null,
  total_cents integer not null, currency text not null, status text not null,
  utm_source text, utm_medium text, utm_campaign text, utm_term text, utm_content text,
  country text, affiliate_code text, test boolean not null, created_at timestamptz not null
);
create table order_items (
  order_id text not null references orders, position integer not null, kind text not null, label text not null,
  amount_cents integer not null, primary key (order_id, position)
);
create table outbox (id text primary key, type text not null, payload jsonb not null, created_at timestamptz not null);
`;

/** Makes the floor's database on that server, with so many products; returns its URL. */
export async function createFloorDatabase(superuserUrl: string, products: number): Promise<string> {
  await withClient(superuserUrl, (client) => client.query(`create database ${database}`));
  const url = new URL(superuserUrl);
  url.pathname = `/${database}`;
  await withClient(url.href, async (client) => {
    await client.query(tables);
    for (let number = 1; number <= products; number++) await insertProduct(client, number);
    await client.query('analyze');
  });
  return url.href;
}

async function insertProduct(client: pg.Client, number: number): Promise<void> {
  await client.query(`insert into products values ($1, $2, $3, $4, 'usd', 'onetime', null, 'live', $5, now(), now())`, [
    ...[newId('product', Date.now()), `Bench product ${number}`, `bench-product-${number}`, 1000 + number],
    `https://example.com/access/bench-product-${number}`,
  ]);
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
