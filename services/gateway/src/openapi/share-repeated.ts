import type { createDocument } from 'zod-openapi';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema?: { readonly pattern?: string };
}

interface Described {
  parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly responses: Record<string, unknown>;
}

/**
 * Moves what several operations say alike into the components: parameters, and the answer that says no more than that it was done. Answers with
 * a resource stay where they are: generators of clients would give its type a second name.
 */
export function shareRepeated(document: ReturnType<typeof createDocument>): void {
  const operations = [document.paths, document.webhooks].flatMap((all) =>
    Object.values(all ?? {}).flatMap((methods) => Object.values(methods as Record<string, Described>)),
  );
  const { components = {} } = document;
  const { schemas = {} } = components;
  const parameters = components.parameters as Record<string, unknown>;
  const responses = components.responses as Record<string, unknown>;
  const common = commonest(operations.flatMap((operation) => (operation.parameters ?? []).filter(isInline)));
  for (const [name, json] of common) {
    if (name in parameters || name in schemas) continue;
    parameters[name] = JSON.parse(json);
    for (const operation of operations)
      if (operation.parameters !== undefined)
        operation.parameters = operation.parameters.map((one) =>
          isInline(one) && JSON.stringify(one) === json ? { $ref: `#/components/parameters/${name}` } : one,
        );
  }
  for (const operation of operations) {
    const name = doneName(operation.responses[200]);
    if (name === undefined) continue;
    responses[name] ??= operation.responses[200];
    if (JSON.stringify(responses[name]) === JSON.stringify(operation.responses[200]))
      operation.responses[200] = { $ref: `#/components/responses/${name}` };
  }
}

/** Generators of clients may make a type of each shared one: a name that few have is not worth that. */
const fewest = 5;

const isInline = (parameter: Parameter | { readonly $ref: string }): parameter is Parameter =>
  parameter.$ref === undefined;

/** `x-service-event` as `XServiceEvent`, and of a query `limit` as `LimitQuery`: a path may have one of the same name. */
function componentName({ name, in: place }: Parameter): string {
  const words = name.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}${place === 'query' ? 'Query' : ''}`;
}

/** By name the parameter, as JSON, that most operations have, where it is worth a name. */
function commonest(parameters: readonly Parameter[]): Map<string, string> {
  const counts = Map.groupBy(parameters, (one) => JSON.stringify(one));
  const found = new Map<string, string>();
  for (const [json, [first, ...others]] of [...counts].toSorted(([, a], [, b]) => b.length - a.length)) {
    if (first === undefined || others.length + 1 < fewest) continue;
    const name = [componentName(first), `${componentName(first)}${idKindOf(first)}`].find((each) => !found.has(each));
    if (name !== undefined) found.set(name, json);
  }
  return found;
}

/** Of which kind an id is, where parameters of one name take ids of several: `Ups` of `^ups_…`. */
function idKindOf({ schema = {} }: Parameter): string {
  const [, prefix = ''] = /^\^([a-z]+)_/.exec(schema.pattern ?? '') ?? [];
  return `${prefix.charAt(0).toUpperCase()}${prefix.slice(1)}`;
}

/** Of an answer that is `{ "ok": true }`; undefined for any other. */
function doneName(response: unknown = {}): 'Done' | 'DoneOnce' | undefined {
  const { content, headers = {} } = response as {
    readonly content?: Record<string, { readonly schema?: { readonly $ref?: string } }>;
    readonly headers?: Record<string, unknown>;
  };
  if (content?.['application/json']?.schema?.$ref !== '#/components/schemas/Ok') return undefined;
  return 'idempotent-replayed' in headers ? 'DoneOnce' : 'Done';
}
