/** Calls of the public API, and what the browser remembers of a checkout. */

const place = document.getElementById('checkout').dataset;
const rememberedAs = `checkout ${place.handle}/${place.slug}`;
const refCookie = 'ref';
const refSeconds = 30 * 24 * 60 * 60;
const digits = JSON.parse(place.digits);

/** What the server refused, in words for the buyer. */
export class Refusal extends Error {
  constructor({ status, code, detail, errors }) {
    super(errors?.map(({ message }) => message).join(', ') || detail || 'That did not work. Try again.');
    this.status = status;
    this.code = code;
    this.fields = (errors ?? []).map(({ field }) => field);
  }
}

async function send(method, path, { body, secret, credentials = 'omit' } = {}) {
  const headers = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (secret !== undefined) headers['x-checkout-secret'] = secret;
  // Should the answer get lost, the same key gets the same outcome.
  // A repeated opening would lack the secret; one checkout too many does no harm.
  if (method === 'POST' && path !== '') headers['idempotency-key'] = crypto.randomUUID();
  const request = { method, headers, credentials, body: body === undefined ? undefined : JSON.stringify(body) };
  const response = await fetchTwice(`/api/checkout${path}`, request);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal({ ...answer, status: response.status });
  return answer;
}

async function fetchTwice(address, request) {
  try {
    return await fetch(address, request);
  } catch {
    await pause(800);
    return await fetch(address, request).catch(() => {
      throw new Refusal({ detail: 'There is no connection. Try again once you are online.' });
    });
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const remembered = () => JSON.parse(sessionStorage.getItem(rememberedAs) ?? 'null');
const remember = (buyer) => sessionStorage.setItem(rememberedAs, JSON.stringify(buyer));
export const forget = () => sessionStorage.removeItem(rememberedAs);

/** The checkout that the link names; the secret goes out of the address at once. */
function fromLink() {
  const query = new URLSearchParams(location.search);
  const id = query.get('checkout');
  const secret = new URLSearchParams(location.hash.slice(1)).get('secret');
  if (id === null || secret === null) return null;
  query.delete('checkout');
  history.replaceState(null, '', `${location.pathname}${query.size > 0 ? `?${query}` : ''}`);
  return { id, secret };
}

/** What an address or a cookie says, as far as the API takes it: no control characters, no half of a character. */
export const clean = (text, length) =>
  (text ?? '')
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
    .slice(0, length)
    .replace(/\p{Cs}$/u, '')
    .trim();

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Whoever sent the buyer is credited for 30 days. */
function affiliateCode() {
  const code = clean(new URLSearchParams(location.search).get('ref'), 64);
  if (code) {
    const secure = location.protocol === 'https:' ? '; secure' : '';
    const path = `/c/${place.handle}`;
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API, and the value is encoded.
    document.cookie = `${refCookie}=${encodeURIComponent(code)}; max-age=${refSeconds}; path=${path}; samesite=lax${secure}`;
  }
  const kept = document.cookie.split('; ').find((each) => each.startsWith(`${refCookie}=`));
  return code || (kept === undefined ? '' : clean(decoded(kept.slice(refCookie.length + 1)), 64));
}

function sources() {
  const query = new URLSearchParams(location.search);
  const names = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'];
  const given = names.map((name) => [name, clean(query.get(name), 200)]).filter(([, value]) => value);
  const code = affiliateCode();
  return { ...Object.fromEntries(given), ...(code ? { affiliateCode: code } : {}) };
}

/** Where the buyer comes from is worth less than the sale: when it is refused, it is left out. */
async function open() {
  const product = { handle: place.handle, slug: place.slug };
  try {
    return await send('POST', '', { body: { ...product, ...sources() } });
  } catch (err) {
    if (err.code !== 'validation_failed') throw err;
    return await send('POST', '', { body: product });
  }
}

/** The checkout of the link or of this tab, or else a new one. `gone` when the link leads to none any more. */
export async function openOrRestore() {
  const linked = fromLink();
  const buyer = linked ?? remembered();
  if (buyer !== null) {
    try {
      const checkout = await send('GET', `/${buyer.id}`, { secret: buyer.secret });
      remember(buyer);
      return { buyer, checkout, gone: false };
    } catch (err) {
      if (err.code !== 'checkout_not_found') throw err;
      forget();
    }
  }
  const { secret, ...checkout } = await open();
  const opened = { id: checkout.id, secret };
  remember(opened);
  return { buyer: opened, checkout, gone: linked !== null };
}

export const read = ({ id, secret }) => send('GET', `/${id}`, { secret });
export const update = ({ id, secret }, body) => send('PATCH', `/${id}`, { secret, body });
export const proceed = ({ id, secret }) => send('POST', `/${id}/continue`, { secret });
export const decide = ({ id, secret }, accept) => send('POST', `/${id}/upsell`, { secret, body: { accept } });

/** The bank sends the buyer back to this page, which remembers the checkout. */
export function pay({ id, secret }, paymentMethod, { totalCents, quote, confirmRepeat }) {
  const returnUrl = `${location.origin}${location.pathname}`;
  const body = { paymentMethod, totalCents, quote, confirmRepeat, returnUrl };
  // The cookie says that this browser's other tabs are the same buyer's.
  return send('POST', `/${id}/pay`, { secret, body, credentials: 'same-origin' });
}

/** An amount in minor units as people read it. */
export function amount(cents, currency) {
  const count = digits[currency] ?? 2;
  const format = { style: 'currency', currency, minimumFractionDigits: count, maximumFractionDigits: count };
  return new Intl.NumberFormat('en-US', format).format(cents / 10 ** count);
}
