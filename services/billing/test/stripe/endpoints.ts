import type { StripeBooks } from './books.ts';
import {
  applePayOf,
  confirmationToken,
  customer,
  type Intent,
  type MethodDomain,
  methodDomain,
  type PaymentIntent,
  type PaymentMethod,
  type SetupIntent,
  type StripeObject,
  stripeAccount,
  type WebhookEndpoint,
  webhookEndpoint,
} from './objects.ts';
import { invalid, missingInBody } from './stripe-error.ts';

export interface Requested {
  readonly account: string;
  readonly books: StripeBooks;
  readonly parameters: Record<string, unknown>;
  /** That of the path; empty where it has none. */
  readonly id: string;
  readonly nowS: number;
  authenticateUrl(id: string): string;
}

/** What each endpoint does with a request that the description allows. */
export const endpoints: Readonly<Record<string, (requested: Requested) => unknown>> = {
  'GET /v1/account': ({ account, books }) => stripeAccount(account, books.disabled),
  'POST /v1/customers': ({ books, parameters, nowS }) => {
    const { email } = parameters;
    if (typeof email === 'string' && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) {
      // docs.stripe.com/error-codes, email_invalid.
      throw invalid(`Invalid email address: ${email}`, { code: 'email_invalid', param: 'email' });
    }
    return books.keep(customer({ id: books.newId('cus'), created: nowS, ...parameters }));
  },
  'DELETE /v1/customers/{customer}': ({ books, id }) => {
    books.deleteCustomer(id);
    return { id, object: 'customer', deleted: true };
  },
  'GET /v1/customers/{customer}': ({ books, id }) => books.find('customer', id, 'customer'),
  'POST /v1/payment_intents': ({ books, parameters, authenticateUrl }) => books.pay(parameters, authenticateUrl),
  'GET /v1/payment_intents': (requested) => listed(requested, 'payment_intent', ['customer']),
  'GET /v1/payment_intents/{intent}': ({ books, id }) => books.find('payment_intent', id, 'intent'),
  'POST /v1/payment_intents/{intent}/capture': ({ books, id, parameters }) => {
    const intent = books.find<PaymentIntent>('payment_intent', id, 'intent');
    const { amount_to_capture: amount = intent.amount_capturable, metadata } = parameters;
    books.capture(intent, Number(amount));
    Object.assign(intent.metadata, metadata);
    return intent;
  },
  'POST /v1/payment_intents/{intent}/cancel': (requested) => canceled(requested, 'payment_intent'),
  'POST /v1/setup_intents': ({ books, parameters, authenticateUrl }) =>
    parameters.confirm === true ? books.save(parameters, authenticateUrl) : books.prepare(parameters),
  'GET /v1/setup_intents': (requested) => listed(requested, 'setup_intent', ['customer']),
  'GET /v1/setup_intents/{intent}': ({ books, id, parameters }) => {
    const intent = books.find<SetupIntent>('setup_intent', id, 'intent');
    const { client_secret: secret = intent.client_secret } = parameters;
    if (secret !== intent.client_secret)
      // Assumed.
      throw invalid('The client secret is of another intent.', { param: 'client_secret' });
    return intent;
  },
  'POST /v1/setup_intents/{intent}/cancel': (requested) => canceled(requested, 'setup_intent'),
  'GET /v1/payment_methods/{payment_method}': ({ books, id }) => books.find('payment_method', id, 'payment_method'),
  'POST /v1/payment_methods/{payment_method}/detach': ({ books, id }) => {
    books.detach(id);
    return books.find('payment_method', id, 'payment_method');
  },
  'POST /v1/test_helpers/confirmation_tokens': ({ books, parameters, nowS }) => {
    const { payment_method: name = '', return_url = null, setup_future_usage = null } = parameters;
    const id = `${String(name).replace(/^pm_/, 'ctoken_')}--${books.newId('made')}`;
    return confirmationToken({ id, created: nowS, return_url, setup_future_usage });
  },
  'POST /v1/refunds': ({ books, parameters }) => books.refund(parameters),
  'GET /v1/refunds': (requested) => listed(requested, 'refund', ['payment_intent', 'charge']),
  'GET /v1/refunds/{refund}': ({ books, id }) => books.find('refund', id, 'refund'),
  'GET /v1/disputes': (requested) => listed(requested, 'dispute', ['payment_intent', 'charge']),
  'GET /v1/disputes/{dispute}': ({ books, id }) => books.find('dispute', id, 'dispute'),
  'GET /v1/balance_transactions': (requested) => listed(requested, 'balance_transaction', ['type']),
  'GET /v1/events': (requested) => listed(requested, 'event', []),
  'POST /v1/webhook_endpoints': ({ books, parameters, nowS }) => {
    requireHttps(parameters.url);
    const made = books.keep(webhookEndpoint({ id: books.newId('we'), created: nowS, ...parameters }));
    return { ...made, secret: secretOf(made.id) };
  },
  'GET /v1/webhook_endpoints': (requested) => listed(requested, 'webhook_endpoint', []),
  'GET /v1/webhook_endpoints/{webhook_endpoint}': ({ books, id }) =>
    books.find('webhook_endpoint', id, 'webhook_endpoint'),
  'POST /v1/webhook_endpoints/{webhook_endpoint}': ({ books, id, parameters }) => {
    const endpoint = books.find<WebhookEndpoint>('webhook_endpoint', id, 'webhook_endpoint');
    const { disabled, ...fields } = parameters;
    requireHttps(fields.url ?? endpoint.url);
    return Object.assign(endpoint, fields, disabled !== undefined && { status: disabled ? 'disabled' : 'enabled' });
  },
  'POST /v1/payment_method_domains': ({ books, parameters, nowS }) => {
    const name = String(parameters.domain_name);
    if (!name.includes('.')) throw invalid(`${name} is not a domain name.`, { param: 'domain_name' });
    const given = { id: books.newId('pmd'), created: nowS, domain_name: name };
    return books.keep(methodDomain(given, books.refusedByApple.get(name)));
  },
  'POST /v1/payment_method_domains/{payment_method_domain}': ({ books, id, parameters: { enabled = true } }) =>
    Object.assign(books.find<MethodDomain>('payment_method_domain', id, 'payment_method_domain'), { enabled }),
  'GET /v1/payment_method_domains': (requested) => listed(requested, 'payment_method_domain', ['domain_name']),
  'POST /v1/payment_method_domains/{payment_method_domain}/validate': ({ books, id }) => {
    const domain = books.find<MethodDomain>('payment_method_domain', id, 'payment_method_domain');
    domain.apple_pay = applePayOf(books.refusedByApple.get(domain.domain_name));
    return domain;
  },
  'DELETE /v1/webhook_endpoints/{webhook_endpoint}': ({ books, id }) => {
    books.find('webhook_endpoint', id, 'webhook_endpoint');
    books.objects.delete(id);
    return { id, object: 'webhook_endpoint', deleted: true };
  },
};

