import { settingsResource } from '@app/contracts/accounts';
import { affiliateResource, getStatement, listAffiliates, payoutResource } from '@app/contracts/affiliates';
import { automationResource, previewAutomation } from '@app/contracts/automations';
import { advanceRehearsal, dailyResult, getDailyRun, previewDailyRun } from '@app/contracts/daily-runs';
import { offerResource } from '@app/contracts/funnels';
import { explainMetric, metricsResource } from '@app/contracts/metrics';
import { orderResource, orderWithPayments, releaseOrder } from '@app/contracts/orders';
import { overview } from '@app/contracts/overview';
import { paymentResource } from '@app/contracts/payments';
import { productResource } from '@app/contracts/products';
import {
  cancelSubscription,
  putPaymentMethod,
  subscriptionResource,
  subscriptionWithHistory,
} from '@app/contracts/subscriptions';
import {
  activityEntry,
  attemptResource,
  deliveryDetail,
  deliveryResource,
  recoveryResource,
} from '@app/contracts/webhook-deliveries';
import { selfTestResult } from '@app/contracts/webhook-tests';
import { deliveredEventName, webhookEndpointResource, webhookEventName } from '@app/contracts/webhooks';
import { z } from 'zod';
import { plainSchema } from '../openapi/plain-schema.ts';
import { previewOf } from './previews/all-previews.ts';
import type { Tool } from './tool.ts';
import { argumentShape } from './tool-arguments.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

// Every client sends all schemas to its model on every turn, so that they hold only what a model needs to call a tool and
// to read its result: all tools in less than 25 KB. The operations check what is left out here.

/** What a refusal says in words: bounds, forms, and which arguments there are not. */
const refused = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'multipleOf'],
  ...['pattern', 'format', 'propertyNames', 'additionalProperties'],
] as const;

/** The arguments as JSON Schema: names, types and choices. */
export function inputSchema(tool: Tool): JsonSchema & { type: 'object' } {
  const schema = z.toJSONSchema(z.object(argumentShape(tool)), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      plainSchema({ zodSchema, jsonSchema, io: 'input' });
      for (const key of refused) delete jsonSchema[key as keyof JsonSchema];
      if (jsonSchema.anyOf?.some((one) => one.type === 'boolean')) toBoolean(jsonSchema);
      if (zodSchema === deliveredEventName || (zodSchema === webhookEventName && tool.operation.id !== eventsNamedBy))
        delete jsonSchema.enum;
    },
  });
  describeArguments(schema, tool.words);
  for (const name of unsaidOf(tool)) delete schema.properties?.[name];
  return rootOf(schema);
}

/** A call that does nothing more when it is repeated needs no key, unless it moves money; it takes one all the same. */
function unsaidOf({ unsaid = [], annotations, operation }: Tool): readonly string[] {
  return annotations.idempotentHint && !previewOf(operation)?.hasAmount ? [...unsaid, 'idempotencyKey'] : unsaid;
}

/** A flag, which is 0 or 1 too. */
function toBoolean(jsonSchema: JsonSchema): void {
  delete jsonSchema.anyOf;
  jsonSchema.type = 'boolean';
}

/** @param words of the tool, by argument */
function describeArguments({ properties = {} }: JsonSchema, words: Tool['words'] = {}): void {
  for (const [name, field] of Object.entries(properties) as [string, JsonSchema][]) {
    const description = words[name];
    if (saysItself(name)) delete field.description;
    if (description !== undefined) properties[name] = { type: field.type ?? 'object', description };
  }
}

const selfSaying = [
  ...['limit', 'before', 'idempotencyKey', 'confirm', 'code', 'email', 'event', 'events', 'status'],
  ...['accessUrl', 'affiliateCode', 'headers', 'url', 'currency', 'from', 'to', 'until', 'test', 'commissionCents'],
  ...['held', 'which', 'overlapHours', 'description', 'at', 'q', 'by'],
];

/** Its name says what it is, or the server's instructions do, or the tool's own description. */
const saysItself = (name: string): boolean => selfSaying.includes(name) || (name.endsWith('Id') && name !== 'offerId');

