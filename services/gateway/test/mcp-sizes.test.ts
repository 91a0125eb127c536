import { getStatement, listAffiliates, listPayouts } from '@app/contracts/affiliates';
import { listAutomations } from '@app/contracts/automations';
import { getDailyRun, listDailyRuns, previewDailyRun } from '@app/contracts/daily-runs';
import type { RequestDefinition } from '@app/contracts/define';
import { getFunnel } from '@app/contracts/funnels';
import { explainMetric, getMetrics } from '@app/contracts/metrics';
import { getOrder, listOrders } from '@app/contracts/orders';
import { getOverview } from '@app/contracts/overview';
import { listOrderPayments, listPayments } from '@app/contracts/payments';
import { getProduct, listProducts } from '@app/contracts/products';
import { previewReminders } from '@app/contracts/reminders';
import { getSubscription, listSubscriptions } from '@app/contracts/subscriptions';
import {
  getDelivery,
  getRecovery,
  listActivity,
  listDeliveries,
  listEvents,
  listRecoveries,
} from '@app/contracts/webhook-deliveries';
import { getWebhookEndpoint, listWebhookEndpoints } from '@app/contracts/webhooks';
import { connectNats, type NatsClient } from '@app/messaging/connect';
import { onRequest, Serialized, serveRequests } from '@app/messaging/serve-requests';
import { AdjustableClock } from '@app/service-kit/clock';
import { silentLogger } from '@app/service-kit/logger';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestNats, type TestNats } from '@app/testing/nats';
import { createMigratedDatabase } from '@app/testing/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import type { RunningGateway } from '../src/gateway-deps.ts';
import { tools } from '../src/mcp/tools.ts';
import { createGateway } from '../src/service.ts';
import { createSeller, passwordCost } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

const reads: RequestDefinition[] = [
  listProducts,
  getProduct,
  getFunnel,
  listOrders,
  getOrder,
  listPayments,
  listOrderPayments,
  getOverview,
  getMetrics,
  explainMetric,
  listSubscriptions,
  getSubscription,
  listDailyRuns,
  getDailyRun,
  previewDailyRun,
  previewReminders,
  listAffiliates,
  getStatement,
  listPayouts,
  getWebhookEndpoint,
  listWebhookEndpoints,
  listActivity,
  listDeliveries,
  getDelivery,
  getRecovery,
  listRecoveries,
  listEvents,
  listAutomations,
];

let nats: TestNats;
let database: Awaited<ReturnType<typeof createMigratedDatabase>>;
let gateway: RunningGateway;
let key: string;
const links: NatsClient[] = [];

/** Every service answers with as much as its answers can hold. */
beforeAll(async () => {
  nats = await createTestNats();
  database = await createMigratedDatabase('gateway', migrate);
  for (const service of new Set(reads.map((definition) => definition.service))) {
    const link = await connectNats(nats.login(service));
    links.push(link);
    const answers = reads
      .filter((definition) => definition.service === service)
      .map((definition) => onRequest(definition, async (input) => new Serialized(longest(definition, input))));
    await serveRequests(link, {
      version: '0.1.0',
      description: 'a stand-in',
      handlers: answers,
      logger: silentLogger(),
    });
  }
  const env = { DATABASE_URL: database.url, ...nats.settings('gateway'), PORT: '0', KEY_PEPPER: 'p'.repeat(32) };
  const config = readConfig({ ...env, RATE_LIMIT_PER_MINUTE: '0' });
  gateway = await createGateway(config, { logger: silentLogger(), clock: new AdjustableClock(), passwordCost });
  ({ key } = await createSeller(gateway.url));
});
afterAll(async () => {
  await gateway.close();
  for (const link of links) await link.close();
  await database.close();
  await nats.close();
});

type JsonSchema = z.core.JSONSchema.BaseSchema;
const longText = 'A “long” text, "quoted", over\n'.repeat(60);

/** 100 rows, or as many as were requested, each with everything it can have. */
function longest(definition: RequestDefinition, input: unknown): string {
  const { limit = 100 } = input as { limit?: number };
  const schema = z.toJSONSchema(definition.output, { io: 'output', unrepresentable: 'any' });
  const filled = fill(schema, schema.$defs ?? {}, limit) as Record<string, unknown>;
  return JSON.stringify('next' in filled ? { ...filled, next: `after row ${limit}` } : filled);
}

