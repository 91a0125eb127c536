import { currency, emailAddress, flag, httpUrl, receiverUrl } from '@app/contracts/common';
import type { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Schemas whose check no pattern can say, in the words that readers of JSON Schema know. */
const known = new Map<z.core.$ZodType, JsonSchema>([
  [emailAddress, { type: 'string', format: 'email', maxLength: 254 }],
  [currency, { type: 'string', description: 'Lower-case ISO 4217 code.', pattern: '^[a-z]{3}$' }],
  [httpUrl, { type: 'string', format: 'uri', maxLength: 2048 }],
  [receiverUrl, { type: 'string', format: 'uri', maxLength: 2048, description: 'Without a part after #.' }],
  [flag, { type: 'integer', enum: [0, 1] }],
]);

/** Also of one that has a description of its own: it is a clone with the same definition. */
function knownOf(schema: z.core.$ZodType): JsonSchema | undefined {
  const found = known.get(schema);
  const { def, parent } = schema._zod;
  return found === undefined && parent?._zod.def === def ? knownOf(parent) : found;
}

/** The words that the schema has for itself stay. */
function replace(jsonSchema: JsonSchema, replacement: JsonSchema): void {
  const { description = replacement.description } = jsonSchema;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  Object.assign(jsonSchema, replacement, description === undefined ? {} : { description });
}

/**
 * What zod says beyond what a reader needs: bounds that only say "safe integer", the pattern behind a format, and that
 * a response has no more fields (it may get some: additions are compatible).
 */
export function plainSchema(context: {
  zodSchema: z.core.$ZodType;
  jsonSchema: JsonSchema;
  io: 'input' | 'output';
}): void {
  const { jsonSchema } = context;
  const replacement = knownOf(context.zodSchema);
  if (replacement !== undefined) {
    replace(jsonSchema, replacement);
    return;
  }
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  // `contentEncoding` says it, and no format is named so.
  if (jsonSchema.format === 'base64') delete jsonSchema.format;
  const [first, second] = jsonSchema.anyOf ?? [];
  if (second?.type === 'null' && jsonSchema.anyOf?.length === 2 && typeof first?.type === 'string') {
    delete jsonSchema.anyOf;
    const values = first.enum === undefined ? {} : { enum: [...first.enum, null] };
    Object.assign(jsonSchema, first, { type: [first.type, 'null'] }, values);
  }
  // Strict objects of requests are parts of responses, too; an object that takes any field of a kind goes on saying so.
  if (context.io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}
