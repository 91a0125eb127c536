import { Agent, request } from 'node:http';
import type { Shop } from '../platform/start-platform.ts';

interface Answer {
  readonly status: number;
  readonly json: { readonly id?: string; readonly secret?: string; readonly status?: string };
}

/** Whole 127.0.0.0/8 is this machine on Linux: each buyer has an address of their own, and so a limit of their own. */
const addressOf = (buyer: number): string => `127.${1 + (buyer >> 16)}.${(buyer >> 8) & 255}.${buyer & 255}`;

let buyers = 0;

/**
 * Buyers open and pay a checkout, one after the other on each of so many connections, for so many seconds.
 * @returns how many paid
 */
export async function payFromManyAddresses(shop: Shop, atOnce: number, seconds: number): Promise<number> {
  const endsMs = performance.now() + seconds * 1_000;
  let paid = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < endsMs) {
      buyers += 1;
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const localAddress = addressOf(buyers);
      const post = (url: string, headers: Record<string, string>, body: object): Promise<Answer> =>
        send(url, { agent, localAddress, headers }, body);
      const body = { handle: shop.handle, slug: shop.productSlug, email: `buyer-${process.pid}-${buyers}@example.com` };
      const opened = await post(shop.checkoutUrl, {}, body);
      const secret = { 'x-checkout-secret': opened.json.secret ?? '' };
      const ended = await post(`${shop.checkoutUrl}/${opened.json.id}/pay`, secret, { paymentMethod: 'sim_ok' });
      agent.destroy();
      if (ended.json.status !== 'paid') throw new Error(`a checkout was not paid: ${JSON.stringify([opened, ended])}`);
      paid += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return paid;
}

function send(
  url: string,
  { agent, localAddress, headers }: { agent: Agent; localAddress: string; headers: Record<string, string> },
  body: object,
): Promise<Answer> {
  const text = JSON.stringify(body);
  const own = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, localAddress, headers: { ...headers, ...own } }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        answer += part;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, json: JSON.parse(answer) }));
    });
    sent.once('error', reject).end(text);
  });
}