/** The one tool that lists the names of events, by its operation: ten of them, and several tools take one. */
const eventsNamedBy = 'putWebhookEndpoint';

/** Resources that several tools return, each with the operation of the one tool that names its fields. */
const namedBy = new Map<z.core.$ZodType, string>([
  [dailyResult, 'runDailyJob'],
  [offerResource, 'createBump'],
  [getDailyRun.output, 'listDailyRuns'],
]);
/** Resources that say in words what they are: a client needs no names beforehand. */
const plain = new Set<z.core.$ZodType>([
  ...[activityEntry, attemptResource, selfTestResult, recoveryResource, deliveryResource, paymentResource],
  ...[
    productResource,
    automationResource,
    payoutResource,
    subscriptionResource,
    webhookEndpointResource,
    affiliateResource,
  ],
  ...[previewDailyRun.output.shape.totals, previewDailyRun.output.shape.charge_limit],
  ...[previewDailyRun.output.shape.data.element, getStatement.output.shape.data.element],
  listAffiliates.output.shape.data.element,
  ...[overview, explainMetric.output, subscriptionWithHistory.shape.periods.element],
  ...[metricsResource.shape.product, metricsResource.shape.revenueByMonth.element],
  metricsResource.shape.mrrByMonth.element,
  subscriptionWithHistory.shape.card_change.unwrap(),
  ...[
    cancelSubscription.output,
    releaseOrder.output,
    putPaymentMethod.output,
    settingsResource,
    dailyResult.shape.rebills,
    advanceRehearsal.output,
    previewAutomation.output,
  ],
]);
/** Resources with more fields than the one that another tool names: they name the others. */
const extended = new Map<z.core.$ZodType, z.ZodObject>([
  [orderWithPayments, orderResource],
  [subscriptionWithHistory, subscriptionResource],
  [deliveryDetail, deliveryResource],
]);

/**
 * The result as JSON Schema: its names and those one level below, save for what another tool names. A client that reads a result
 * has its values, which show their types and what is in them. Results have all these fields, and may have more.
 */
export function outputSchema({ operation }: Tool): JsonSchema & { type: 'object' } {
  const schema = z.toJSONSchema(operation.response, {
    io: 'output',
    // A registry without names: everything stands where it is used.
    metadata: z.registry(),
    override: ({ zodSchema, jsonSchema }) => leaveOutWhatAnotherNames(zodSchema, jsonSchema, operation.id),
  });
  const names = namesIn(schema, 2);
  return rootOf(saysMore(names) ? names : {});
}

/** Whether there is more in it than that a list has rows, which the server's instructions say, or that it was done. */
const saysMore = ({ properties = {} }: JsonSchema): boolean =>
  !['{"data":{"items":{}}}', '{"ok":{}}'].includes(JSON.stringify(properties));

/** Nearly every result has them, and the server's instructions name them; no tool takes a version. */
const everywhere = [
  'id',
  'created_at',
  'updated_at',
  'currency',
  'has_more',
  'test',
  'secret',
  'secret_notice',
  'version',
];

/** The rows of a list count with their list. `properties` and `items` say nothing of null, so that it needs no words. */
function namesIn(schema: JsonSchema, levels: number): JsonSchema {
  const [one = schema] = (schema.anyOf ?? []) as JsonSchema[];
  if (one.items !== undefined) return { items: namesIn(one.items as JsonSchema, levels) };
  if (one.properties === undefined || levels === 0) return {};
  const fields = (Object.entries(one.properties) as [string, JsonSchema][]).filter(
    ([name]) => !everywhere.includes(name),
  );
  return { properties: Object.fromEntries(fields.map(([name, field]) => [name, namesIn(field, levels - 1)])) };
}

function leaveOutWhatAnotherNames(schema: z.core.$ZodType, jsonSchema: JsonSchema, operationId: string): void {
  if (plain.has(schema) || (namedBy.get(schema) ?? operationId) !== operationId) delete jsonSchema.properties;
  for (const name of Object.keys(extended.get(schema)?.shape ?? {})) delete jsonSchema.properties?.[name];
}

function rootOf({ $schema: _, ...schema }: JsonSchema): JsonSchema & { type: 'object' } {
  return { ...schema, type: 'object' };
}
