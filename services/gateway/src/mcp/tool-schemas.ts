import { productResource } from '@app/contracts/catalog';
import { paymentResource } from '@app/contracts/payments';
import { webhookEndpointResource } from '@app/contracts/webhooks';
import { z } from 'zod';
import { plainSchema } from '../openapi/plain-schema.ts';
import type { Tool } from './tool.ts';
import { argumentShape } from './tool-arguments.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

// Every client sends all schemas to its model on every turn, so that they hold only what a model needs to call a tool and
// to read its result: 23 tools in less than 24 KB. The operations check what is left out here.

/** The arguments as JSON Schema, without lengths, and without patterns where words say the same. */
export function inputSchema(tool: Tool): JsonSchema & { type: 'object' } {
  const schema = z.toJSONSchema(z.strictObject(argumentShape(tool)), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      plainSchema({ zodSchema, jsonSchema, io: 'input' });
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
      if (jsonSchema.description !== undefined) delete jsonSchema.pattern;
      for (const choice of jsonSchema.anyOf ?? []) delete choice.pattern;
      // Its name says what it is.
      const limit = jsonSchema.properties?.limit;
      if (typeof limit === 'object') delete limit.description;
    },
  });
  return rootOf(schema);
}

/** Longer lists of values are for whoever sets them. */
const resultValuesMax = 6;

/** Resources that several tools return, each with the operation of the one tool that names its fields. */
const namedBy = new Map<z.core.$ZodType, string>([
  [productResource, 'listProducts'],
  [paymentResource, 'listPayments'],
  [webhookEndpointResource, 'getWebhookEndpoint'],
]);

/** The result as JSON Schema: names, types and values, save for what another tool names. Results have all these fields, and may have more. */
export function outputSchema({ operation }: Tool): JsonSchema & { type: 'object' } {
  const schema = z.toJSONSchema(operation.response, {
    io: 'output',
    // A registry without names: everything stands where it is used.
    metadata: z.registry(),
    override: ({ zodSchema, jsonSchema }) => {
      plainSchema({ zodSchema, jsonSchema, io: 'output' });
      if ((namedBy.get(zodSchema) ?? operation.id) !== operation.id) delete jsonSchema.properties;
      for (const key of ['pattern', 'format', 'required', 'description'] as const) delete jsonSchema[key];
      if ((jsonSchema.enum?.length ?? 0) > resultValuesMax) delete jsonSchema.enum;
    },
  });
  return rootOf(schema);
}

function rootOf({ $schema: _, ...schema }: JsonSchema): JsonSchema & { type: 'object' } {
  return { ...schema, type: 'object' };
}