function fill(schema: JsonSchema, defs: Record<string, JsonSchema>, rows: number): unknown {
  if (schema.$ref !== undefined) return fill(defs[schema.$ref.replace('#/$defs/', '')] ?? {}, defs, rows);
  const [first] = (schema.anyOf ?? []) as JsonSchema[];
  if (first !== undefined) return fill(first, defs, rows);
  if (schema.type === 'array') {
    const length = Math.min(rows, schema.maxItems ?? rows);
    return Array.from({ length }, () => fill(schema.items as JsonSchema, defs, rows));
  }
  if (schema.type === 'object') {
    const fields = Object.entries(schema.properties ?? {}) as [string, JsonSchema][];
    return Object.fromEntries(fields.map(([name, field]) => [name, fill(field, defs, rows)]));
  }
  return fillOne(schema);
}

function fillOne(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum.at(-1);
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return 9_999_999_999;
  const [, prefix] = /^\^([a-z]+_)/.exec(schema.pattern ?? '') ?? [];
  if (prefix !== undefined) return `${prefix}${'0'.repeat(26)}`;
  if (schema.format === 'date-time') return '2026-11-20T09:30:12.345Z';
  return longText.slice(0, schema.maxLength ?? longText.length);
}

async function call(name: string, args: Record<string, unknown>) {
  const { text } = await send(gateway.url, 'POST', '/api/mcp', {
    key,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } },
  });
  const { result } = JSON.parse(text.startsWith('{') ? text : text.replace(/^[\s\S]*?^data: /m, ''));
  return { text, result };
}

const idFor: Record<string, string> = {
  ...{ productId: 'prd_', orderId: 'ord_', subscriptionId: 'sub_', deliveryId: 'dlv_', recoveryId: 'rcv_' },
  runId: 'run_',
};
const argumentsOf = (params: readonly string[]) =>
  Object.fromEntries(params.map((name) => [name, `${idFor[name]}${'0'.repeat(26)}`]));
/** What a tool needs beside ids. */
const needed: Record<string, object> = { explain_metric: { metric: 'orders' } };
const readingTools = tools
  .filter(({ operation }) => operation.method === 'GET')
  .map(({ name, operation }) => {
    const ids = argumentsOf(Object.keys(operation.params?.shape ?? {}));
    return [name, { ...ids, ...needed[name] }] as const;
  });

test.each(readingTools)('%s of a full account is less than 20 KB, and says something', async (name, args) => {
  const { text, result } = await call(name, args);
  expect(result.isError, JSON.stringify(result)).toBeFalsy();
  expect(Buffer.byteLength(text)).toBeLessThan(20_000);
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  for (const value of Object.values(result.structuredContent)) {
    if (Array.isArray(value)) expect(value.length).toBeGreaterThan(0);
  }
});

test('a list requested more than fits keeps whole rows and leads on', async () => {
  const { text, result } = await call('list_activity', { limit: 100 });
  expect(Buffer.byteLength(text)).toBeLessThan(20_000);
  expect(result.structuredContent.has_more).toBe(true);
  expect(result.content[1].text).toContain('full: true');
});

test.each([
  ['explain_metric', { metric: 'orders', productId: `prd_${'0'.repeat(26)}` }],
  ['preview_daily_run', {}],
])('%s: a page that is cut leads on from its last row', async (name, args) => {
  const { text, result } = await call(name, { ...args, limit: 100 });
  expect(result.isError, JSON.stringify(result)).toBeFalsy();
  expect(Buffer.byteLength(text)).toBeLessThan(20_000);
  const { data, next } = result.structuredContent;
  expect(data.length).toBeGreaterThan(0);
  expect(data.length).toBeLessThan(100);
  expect(next).toBe(`after row ${data.length}`);
  expect(result.structuredContent).not.toHaveProperty('has_more');
  expect(result.content[1]?.text ?? '').not.toContain('before');
});

test('full: true gives long texts and all rows', async () => {
  const short = await call('list_activity', { limit: 20 });
  expect(short.result.structuredContent.data[0].summary).toMatch(/…$/);
  const { result } = await call('list_activity', { limit: 20, full: true });
  expect(result.structuredContent.data).toHaveLength(20);
  expect(result.structuredContent.data[0].summary).toBe(longText);
  expect(result.content).toHaveLength(1);
});