/** Of a webhook endpoint, which says it in the answer to its creation alone. */
export const secretOf = (endpointId: string): string => `whsec_${endpointId}`;

function requireHttps(url: unknown): void {
  if (!String(url).startsWith('https://'))
    // docs.stripe.com/webhooks, https in live mode; docs.stripe.com/error-codes, url_invalid.
    throw invalid('Invalid URL: it must be HTTPS.', { code: 'url_invalid', param: 'url' });
}

function canceled({ books, id, parameters }: Requested, kind: Intent['object']): Intent {
  const intent = books.find<PaymentIntent | SetupIntent>(kind, id, 'intent');
  const { cancellation_reason: reason = null } = parameters;
  books.cancel(intent, reason as string | null);
  return intent;
}

type Range = Readonly<Partial<Record<'gt' | 'gte' | 'lt' | 'lte', number>>>;

/** Newest first, of the same second too; pages go on after an id. */
function listed({ books, parameters }: Requested, kind: string, filters: readonly string[]): unknown {
  const {
    created = {},
    types,
    limit = 10,
    starting_after: after,
  } = parameters as {
    created?: Range;
    types?: string[];
    limit?: number;
    starting_after?: string;
  };
  if (typeof parameters.customer === 'string') books.named('customer', parameters.customer, 'customer');
  // docs.stripe.com/api/pagination.
  if (limit < 1 || limit > 100) throw invalid('limit must be between 1 and 100', { param: 'limit' });
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = created;
  const found = books
    .all<StripeObject & Record<string, unknown>>(kind)
    .filter((one) => one.created > gt && one.created >= gte && one.created < lt && one.created <= lte)
    .filter((one) => filters.every((name) => parameters[name] === undefined || one[name] === parameters[name]))
    .filter((one) => types === undefined || types.includes(String(one.type)))
    .reverse()
    .sort((a, b) => b.created - a.created);
  const start = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw missingInBody(kind, after, 'starting_after');
  const data = found.slice(start, start + limit);
  return { object: 'list', data, has_more: start + limit < found.length, url: `/v1/${kind}s` };
}

/** A copy, with the objects in place of the ids that `expand` names. */
export function expanded(books: StripeBooks, answer: unknown, expand: readonly string[]): unknown {
  const copy = structuredClone(answer);
  for (const path of expand) {
    // docs.stripe.com/expand, four levels.
    if (path.split('.').length > 4) throw invalid('You cannot expand more than 4 levels.', { param: 'expand' });
    expandAt(books, copy, path.split('.'));
  }
  return copy;
}

function expandAt(books: StripeBooks, parent: unknown, [name = '', ...rest]: readonly string[]): void {
  if (typeof parent !== 'object' || parent === null || !(name in parent)) return;
  const fields = parent as Record<string, unknown>;
  const value = fields[name];
  if (typeof value === 'string') fields[name] = structuredClone(books.objects.get(value) ?? value);
  const next = fields[name];
  if (rest.length === 0) return;
  for (const one of Array.isArray(next) ? next : [next]) expandAt(books, one, rest);
}

/** The bank's page: its buyer decides as their card says, once. @returns where they are sent back to */
export function decide(books: StripeBooks, id: string): string {
  const intent = books.objects.get(id) as PaymentIntent | SetupIntent | undefined;
  if (intent === undefined) throw new Error('the bank has no such page');
  const methodId = intent.payment_method ?? '';
  const waits = intent.status === 'requires_action';
  const method = waits ? books.find<PaymentMethod>('payment_method', methodId, 'payment_method') : undefined;
  const buyer = method && books.buyerOf(method);
  if (buyer === 'confirms') books.succeed(intent);
  else if (method !== undefined && buyer === 'refuses') {
    const message = 'We are unable to authenticate your payment method.';
    const code = `${intent.object}_authentication_failure`;
    books.refuse(intent, { code, message }, method);
  }
  const back = new URL(books.returnUrls.get(id) ?? 'https://shop.example/');
  back.searchParams.set(intent.object, id);
  back.searchParams.set(`${intent.object}_client_secret`, intent.client_secret);
  return back.href;
}
