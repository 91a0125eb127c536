import { openDatabase } from '@app/service-kit/database';
import { expect, onTestFinished, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { createLoginLink } from '../src/identity/login-link.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();

interface Sent {
  readonly form?: Record<string, string>;
  readonly session?: string;
  readonly headers?: Record<string, string>;
  readonly at?: string;
}

/** As a browser does it: a GET, or the form that a page sends. */
async function open(path: string, { form, session, headers = {}, at = url }: Sent = {}) {
  const response = await fetch(`${at}${path}`, {
    method: form === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: { ...(session === undefined ? {} : { cookie: session }), ...headers },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { status: response.status, location: response.headers.get('location'), cookie, text: await response.text() };
}

const password = 'a long password';
const named = (text: string, name: string) => new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(text)?.[1];

test('a reader who is not logged in gets the form for it, which leads back to the page and nowhere else', async () => {
  const seller = await createSeller(url);
  for (const path of ['/app', '/app/settings', '/app/orders?before=x'])
    expect(await open(path)).toMatchObject({ status: 303, location: `/login?next=${encodeURIComponent(path)}` });
  expect(named((await open('/login?next=%2Fapp%2Fsettings')).text, 'next')).toBe('/app/settings');
  const right = { email: seller.email, password };
  expect((await open('/login', { form: { ...right, next: '/app/settings' } })).location).toBe('/app/settings');
  for (const next of ['https://evil.example', '//evil.example', '/app//..//x y', '/applause', '/app\\evil', ''])
    expect((await open('/login', { form: { ...right, next } })).location, next).toBe('/app');
  const search = '/app/orders?q=a*b+%27c%27';
  expect((await open('/login', { form: { ...right, next: search } })).location).toBe(search);
  const wrong = await open('/login', { form: { email: seller.email, password: 'wrong', next: '/app/settings' } });
  expect([wrong.status, wrong.cookie, named(wrong.text, 'email')]).toEqual([422, '', seller.email]);
  expect(wrong.text).toContain('do not match');
});

test('sign-up opens the dashboard; what a form refuses stands at its field with all that was typed', async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const refused = await open('/signup', { form: { name: 'Ada', email, password: 'short' } });
  expect([refused.status, refused.cookie]).toEqual([422, '']);
  expect(refused.text).toContain('id="password-error">This password has 5 characters; it needs 10.');
  const noAddress = await open('/signup', { form: { name: 'Ada', email: 'ada', password } });
  expect(noAddress.text).toContain('id="email-error">Enter an email address, like ada@example.com.');
  const made = await open('/signup', { form: { name: 'Ada', email, password } });
  expect([made.status, made.location]).toEqual([303, '/app']);
  const session = made.cookie;
  const opened = (await open('/app/settings', { session })).text;
  const [handle = '', version = ''] = [named(opened, 'handle'), named(opened, 'version')];
  const form = { businessName: '', supportEmail: 'help@example.com', handle, key: 'one', version };
  const wrong = await open('/app/settings', { session, form });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toMatch(/id="businessName-error">Business name [^<]+\./);
  expect(wrong.text).toContain('value="help@example.com"');
  const renamed = { ...form, businessName: 'Atelier <Ada>', key: 'two' };
  const unconfirmed = await open('/app/settings', { session, form: renamed });
  expect([unconfirmed.status, unconfirmed.text.includes('Confirm it is you')]).toEqual([403, true]);
  const saved = await open('/app/settings', { session, form: { ...renamed, confirmPassword: password } });
  expect([saved.status, saved.location]).toEqual([303, '/app/settings?saved=1']);
  expect((await open('/app/settings', { session })).text).toContain('value="Atelier &lt;Ada&gt;"');
});

test('a form that its person must confirm asks for the password at its own address, loses nothing, and is done once it is right', async () => {
  const { email, session } = await unconfirmedSession();
  const at = '/app/integrations/keys/new';
  const form = { name: 'Shop <1>', scopes: 'read', key: 'k' };
  const asked = await open(at, { session, form });
  expect([asked.status, named(asked.text, 'name'), named(asked.text, 'scopes')]).toEqual([
    ...[403, 'Shop &lt;1&gt;', 'read'],
  ]);
  expect(asked.text).toContain(`action="${at}"`);
  expect(asked.text).toContain(`value="${email}"`);
  const wrong = await open(at, { session, form: { ...form, confirmUser: email, confirmPassword: 'a wrong one' } });
  expect([wrong.status, named(wrong.text, 'key'), wrong.text.includes('a wrong one')]).toEqual([403, 'k', false]);
  expect(wrong.text).toContain('id="confirmPassword-error">The password is wrong.');
  const back = await open(at, { session, form: { ...form, confirmPassword: '', restore: '1' } });
  expect([back.status, named(back.text, 'name')]).toEqual([200, 'Shop &lt;1&gt;']);
  const done = await open(at, { session, form: { ...form, confirmUser: email, confirmPassword: password } });
  expect(done.text).toMatch(/fnl_[0-9A-Za-z]{38}/);
  const { data } = (await send(url, 'GET', '/api/v1/api-keys', { session })).json;
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['Shop <1>', 'main']);
});

async function unconfirmedSession(): Promise<{ email: string; session: string }> {
  const { email } = await createSeller(url);
  const { cookie } = await open('/login', { form: { email, password } });
  return { email, session: cookie };
}

test('a form that outlives its login is there again after the next one, and nothing is done by that', async () => {
  const seller = await createSeller(url);
  const version = named((await open('/app/settings', { session: seller.session })).text, 'version') ?? '';
  const form = { businessName: 'Typed', supportEmail: seller.email, key: 'k', version, newPassword: 'never kept' };
  const body = { defaultCurrency: 'eur' };
  await send(url, 'PATCH', '/api/v1/settings', { session: seller.session, body });
  expect((await open('/logout', { session: seller.session, form: {} })).location).toBe('/login?out=1');
  const again = await open('/app/settings', { session: seller.session, form });
  expect(again.status).toBe(401);
  expect(again.text).not.toContain('never kept');
  const typed = (named(again.text, 'typed') ?? '').replaceAll('&amp;', '&');
  const next = named(again.text, 'next') ?? '';
  const on = await open('/login', { form: { email: seller.email, password, next, typed } });
  expect([on.status, on.text.includes('action="/app/settings"')]).toEqual([200, true]);
  const session = on.cookie;
  const shown = await open('/app/settings', { session, form: { ...form, restore: '1' } });
  expect(shown.text).toContain('value="Typed"');
  // The form is as old as what was typed.
  expect(named(shown.text, 'version')).toBe(version);
  expect((await send(url, 'GET', '/api/v1/settings', { session })).json.businessName).not.toBe('Typed');
});

test('after a log-out the Back button shows no page of the session', async () => {
  const { session } = await createSeller(url);
  const left = await fetch(`${url}/logout`, { method: 'POST', redirect: 'manual', headers: { cookie: session } });
  expect([left.status, left.headers.get('clear-site-data')]).toEqual([303, '"cache"']);
});

test('a page that makes many calls logs no warning', async () => {
  const { session } = await createSeller(url);
  const warnings: string[] = [];
  const keep = ({ name }: Error) => warnings.push(name);
  process.on('warning', keep);
  onTestFinished(() => void process.off('warning', keep));
  await open('/app', { session });
  expect(warnings).toEqual([]);
});

test('a form of another site does nothing', async () => {
  const { session } = await createSeller(url);
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  const form = { businessName: 'Taken', supportEmail: 'evil@example.com' };
  expect((await open('/app/settings', { session, form, headers })).status).toBe(403);
  expect((await open('/login', { form: { email: 'a@example.com', password }, headers })).status).toBe(403);
  expect((await open('/app/settings', { session, headers: { host: 'evil.example' } })).text).not.toContain('Taken');
});

test('an address of nothing is the same page for every account, and says nothing of others', async () => {
  const { session } = await createSeller(url);
  expect((await open('/app/nothing', { session })).status).toBe(404);
});

test('a link to a position in a list that is not there any more leads to the first page of the list', async () => {
  const { session } = await createSeller(url);
  for (const before of ['x', 'key_01jd2q5v8kfw9s3x6z7yabcdef']) {
    const said = await open(`/app/integrations/keys?before=${before}&q=a`, { session });
    expect(said.status).toBe(422);
    expect(said.text).toContain('This link is no longer valid');
    expect(said.text).toContain('href="/app/integrations/keys?q=a"');
  }
});

test('a form sent to a page that has none is refused in words, and sends no request', async () => {
  const { session } = await createSeller(url);
  const headers = { accept: 'text/html' };
  const said = await open('/app', { session, headers, form: { name: 'x' } });
  expect([said.status, said.text.includes('Nothing can be sent to this address')]).toEqual([405, true]);
  expect((await open('/app/nothing', { session, headers, form: { name: 'x' } })).status).toBe(404);
});

test('windows of the same heading have titles of their own', async () => {
  const { session } = await createSeller(url);
  const titleAt = async (path: string) => /<title>([^<]*)/.exec((await open(path, { session })).text)?.[1];
  expect(await titleAt('/app/settings/selling')).toMatch(/^Settings · Selling · /);
  expect(await titleAt('/app/integrations/keys')).toMatch(/^Integrations · API keys · /);
});

test('a link logs its owner in, once, within ten minutes', async () => {
  const seller = await createSeller(url);
  const database = await openDatabase(databaseOptions(harness.database.url));
  onTestFinished(() => database.close());
  const deps = { database, clock: harness.clock };
  const { rows } = await database.pool.query<{ id: string }>('select id from users where email = $1', [seller.email]);
  const userId = rows[0]?.id ?? '';
  const path = await createLoginLink(deps, userId);
  expect((await open(path)).text).toContain('method="post"');
  const entered = await open(path, { form: {} });
  expect([entered.status, entered.location]).toEqual([303, '/app']);
  expect((await send(url, 'GET', '/api/auth/me', { session: entered.cookie })).json.email).toBe(seller.email);
  expect(await open(path, { form: {} })).toMatchObject({ status: 404, cookie: '' });
  const late = await createLoginLink(deps, userId);
  harness.clock.advance(10 * 60_000 + 1);
  expect(await open(late, { form: {} })).toMatchObject({ status: 404, cookie: '' });
  harness.clock.reset();
  expect((await open('/login/once/short', { form: {} })).status).toBe(404);
});

test('a deployment that takes no new accounts says so', async () => {
  const closed = await harness.start({ SIGNUP: 'closed' });
  for (const form of [undefined, { name: 'Ada', email: 'ada@example.com', password }]) {
    const said = await open('/signup', { at: closed.url, ...(form && { form }) });
    expect([said.status, said.cookie, said.text.includes('takes no new accounts')]).toEqual([404, '', true]);
  }
});

test('a search for an id leads to its page', async () => {
  const { session } = await createSeller(url);
  const found = async (q: string) => (await open(`/app/search?q=${encodeURIComponent(q)}`, { session })).location;
  expect(await found(' ord_01jd2q5v8kfw9s3x6z7yabcdef ')).toBe('/app/orders/ord_01jd2q5v8kfw9s3x6z7yabcdef');
  expect(await found('evt_01jd2q5v8kfw9s3x6z7yabcdef')).toBe(
    '/app/activity/deliveries?eventId=evt_01jd2q5v8kfw9s3x6z7yabcdef',
  );
  expect(await found(' ')).toBe(null);
});

test('a change of address needs the password; what is refused stands at its field, and nothing else is kept', async () => {
  const { email: own, session } = await createSeller(url);
  const at = '/app/settings/account';
  const change = (form: Record<string, string>) => open(at, { session, form: { do: 'email', ...form } });
  const email = `${crypto.randomUUID()}@example.com`;
  const wrong = await change({ email, emailPassword: 'a wrong password' });
  expect([wrong.status, named(wrong.text, 'email')]).toEqual([422, email]);
  expect(wrong.text).toContain('id="emailPassword-error">The password is not this one.');
  const none = await change({ email: 'a@b', emailPassword: password });
  expect(none.text).toMatch(/id="email-error">Enter an email address, like [^<]+\./);
  expect([none.status, none.text.includes(password)]).toEqual([422, false]);
  const same = await change({ email: own, emailPassword: password });
  expect(same.text).toContain('id="email-error">The address is the address of the account already.');
  const requested = await change({ email: ` ${email} `, emailPassword: password });
  expect([requested.status, requested.location]).toEqual([303, `${at}?done=email`]);
  const shown = (await open(`${at}?done=email`, { session })).text;
  expect(shown).toContain('on its way to the new address');
  expect(shown).toContain(`<bdi>${own}</bdi>`);
});

test('a link that is refused says why on the page of its button', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' });
  const { session } = await createSeller(limited.url);
  const headers = { 'x-forwarded-for': '203.0.113.26' };
  const request = () => open('/app/settings/account', { session, headers, form: { do: 'verify' }, at: limited.url });
  // 20 a day from one address.
  const answers = await Promise.all(Array.from({ length: 21 }, request));
  const refused = answers.filter(({ location }) => location === null);
  expect(refused.map(({ status }) => status)).toEqual([422]);
  expect(refused[0]?.text).toMatch(/emails a day.*Where you are logged in/s);
});

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const settingsForms = [
  ['/app/settings', { businessName: 'Typed later', supportEmail: 'later@example.com', handle: 'typed-later' }],
  [
    '/app/settings/pages',
    { withdrawalDays: '30', accentColor: '#0b5f4f', termsUrl: '', refundPolicyUrl: '', checkoutUrl: '' },
  ],
  [
    '/app/settings/selling',
    {
      defaultCurrency: 'eur',
      statementSuffix: 'KILN CLUB',
      holdDecisionMinutes: '9',
      nudgeAfterMinutes: '70',
      commissionHoldDays: '9',
      dailyChargeLimit: '4',
    },
  ],
  ['/app/settings/portal', { portalCancel: 'on' }],
] as const;

