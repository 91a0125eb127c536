/** As much of OpenAPI 3.1 and JSON Schema as our description uses, and the reference shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean | null;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly contentEncoding?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface ApiResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface Reference {
  readonly $ref: string;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, ApiResponse | Reference>>;
}

export interface ApiDescription {
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: ApiOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, ApiResponse>>;
  };
}

/** An operation with its address. */
export interface Endpoint extends ApiOperation {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
}

export function endpointsOf({ paths }: ApiDescription): Endpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** The name of the schema of the components that it refers to. */
export const referredTo = ({ $ref }: Schema): string | undefined => ($ref === undefined ? undefined : nameOf($ref));

/** @throws Error for a reference that leads nowhere */
export function schemaOf(schema: Schema, { components }: ApiDescription): Schema {
  const name = referredTo(schema);
  if (name === undefined) return schema;
  const found = components.schemas[name];
  if (found === undefined) throw new Error(`no schema is named ${name}`);
  return found;
}

/** Its own parameters of that place, and those it shares with other operations. */
export function parametersOf(endpoint: ApiOperation, api: ApiDescription, place: Parameter['in']): Parameter[] {
  const all = (endpoint.parameters ?? []).flatMap((parameter) => {
    const found = '$ref' in parameter ? api.components.parameters?.[nameOf(parameter.$ref)] : parameter;
    return found === undefined ? [] : [found];
  });
  return all.filter((parameter) => parameter.in === place);
}

const isOfSuccess = (status: string): boolean => status.startsWith('2');

const responseOf = (response: ApiResponse | Reference, { components }: ApiDescription): ApiResponse | undefined =>
  '$ref' in response ? components.responses?.[nameOf(response.$ref)] : response;

/** What it answers when all went well. */
export function successOf({ responses }: ApiOperation, api: ApiDescription): MediaType | undefined {
  const [, response] = Object.entries(responses).find(([status]) => isOfSuccess(status)) ?? [];
  const content = response === undefined ? undefined : responseOf(response, api)?.content;
  return Object.values(content ?? {})[0];
}

/** The first example of a body. */
export function exampleOf(media: MediaType | undefined): unknown {
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
}

/** The codes of its errors, by status. */
export function errorCodesOf({ responses }: ApiOperation, api: ApiDescription): [status: string, codes: string[]][] {
  return Object.entries(responses).flatMap(([status, response]): [string, string[]][] => {
    if (isOfSuccess(status)) return [];
    const found = responseOf(response, api);
    const codes = Object.values(found?.content ?? {}).flatMap(({ schema }) => codesOf(schema));
    return codes.length === 0 ? [] : [[status, codes]];
  });
}

/** A problem document of an operation is the common one, narrowed to the codes that there can be. */
function codesOf(schema: Schema): string[] {
  return [schema, ...(schema.allOf ?? [])].flatMap(({ properties }) => (properties?.code?.enum ?? []).map(String));
}
