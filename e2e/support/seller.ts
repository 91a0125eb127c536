import { randomBytes } from 'node:crypto';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds and asserts on it.
  readonly json: any;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** A seller as an HTTP client: an account of its own and a key. */
export interface Seller {
  readonly accountId: string;
  /** Of its user and of the account. */
  readonly email: string;
  readonly apiKey: string;
  /** The cookie of the sign-up's session, which is confirmed for 15 minutes. */
  readonly session: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export async function call(baseUrl: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { body, headers = {} } = options;
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Signs up over HTTP and makes a key with the session it got. */
export async function signUp(baseUrl: string, name = 'Test Seller', scopes?: string[]): Promise<Seller> {
  const email = `seller-${randomBytes(6).toString('hex')}@example.com`;
  const signedUp = await call(baseUrl, 'POST', '/api/auth/signup', {
    body: { email, password: 'a long enough password', name },
  });
  if (signedUp.status !== 200) throw new Error(`sign-up: ${signedUp.status} ${signedUp.text}`);
  const cookie = signedUp.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  await call(baseUrl, 'POST', '/api/auth/confirm', {
    body: { password: 'a long enough password' },
    headers: { cookie },
  });
  const made = await call(baseUrl, 'POST', '/api/v1/api-keys', {
    body: { name: 'test', ...(scopes ? { scopes } : {}) },
    headers: { cookie },
  });
  if (made.status !== 200) throw new Error(`key: ${made.status} ${made.text}`);
  const apiKey: string = made.json.key;
  const authorization = `Bearer ${apiKey}`;
  return {
    accountId: signedUp.json.accountId,
    email,
    apiKey,
    session: cookie,
    call: (method, path, options = {}) =>
      call(baseUrl, method, path, { ...options, headers: { authorization, ...options.headers } }),
  };
}

/** Logs in, and returns the cookie of that session, which is confirmed for 15 minutes. */
export async function sessionOf(baseUrl: string, { email }: Seller): Promise<string> {
  const answer = await call(baseUrl, 'POST', '/api/auth/login', {
    body: { email, password: 'a long enough password' },
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const body = { password: 'a long enough password' };
  await call(baseUrl, 'POST', '/api/auth/confirm', { headers: { cookie }, body });
  return cookie;
}

/** @throws with the answer when it is refused: a test would wait in vain for what follows */
async function posted(seller: Pick<Seller, 'call'>, path: string, body: unknown): Promise<Answer['json']> {
  const answer = await seller.call('POST', path, { body });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

/** Makes what the path is a list of, and returns its id. @throws with the answer when it is refused */
export async function made(seller: Pick<Seller, 'call'>, path: string, body: unknown): Promise<string> {
  return (await posted(seller, path, body)).id;
}

/** Records an order and returns its id. @throws with the answer when it is refused */
export async function placeOrder(seller: Pick<Seller, 'call'>, body: object): Promise<string> {
  return (await posted(seller, '/api/v1/orders', body)).orderId;
}

/** A live product with one bump; returns its id, slug and the bump's id. */
export async function addProduct(
  seller: Seller,
  slug = 'course',
): Promise<{ productId: string; slug: string; bumpId: string }> {
  const productId = await made(seller, '/api/v1/products', {
    name: 'Course',
    slug,
    priceCents: 9_900,
    currency: 'usd',
    pricingType: 'onetime',
    status: 'live',
    accessUrl: 'https://example.com/a',
  });
  const bumpId = await made(seller, `/api/v1/products/${productId}/bumps`, { headline: 'Guide', priceCents: 1_900 });
  return { productId, slug, bumpId };
}
