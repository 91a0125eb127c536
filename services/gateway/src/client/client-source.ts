import { readFileSync } from 'node:fs';
import {
  type ApiDescription,
  type Endpoint,
  endpointsOf,
  errorCodesOf,
  type Parameter,
  parametersOf,
  referredTo,
  type Schema,
  schemaOf,
  successOf,
} from '@app/pages/developers/api-description';
import { operationPath } from '@app/pages/developers/reference-addresses';
import { comment, objectText, typeText } from './type-script.ts';

const runtime = readFileSync(new URL('./runtime.ts', import.meta.url), 'utf8');

/**
 * A client of this version in TypeScript: one file that imports nothing, with a method for each operation that a key, a buyer or
 * anyone may call.
 * @param baseUrl its address where none is given
 */
export function clientSource(api: ApiDescription, baseUrl: string): string {
  const endpoints = endpointsOf(api).filter(isCallable);
  return `/**
 * A typed client of the checkout and funnel API, version ${api.info.version}. Generated from its operations: do not change it here.
 * It needs no other file and no package, and runs where there are \`fetch\` and \`crypto\`: Node.js 20, Deno, Bun, workers, browsers.
 */

${runtime.trim()}

${errorCodes(endpoints, api)}

${Object.entries(api.components.schemas)
  .map(([name, schema]) => declaration(name, schema))
  .join('\n\n')}

${client(endpoints, api, baseUrl)}

${events(api)}
`;
}

/** A session belongs to a browser, and MCP to its clients. */
function isCallable({ operationId, security = [] }: Endpoint): boolean {
  const isOfSession = security.length > 0 && security.every((way) => 'session' in way);
  return operationId !== 'mcp' && !isOfSession;
}

function declaration(name: string, schema: Schema): string {
  const isObject = schema.type === 'object' && schema.properties !== undefined;
  const text = isObject
    ? `export interface ${name} ${objectText(schema, '')}`
    : `export type ${name} = ${typeText(schema)};`;
  return `${comment(schema.description, '')}${text}`;
}

function errorCodes(endpoints: readonly Endpoint[], api: ApiDescription): string {
  const codes = new Set(endpoints.flatMap((endpoint) => errorCodesOf(endpoint, api).flatMap(([, each]) => each)));
  const lines = [...codes].toSorted().map((code) => `  | ${JSON.stringify(code)}`);
  return `/** The codes that this version answers. */
export type ErrorCode =
${lines.join('\n')};

/** Whether an error is a refusal, with this code where one is given. */
export function isProblem<Code extends ErrorCode>(err: unknown, code?: Code): err is ProblemError<Code> {
  return err instanceof ProblemError && (code === undefined || err.code === code);
}`;
}

function client(endpoints: readonly Endpoint[], api: ApiDescription, baseUrl: string): string {
  return `/** Every operation that a key, a buyer or anyone may call. Path parameters stand in the input, beside \`query\` and \`body\`. */
export class Client extends BaseClient {
  constructor(options: ClientOptions = {}) {
    super({ ...options, baseUrl: options.baseUrl ?? ${JSON.stringify(baseUrl)} });
  }

${endpoints.map((endpoint) => methodOf(endpoint, api, baseUrl)).join('\n')}}`;
}

interface Input {
  readonly text: string;
  readonly isOptional: boolean;
}

function inputOf(endpoint: Endpoint, api: ApiDescription): Input | undefined {
  const params = parametersOf(endpoint, api, 'path').map(({ name, schema }) => `${name}: ${typeText(schema)}`);
  const query = parametersOf(endpoint, api, 'query');
  const isQueryNeeded = query.some(({ required }) => required === true);
  const { requestBody } = endpoint;
  const body = requestBody?.content['application/json'];
  const isBodyNeeded = requestBody?.required === true;
  const parts = [
    ...params,
    ...(query.length === 0
      ? []
      : [`query${isQueryNeeded ? '' : '?'}: ${queryText(query)}${isQueryNeeded ? '' : ' | undefined'}`]),
    ...(body === undefined
      ? []
      : [`body${isBodyNeeded ? '' : '?'}: ${typeText(body.schema)}${isBodyNeeded ? '' : ' | undefined'}`]),
  ];
  if (parts.length === 0) return undefined;
  return { text: `{ ${parts.join('; ')} }`, isOptional: params.length === 0 && !isQueryNeeded && !isBodyNeeded };
}

function queryText(parameters: readonly Parameter[]): string {
  const properties = parameters.map(({ name, schema, description }): [string, Schema] => [
    name,
    { ...schema, ...(description !== undefined && { description }) },
  ]);
  const required = parameters.filter((each) => each.required === true).map(({ name }) => name);
  return objectText({ properties: Object.fromEntries(properties), required }, '    ');
}

