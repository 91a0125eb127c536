import { z } from 'zod';
import { plainSchema } from '../openapi/plain-schema.ts';
import type { Tool } from './tool.ts';
import { argumentShape } from './tool-arguments.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

// Every client sends all schemas to its model on every turn, so that they hold only what a model needs to call a tool and
// to read its result: all tools in less than 24 KB. The operations check what is left out here.

/** What a refusal says in words: bounds, forms, and which arguments there are not. */
const refused = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'multipleOf'],
  ...['pattern', 'format', 'propertyNames', 'additionalProperties'],
] as const;

/** What many tools take, in fewer words than the API's. */
const common: Readonly<Record<string, string>> = {
  limit: 'Rows; 10 unless given.',
  before: 'Last id of the page before.',
  full: 'Uncut, however long.',
  idempotencyKey: 'New for each intent: a repeat has one effect.',
  confirm: 'The seller agreed to the preview.',
  expectedCents: 'Minor units, as the preview showed.',
  from: 'First day or time, UTC.',
  to: 'Last day or time, UTC.',
  priceCents: 'Minor units: 4900 is 49.00.',
  amountOffCents: 'Minor units: 500 is 5.00.',
  currency: 'ISO 4217, such as usd.',
  defaultCurrency: 'ISO 4217, such as usd.',
  slug: 'In its address: a-z, 0-9, -.',
  name: 'Its name.',
  email: 'Email address.',
  description: 'Text on its page.',
  country: 'ISO 3166, such as DE.',
};

/** The arguments as JSON Schema: names, types, choices, and words where a name does not say it. */
export function inputSchema(tool: Tool): JsonSchema & { type: 'object' } {
  const schema = schemaOf(z.object(argumentShape(tool)), tool.words);
  for (const name of tool.unsaid ?? []) delete schema.properties?.[name];
  return schema;
}

/** Of an object of arguments. */
export function schemaOf(shape: z.ZodObject, words: Tool['words'] = {}): JsonSchema & { type: 'object' } {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io: 'input',
    unrepresentable: 'any',
    metadata: descriptionsOnly(shape),
    override: ({ zodSchema, jsonSchema }) => {
      plainSchema({ zodSchema, jsonSchema, io: 'input' });
      for (const key of refused) delete jsonSchema[key as keyof JsonSchema];
      if (jsonSchema.anyOf?.some((one) => one.type === 'boolean')) toBoolean(jsonSchema);
    },
  });
  withOneType(schema);
  for (const [name, field] of Object.entries(schema.properties ?? {}) as [string, JsonSchema][]) {
    const description = words[name] ?? common[name];
    if (description !== undefined) field.description = description;
  }
  return { ...schema, type: 'object' };
}

/** The API's names of schemas would become references: everything stands where it is used, with its words. */
function descriptionsOnly(shape: z.ZodObject) {
  const registry = z.registry<{ description?: string }>();
  const add = (schema: z.core.$ZodType): void => {
    const { description } = z.globalRegistry.get(schema) ?? {};
    if (description !== undefined && !registry.has(schema)) registry.add(schema, { description });
  };
  for (const field of Object.values(shape.shape)) {
    add(field);
    if (field instanceof z.ZodOptional) add(field.unwrap());
  }
  return registry;
}

/** A flag, which is 0 or 1 too. */
function toBoolean(jsonSchema: JsonSchema): void {
  delete jsonSchema.anyOf;
  jsonSchema.type = 'boolean';
}

/** Some vendors' models know schemas of one type alone, and would refuse the tool or forget the choices: a value or null is a choice of two. */
function withOneType(schema: JsonSchema): void {
  const { type, enum: choices, items, properties = {}, anyOf = [] } = schema;
  for (const part of [...Object.values(properties), ...anyOf, items])
    if (typeof part === 'object' && !Array.isArray(part)) withOneType(part);
  if (!Array.isArray(type)) return;
  const others = (type as readonly string[]).filter((one) => one !== 'null');
  const kept = choices?.filter((choice) => choice !== null);
  for (const keyword of ['type', 'enum', 'items'] as const) delete schema[keyword];
  schema.anyOf = [
    ...others.map((one) => ({ type: one, ...(kept && { enum: kept }), ...(items && { items }) }) as JsonSchema),
    { type: 'null' },
  ];
}
