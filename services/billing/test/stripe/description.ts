import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/**
 * Stripe's API at the version that the package speaks, as OpenAPI: `generated/` has it, made from the types of the npm package
 * stripe 23.1.0 (MIT). What the stand-in gets and answers is checked against it.
 */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly parameters?: readonly { readonly schema: Schema }[];
  readonly responses: { readonly 200: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> } };
}
interface Description {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const file = new URL('generated/stripe-description-2026-10-28.json', import.meta.url);
const description = JSON.parse(readFileSync(file, 'utf8')) as Description;
const { schemas } = description.components;
export const apiVersion = description.info.version;

// Each process compiles all of it once: in half the time without what makes a single check faster.
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
ajv.addSchema(description, 'stripe');
const validators = new Map<Schema, ValidateFunction>();

function validatorOf(schema: Schema): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"stripe#/')) as Schema;
  const made = ajv.compile(absolute);
  validators.set(schema, made);
  return made;
}

/** What of the value the schema does not allow; null where it fits. */
function faultsOf(schema: Schema, value: unknown): string | null {
  const validate = validatorOf(schema);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});

/** Values of forms are text: each becomes what the schema says, also where several kinds are allowed. */
function typed(value: unknown, schema: Schema): unknown {
  const { type, anyOf, properties, additionalProperties, items } = resolved(schema);
  if (anyOf !== undefined) {
    const readings = anyOf.map((one) => ({ one, reading: typed(value, one) }));
    // What reads as a number or a boolean is one, where that is allowed; text is what remains.
    const best = readings.toSorted(
      (a, b) => Number(typeof a.reading === 'string') - Number(typeof b.reading === 'string'),
    );
    return best.find(({ one, reading }) => faultsOf(one, reading) === null)?.reading ?? value;
  }
  if (Array.isArray(value)) return value.map((one) => typed(one, items ?? {}));
  if (typeof value === 'object' && value !== null) {
    const rest = typeof additionalProperties === 'object' ? additionalProperties : {};
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, typed(one, properties?.[name] ?? rest)]),
    );
  }
  if (typeof value !== 'string') return value;
  if (type === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true';
  return value;
}

/** `a[b][c]=d` as nested objects; a name with numbers alone is an array. */
export function formOf(text: string): Record<string, unknown> {
  const form: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[');
    let fields = form;
    for (const part of path.slice(0, -1)) {
      fields[part] ??= {};
      fields = fields[part] as Record<string, unknown>;
    }
    fields[path.at(-1) ?? ''] = value;
  }
  return withArrays(form) as Record<string, unknown>;
}

function withArrays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, withArrays(one)] as const);
  const isList = entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name));
  return isList ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

export interface Endpoint {
  /** As in the description: `/v1/payment_intents/{intent}/capture`. */
  readonly path: string;
  readonly id: string;
  /** The parameters with the kinds that the description gives them, or what is wrong with them. */
  parameters(form: Record<string, unknown>): { readonly value: Record<string, unknown> } | { readonly fault: string };
  /** @throws Error where the description does not allow the answer */
  check(answer: unknown): void;
}

const paths = Object.entries(description.paths).map(([template, operations]) => {
  const pattern = new RegExp(`^${template.replaceAll(/\{[a-z_]+\}/g, '([^/]+)')}$`);
  return { template, operations, pattern };
});

/** Undefined where the description has no such endpoint. */
export function endpointOf(method: string, path: string): Endpoint | undefined {
  for (const { template, operations, pattern } of paths) {
    const match = pattern.exec(path);
    const operation = operations[method.toLowerCase()];
    if (match !== null && operation !== undefined)
      return endpoint(template, decodeURIComponent(match[1] ?? ''), operation);
  }
  return undefined;
}

/** Compiles the checks of these endpoints, which takes longer than some deadlines of tests. @param names as `POST /v1/refunds` */
export function prepareChecks(names: readonly string[]): void {
  for (const name of names) {
    const [method = '', path = ''] = name.split(' ');
    const operation = description.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`the description has no ${name}`);
    endpoint(path, '', operation).prepare();
  }
}

function endpoint(path: string, id: string, operation: Operation): Endpoint & { prepare(): void } {
  const none: Schema = { type: 'object', additionalProperties: false };
  const body = operation.requestBody?.content['application/x-www-form-urlencoded']?.schema;
  const requested = body ?? operation.parameters?.[0]?.schema ?? none;
  const answered = operation.responses[200].content['application/json']?.schema ?? {};
  return {
    path,
    id,
    parameters: (form) => {
      const value = typed(form, requested) as Record<string, unknown>;
      const fault = faultsOf(requested, value);
      return fault === null ? { value } : { fault };
    },
    prepare: () => {
      validatorOf(requested);
      validatorOf(answered);
    },
    check: (answer) => {
      const fault = faultsOf(answered, answer);
      if (fault !== null) throw new Error(`the stand-in for Stripe answers what ${path} does not: ${fault}`);
    },
  };
}

/** The object with null for each required field that it lacks and that may be null, also in objects within it. */
export function filled<Fields extends object>(name: string, fields: Fields): Fields {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`the description has no ${name}`);
  const missing = (schema.required ?? []).filter((field) => !(field in fields));
  return { ...Object.fromEntries(missing.map((field) => [field, null])), ...fields };
}
