import { startPart } from '../child-processes.ts';
import type { Infra } from '../infra.ts';
import type { SystemUnderTest } from '../system.ts';
import { createFloorDatabase } from './schema.ts';

/** The bare order path: what it costs to take an order over this stack when nothing else is done. */
export async function startFloor(
  infra: Infra,
  products: number,
  stack: AsyncDisposableStack,
): Promise<SystemUnderTest> {
  const databaseUrl = await createFloorDatabase(infra.postgres.url, products);
  const env = { ...process.env, NATS_URL: infra.nats.url, ...infra.nats.floor, DATABASE_URL: databaseUrl };
  const worker = await startPart(new URL('./worker.ts', import.meta.url), env);
  const gateway = await startPart(new URL('./gateway.ts', import.meta.url), env);
  stack.defer(async () => {
    await gateway.stop();
    await worker.stop();
  });
  const baseUrl = String(gateway.ready.baseUrl);
  return {
    name: 'floor',
    ordersUrl: `${baseUrl}/orders`,
    productsUrl: `${baseUrl}/products`,
    // As long as a real key: both sides parse the same header.
    apiKey: `fnl_${'0'.repeat(38)}`,
    sale: { productSlug: 'bench-product-1', bumpId: 'bmp_00000000000000000000000000' },
    processes: { node: [gateway.pid, worker.pid], postgres: infra.postgres.pid, nats: [infra.nats.pid] },
  };
}
