import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@app/embedded/ports';
import { type Program, startProgram } from '../child-processes.ts';
import type { Infra } from '../infra.ts';
import { type Receiver, startReceiver } from '../load/start-receiver.ts';
import type { OrderWatch, Sale, SystemUnderTest } from '../system.ts';
import { type Credentials, createPlatformClient, type PlatformClient } from './platform-client.ts';
import { watchOrders } from './watch-orders.ts';

/** What buyers pay in the bench: a product without bumps and without an upsell. */
export interface Shop {
  readonly checkoutUrl: string;
  readonly handle: string;
  readonly productSlug: string;
  readonly watch: () => Promise<OrderWatch>;
}

export interface Platform {
  readonly system: SystemUnderTest;
  readonly client: PlatformClient;
  readonly receiver: Receiver;
  readonly shop: Shop;
  readonly pid: number;
  /** Ends the platform, then the receiver. */
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the program that follows under V8's flags of `npm start`. */
export const launcher = join(root, 'deploy/node.js');

/** What `npm start` runs: the launcher, then the program. */
function startCommand(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start
    .split(' ')
    .slice(1)
    .map((part) => join(root, part));
}

/** What a call of the processor takes with the card `sim_slow`: as long as a fast real one. */
export const slowCardMs = 50;

/** All services in one process, as `npm start` runs them. */
export async function startStandalone(
  dataDir: string,
  settings: Record<string, string>,
  nodeOptions: string[] = [],
): Promise<Program> {
  const { NATS_URL: _nats, POSTGRES_URL: _postgres, ...inherited } = process.env;
  const own = {
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: '0',
    WEBHOOKS_PER_SECOND: '1000000',
    // Without a mail server each receipt would be a file: their cost is not that of orders and renewals.
    AUTOMATION_EMAILS: 'disabled',
    SIMULATED_SLOW_MS: String(slowCardMs),
  };
  return await startProgram(
    [...nodeOptions, ...startCommand()],
    { ...inherited, ...own, ...settings },
    `${dataDir}.log`,
  );
}

export const platformDirectory = ({ directory }: Infra): string => join(directory, 'platform');

/** The platform on the shared servers, with 20 products and a webhook endpoint that answers. */
export async function startPlatform(
  infra: Infra,
  products: number,
  nodeOptions: string[] = [],
  settings: Record<string, string> = {},
): Promise<Platform> {
  const dataDir = platformDirectory(infra);
  const program = await startStandalone(
    dataDir,
    { NATS_URL: infra.nats.url, ...infra.nats.platform, POSTGRES_URL: infra.postgres.url, ...settings },
    nodeOptions,
  );
  const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
  const client = createPlatformClient(credentials);
  const receiver = await startReceiver();
  const { productId, sale } = await chooseProduct(client);
  for (let count = (await client.listProducts()).length; count < products; count++)
    await client.createProduct(count + 1);
  await client.setWebhookUrl(receiver.url);
  const system: SystemUnderTest = {
    name: 'platform',
    ordersUrl: `${credentials.baseUrl}/api/v1/orders`,
    productsUrl: `${credentials.baseUrl}/api/v1/products`,
    apiKey: credentials.apiKey,
    sale,
    processes: { node: [program.pid], postgres: infra.postgres.pid, nats: [infra.nats.pid], receiver: [receiver.pid] },
    watchOrders: () => watchOrders(client, receiver, productId),
  };
  const stop = async () => {
    await program.stop();
    await receiver.stop();
  };
  const shop = await openShop(client, credentials.baseUrl, receiver);
  return { system, shop, client, receiver, pid: program.pid, stop };
}

async function openShop(client: PlatformClient, baseUrl: string, receiver: Receiver): Promise<Shop> {
  const plain = (await client.listProducts()).find(({ slug }) => slug.startsWith('bench-product-'));
  if (plain === undefined) throw new Error('The bench made no product of its own');
  return {
    checkoutUrl: `${baseUrl}/api/checkout`,
    handle: await client.readHandle(),
    productSlug: plain.slug,
    watch: () => watchOrders(client, receiver, plain.id),
  };
}

async function chooseProduct(client: PlatformClient): Promise<{ productId: string; sale: Sale }> {
  for (const product of await client.listProducts()) {
    if (product.status !== 'live' || product.pricing_type !== 'onetime') continue;
    const [bumpId] = await client.listBumps(product.id);
    if (bumpId !== undefined) return { productId: product.id, sale: { productSlug: product.slug, bumpId } };
  }
  throw new Error('The demo data has no live one-time product with an active bump');
}
