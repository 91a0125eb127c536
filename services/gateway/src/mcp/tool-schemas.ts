import { z } from 'zod';
import { plainSchema } from '../openapi/plain-schema.ts';
import type { Tool } from './tool.ts';
import { argumentShape } from './tool-arguments.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

// Every client puts all schemas before its model on every turn, so they say what a model needs to call a tool and to read
// its answer, and no more: 21 tools in less than 24 KB. The operations judge what is left out here.

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
    },
  });
  return rootOf(schema);
}

/** Longer lists of values are for whoever sets them. */
const answerValuesMax = 6;

/** The answer as JSON Schema: names, types and values. Every field named is there, and more may come. */
export function outputSchema({ operation }: Tool): JsonSchema & { type: 'object' } {
  const schema = z.toJSONSchema(operation.response, {
    io: 'output',
    // A registry without names: everything stands where it is used.
    metadata: z.registry(),
    override: ({ zodSchema, jsonSchema }) => {
      plainSchema({ zodSchema, jsonSchema, io: 'output' });
      for (const key of ['pattern', 'format', 'required', 'description'] as const) delete jsonSchema[key];
      if ((jsonSchema.enum?.length ?? 0) > answerValuesMax) delete jsonSchema.enum;
    },
  });
  return rootOf(schema);
}

function rootOf({ $schema: _, ...schema }: JsonSchema): JsonSchema & { type: 'object' } {
  return { ...schema, type: 'object' };
}