function methodOf(endpoint: Endpoint, api: ApiDescription, baseUrl: string): string {
  const { operationId, method, path, summary } = endpoint;
  const input = inputOf(endpoint, api);
  const answer = successOf(endpoint, api);
  const isText = answer?.schema.type === 'string';
  const result = answer === undefined ? 'void' : typeText(answer.schema, '  ');
  const isKeyed = parametersOf(endpoint, api, 'header').some(({ name }) => name === 'Idempotency-Key');
  const route = `{ method: '${method}', path: '${path}'${isKeyed ? ', isKeyed: true' : ''}${isText ? ', isText: true' : ''} }`;
  const given = input === undefined ? '' : `input: ${input.text}${input.isOptional ? ' = {}' : ''}, `;
  const about = comment(`${summary}: ${baseUrl}${operationPath(endpoint)}`, '  ');
  return `${about}  ${operationId}(${given}options: CallOptions = {}): Promise<${result}> {
    return this.call(${route}, ${input === undefined ? '{}' : 'input'}, options);
  }
${iteratorOf(endpoint, input, api)}`;
}

/** A list that is read page by page has a second method, which reads them all. */
function iteratorOf(endpoint: Endpoint, input: Input | undefined, api: ApiDescription): string {
  const answer = successOf(endpoint, api)?.schema;
  const cursor = parametersOf(endpoint, api, 'query').find(({ name }) => name === 'after' || name === 'before');
  if (answer === undefined || cursor === undefined || input === undefined) return '';
  const { properties = {} } = schemaOf(answer, api);
  const items = properties.data?.items;
  if (items === undefined) return '';
  const hasNext = properties.next !== undefined;
  if (!hasNext && schemaOf(items, api).properties?.id === undefined) return '';
  const name = `iterate${endpoint.operationId.replace(/^(list|get|read)/, '').replace(/^\w/, (letter) => letter.toUpperCase())}`;
  const item = typeText(items, '  ');
  const query = `{ limit: 100, ...input.query, ...(cursor !== undefined && { ${cursor.name}: cursor }) }`;
  return `  /** Each entry of \`${endpoint.operationId}\`, page by page. */
  ${name}(input: Parameters<Client['${endpoint.operationId}']>[0]${input.isOptional ? ' = {}' : ''}, options: CallOptions = {}): AsyncGenerator<${item}, void, undefined> {
    return this.each<${item}, Awaited<ReturnType<Client['${endpoint.operationId}']>>>(
      (cursor) => this.${endpoint.operationId}({ ...input, query: ${query} }, options),
      ${hasNext ? '(page) => page.next' : 'lastId'},
    );
  }
`;
}

function events({ webhooks }: ApiDescription): string {
  const known = Object.entries(webhooks).map(([name, { post }]) => {
    const body = post.requestBody?.content['application/json'];
    return { name, summary: post.summary, payload: (body && referredTo(body.schema)) ?? 'Record<string, unknown>' };
  });
  return `/** What every event has, delivered or read from the log. */
export interface EventFacts {
  /** The same on every attempt and in the log: drop what you have seen. */
  readonly id: string;
  /** Of a rehearsal, or a test send. */
  readonly isTest: boolean;
}

/** The events of this version, by name, with their payloads. */
export interface EventPayloads {
${known.map(({ name, summary, payload }) => `${comment(summary, '  ')}  ${JSON.stringify(name)}: ${payload};`).join('\n')}
}

export type KnownEvent = { [Name in keyof EventPayloads]: EventFacts & { readonly name: Name; readonly payload: EventPayloads[Name] } }[keyof EventPayloads];

/** An event that a newer version has: its payload is kept as it came. */
export interface UnknownEvent extends EventFacts {
  readonly name: 'unknown';
  /** What the deployment calls it. */
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Told apart by \`name\`. */
export type WebhookEvent = KnownEvent | UnknownEvent;

const knownEvents: ReadonlySet<string> = new Set([
${known.map(({ name }) => `  ${JSON.stringify(name)},`).join('\n')}
]);

/** An entry of the log as an event; null where its payload is no longer kept. */
export function eventOf(logged: Pick<LoggedEvent, 'id' | 'test' | 'payload'> & { readonly event: string }): WebhookEvent | null {
  const { id, test: isTest, event, payload } = logged;
  if (payload === null) return null;
  if (!knownEvents.has(event)) return { name: 'unknown', event, id, isTest, payload };
  return { name: event, id, isTest, payload } as unknown as KnownEvent;
}

/**
 * The event of a delivery, once its signature and its time are right.
 * @param body as it came, before any JSON parser
 * @param secrets of the endpoint; while it is replaced, both
 * @throws SignatureError
 */
export async function verify(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: VerifyOptions,
): Promise<WebhookEvent> {
  const { id, isTest, text } = await verifiedText(body, headers, secrets, options);
  const payload = JSON.parse(text) as { readonly event: string } & Record<string, unknown>;
  return eventOf({ id, test: isTest, event: payload.event, payload }) as WebhookEvent;
}`;
}
