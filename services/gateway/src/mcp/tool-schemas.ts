import { affiliateResource, payoutResource } from '@app/contracts/affiliates';
import { productResource } from '@app/contracts/catalog';
import { dailyResult } from '@app/contracts/daily-runs';
import { orderResource, orderWithPayments } from '@app/contracts/orders';
import { paymentResource } from '@app/contracts/payments';
import { subscriptionResource, subscriptionWithHistory } from '@app/contracts/subscriptions';
import { webhookEndpointResource } from '@app/contracts/webhooks';
import { z } from 'zod';
import { plainSchema } from '../openapi/plain-schema.ts';
import type { Tool } from './tool.ts';
import { argumentShape } from './tool-arguments.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

// Every client sends all schemas to its model on every turn, so that they hold only what a model needs to call a tool and
// to read its result: all tools in less than 24 KB. The operations check what is left out here.

/**
 * The arguments as JSON Schema, without lengths, and without patterns where words say the same. That others are refused is
 * not said: the refusal names them.
 */
export function inputSchema(tool: Tool): JsonSchema & { type: 'object' } {
  const schema = z.toJSONSchema(z.object(argumentShape(tool)), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      plainSchema({ zodSchema, jsonSchema, io: 'input' });
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
      if (jsonSchema.description !== undefined) delete jsonSchema.pattern;
      for (const choice of jsonSchema.anyOf ?? []) delete choice.pattern;
      leaveOutWhatNamesSay(jsonSchema);
    },
  });
  return rootOf(schema);
}

function leaveOutWhatNamesSay({ properties = {} }: JsonSchema): void {
  for (const [name, field] of Object.entries(properties)) {
    if (typeof field !== 'object' || !saysItself(name)) continue;
    for (const key of ['pattern', 'description', 'minimum', 'maximum'] as const) delete field[key];
  }
}

/** Its name says what it is, or the server's instructions do. */
const saysItself = (name: string): boolean =>
  ['limit', 'before', 'idempotencyKey', 'confirm', 'code'].includes(name) ||
  (name.endsWith('Id') && name !== 'offerId');

/** Resources that several tools return, each with the operation of the one tool that names its fields. */
const namedBy = new Map<z.core.$ZodType, string>([
  [dailyResult, 'runDailyJob'],
  [affiliateResource, 'listAffiliates'],
  [payoutResource, 'listPayouts'],
  [productResource, 'listProducts'],
  [paymentResource, 'listPayments'],
  [subscriptionResource, 'listSubscriptions'],
  [webhookEndpointResource, 'getWebhookEndpoint'],
]);
/** Resources with more fields than the one that another tool names: they name the others. */
const extended = new Map<z.core.$ZodType, z.ZodObject>([
  [orderWithPayments, orderResource],
  [subscriptionWithHistory, subscriptionResource],
]);

/** A choice that anything fits leaves nothing to choose: `[{}, { type: 'null' }]`. */
const saysNothing = (schema: JsonSchema): boolean => Object.keys(schema).length === 0;

/** What tells a reader of results nothing. */
const unread = [
  'enum',
  'pattern',
  'format',
  'maxLength',
  'required',
  'description',
  'default',
  'propertyNames',
] as const;

/**
 * The result as JSON Schema: names and values, save for what another tool names. Values show their types themselves. Results
 * have all these fields, and may have more.
 */
export function outputSchema({ operation }: Tool): JsonSchema & { type: 'object' } {
  const schema = z.toJSONSchema(operation.response, {
    io: 'output',
    // A registry without names: everything stands where it is used.
    metadata: z.registry(),
    override: ({ zodSchema, jsonSchema }) => {
      plainSchema({ zodSchema, jsonSchema, io: 'output' });
      leaveOutWhatAnotherNames(zodSchema, jsonSchema, operation.id);
      leaveOutWhatValuesShow(jsonSchema);
    },
  });
  return rootOf(schema);
}

/** A reader of a result has its values before it. */
function leaveOutWhatValuesShow(jsonSchema: JsonSchema): void {
  for (const key of unread) delete jsonSchema[key];
  if (isScalar(jsonSchema)) for (const key of ['type', 'minimum', 'maximum'] as const) delete jsonSchema[key];
  if (jsonSchema.anyOf?.some(saysNothing)) delete jsonSchema.anyOf;
  // Fields are those of an object, items those of an array.
  if (jsonSchema.properties !== undefined && jsonSchema.type === 'object') delete jsonSchema.type;
  if (jsonSchema.items !== undefined && jsonSchema.type === 'array') delete jsonSchema.type;
}

function leaveOutWhatAnotherNames(schema: z.core.$ZodType, jsonSchema: JsonSchema, operationId: string): void {
  if ((namedBy.get(schema) ?? operationId) !== operationId) delete jsonSchema.properties;
  for (const name of Object.keys(extended.get(schema)?.shape ?? {})) delete jsonSchema.properties?.[name];
}

const isScalar = ({ type }: JsonSchema): boolean => [type].flat().every((one) => one !== 'object' && one !== 'array');

function rootOf({ $schema: _, ...schema }: JsonSchema): JsonSchema & { type: 'object' } {
  return { ...schema, type: 'object' };
}
