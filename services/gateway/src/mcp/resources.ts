import type { App } from '../api/app.ts';
import { checkAccess } from '../api/check-access.ts';
import type { Operation } from '../api/operation.ts';
import type { Actor } from '../identity/actors.ts';
import { readBody } from './call-tool.ts';
import type { Caller } from './caller.ts';
import { describeOperations } from './generic-tools.ts';
import { orNull } from './previews/preview.ts';
import { operation } from './tool.ts';

/** What a person gives to a model as context: it is read by its address, and no tool is called for it. */
interface Described {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

interface Resource extends Described {
  readonly uri: string;
  /** The operation that it shows; without one it is no account's data. */
  readonly operation?: Operation;
  text(app: App, caller: Caller): Promise<string>;
}

interface Template extends Described {
  /** Of RFC 6570, with the operation's one parameter. */
  readonly uriTemplate: string;
  readonly operation: Operation;
}

const json = 'application/json';

const ofOperation = (read: Operation) => ({
  operation: read,
  mimeType: json,
  text: async (app: App, caller: Caller) => (await readBody(app, caller, read, {})).toString(),
});

const resources: readonly Resource[] = [
  {
    uri: 'checkout://operations',
    name: 'operations',
    title: 'Everything that can be done',
    description: 'The operations that read and write call for this key, one a line: name, and what it does.',
    mimeType: 'text/plain',
    text: async (_, { actor }) => describeOperations(actor).join('\n'),
  },
  {
    uri: 'checkout://settings',
    name: 'settings',
    title: 'Settings of the shop',
    description: 'Names, currency, test mode, addresses of pages, waiting times.',
    ...ofOperation(operation('getSettings')),
  },
];

const templates: readonly Template[] = [
  {
    uriTemplate: 'checkout://products/{productId}',
    name: 'product',
    title: 'One product',
    description: 'With its price, its status and the link that buyers pay at. list_products has the ids.',
    mimeType: json,
    operation: operation('getProduct'),
  },
  {
    uriTemplate: 'checkout://orders/{orderId}',
    name: 'order',
    title: 'One order',
    description: 'With its items, payments, refunds, disputes and fees. list_orders has the ids.',
    mimeType: json,
    operation: operation('getOrder'),
  },
];

function mayRead(actor: Actor, { operation: read }: { readonly operation?: Operation }): boolean {
  if (read === undefined) return true;
  try {
    checkAccess(read, actor, {});
    return true;
  } catch {
    return false;
  }
}

const shown = ({ name, title, description, mimeType }: Described) => ({ name, title, description, mimeType });

/** Those that the caller's key may read. */
export const listResources = (actor: Actor) =>
  resources.filter((one) => mayRead(actor, one)).map((one) => ({ uri: one.uri, ...shown(one) }));

export const listTemplates = (actor: Actor) =>
  templates.filter((one) => mayRead(actor, one)).map((one) => ({ uriTemplate: one.uriTemplate, ...shown(one) }));

export interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/**
 * Reads a resource, as HTTP would: with the same checks and limits. Undefined where there is none at the address.
 * @throws DomainError insufficient_scope, or the operation's refusal
 */
export async function readResource(app: App, caller: Caller, uri: string): Promise<ResourceContent | undefined> {
  const resource = resources.find((one) => one.uri === uri);
  if (resource !== undefined) return { uri, mimeType: resource.mimeType, text: await resource.text(app, caller) };
  for (const { uriTemplate, operation: read, mimeType } of templates) {
    const [before = '', name = ''] = uriTemplate.split(/[{}]/);
    const id = uri.startsWith(before) ? uri.slice(before.length) : '';
    if (/^\w+$/.test(id)) {
      const body = await orNull(readBody(app, caller, read, { [name]: id }), `${name.replace(/Id$/, '')}_not_found`);
      return body === null ? undefined : { uri, mimeType, text: body.toString() };
    }
  }
  return undefined;
}
