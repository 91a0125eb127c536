import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** What of JSON Schema 2020-12 the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Response>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<'schemas' | 'parameters' | 'responses', Readonly<Record<string, unknown>>>>;
}

/** An operation as the published OpenAPI document describes it: what a stranger who has nothing but the document knows. */
export interface DescribedOperation {
  readonly id: string;
  readonly method: string;
  /** In OpenAPI style: `/api/v1/orders/{orderId}`. */
  readonly path: string;
  readonly pathParams: readonly Parameter[];
  readonly queryParams: readonly Parameter[];
  readonly body: Schema | undefined;
  /** The credentials that it takes, any one of them; empty where it takes none. */
  readonly credentials: readonly string[];
  /** The scopes that a key needs, all of them. */
  readonly scopes: readonly string[];
  /** What the document does not allow of an answer; null where it fits. */
  faultOf(status: number, mediaType: string, value: unknown): string | null;
}

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as Document;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'api');
const validators = new Map<Schema, ValidateFunction>();

function validatorOf(schema: Schema): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as Schema;
  const made = ajv.compile(absolute);
  validators.set(schema, made);
  return made;
}

/** The component that a reference names, or the value itself. */
export function resolved<Value extends { readonly $ref?: string }>(value: Value): Value {
  if (value.$ref === undefined) return value;
  const [, , kind, name] = value.$ref.split('/');
  const component = document.components[kind as keyof Document['components']]?.[name ?? ''];
  if (component === undefined) throw new Error(`the document has no ${value.$ref}`);
  return resolved(component as Value);
}

function described(method: string, path: string, operation: Described): DescribedOperation {
  const parameters = (operation.parameters ?? []).map((one) => resolved(one));
  const security = operation.security ?? [];
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    pathParams: parameters.filter((parameter) => parameter.in === 'path'),
    queryParams: parameters.filter((parameter) => parameter.in === 'query'),
    body: operation.requestBody?.content['application/json']?.schema,
    credentials: security.flatMap((one) => Object.keys(one)),
    scopes: security.find(({ apiKey }) => apiKey !== undefined)?.apiKey ?? [],
    faultOf: (status, mediaType, value) => {
      const response = operation.responses[status];
      if (response === undefined) return `the document has no answer ${status}`;
      const contents = resolved(response).content;
      if (contents === undefined && mediaType === '') return null;
      const content = contents?.[mediaType];
      if (content === undefined) return `the document has no ${mediaType} for ${status}`;
      if (!mediaType.includes('json')) return null;
      const validate = validatorOf(content.schema);
      return validate(value) ? null : ajv.errorsText(validate.errors);
    },
  };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** All operations of the document. */
export const describedOperations: readonly DescribedOperation[] = Object.entries(document.paths).flatMap(
  ([path, ofPath]) =>
    Object.entries(ofPath)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => described(method, path, operation)),
);