test.each(settingsForms)(
  'a form of %s that was opened before the last change overwrites nothing',
  async (at, typed) => {
    const { session } = await createSeller(url);
    const settings = async () => (await send(url, 'GET', '/api/v1/settings', { session })).json;
    const version = named((await open(at, { session })).text, 'version') ?? '';
    await send(url, 'PATCH', '/api/v1/settings', { session, body: { businessName: 'Changed meanwhile' } });
    const before = await settings();
    const stale = await open(at, { session, form: { ...typed, key: 'one', version } });
    expect([stale.status, stale.text.includes('since you opened this page')]).toEqual([422, true]);
    expect(await settings()).toEqual(before);
    const again = named(stale.text, 'version') ?? '';
    expect(again).toBe(String(before.version));
    const form = { ...typed, key: 'two', version: again };
    expect((await open(at, { session, form })).status).toBe(303);
    const after = await settings();
    expect(after.version).toBeGreaterThan(before.version);
    // A second click has the key of the first.
    expect((await open(at, { session, form })).status).toBe(303);
    expect(await settings()).toEqual(after);
  },
);

test('a logo is chosen, shown on the checkout’s settings and removed; what is none is refused at its field', async () => {
  const { session } = await createSeller(url);
  const at = '/app/settings/logo';
  const choose = async (bytes: Uint8Array | null) => {
    const body = new FormData();
    body.set('key', 'one');
    body.set('picture', bytes === null ? new File([], '') : new File([Buffer.from(bytes)], 'logo.png'));
    const answer = await fetch(`${url}${at}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: session },
      body,
    });
    return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() };
  };
  expect((await choose(null)).text).toContain('id="picture-error">Choose a picture of this device.');
  const wrong = await choose(Buffer.from('no picture at all'));
  expect([wrong.status, /id="picture-error">Logo [^<]+\./.test(wrong.text)]).toEqual([422, true]);
  const large = await choose(Buffer.alloc(151 * 1024));
  expect([large.status, large.text.includes('id="picture-error">The picture has more than 150 KB')]).toEqual([
    422,
    true,
  ]);
  const huge = await choose(Buffer.alloc(300 * 1024));
  expect([huge.status, huge.text.includes(`href="${at}">Back to the form`)]).toEqual([413, true]);
  const pixel = Buffer.from(onePixel, 'base64');
  expect(await choose(pixel)).toMatchObject({ status: 303, location: '/app/settings/pages?saved=1' });
  const { logoUrl } = (await send(url, 'GET', '/api/v1/settings', { session })).json;
  expect(Buffer.from(await (await fetch(logoUrl)).arrayBuffer())).toEqual(pixel);
  for (const page of [at, '/app/settings/pages'])
    expect((await open(page, { session })).text).toContain(`src="${logoUrl}"`);
  const removed = await open(at, { session, form: { do: 'remove', key: 'two' } });
  expect([removed.status, (await send(url, 'GET', '/api/v1/settings', { session })).json.logoUrl]).toEqual([303, null]);
});
