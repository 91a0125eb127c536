import { letterPath, letterTo } from './letters.ts';
import { type Answer, call } from './seller.ts';
import { type Credentials, readCredentials, type Standalone } from './standalone.ts';

/** The seller whom `npm start` makes. */
export interface FirstSeller {
  /** With the key that stands in credentials.json. */
  read(path: string): Promise<Answer>;
  /** Of the whole list, all but those whose card is held. */
  paidOrders(): Promise<string[]>;
}

export function firstSeller(dataDir: string): FirstSeller {
  const read = async (path: string): Promise<Answer> => {
    const { baseUrl, apiKey } = await readCredentials(dataDir);
    return await call(baseUrl, 'GET', path, { headers: { authorization: `Bearer ${apiKey}` } });
  };
  const paidOrders = async (): Promise<string[]> => {
    const orders: { id: string; status: string }[] = [];
    for (let before = ''; ; ) {
      const { json } = await read(`/api/v1/orders?limit=100${before}`);
      orders.push(...json.data);
      if (!json.has_more) break;
      before = `&before=${orders.at(-1)?.id}`;
    }
    return orders.filter(({ status }) => status !== 'authorized').map(({ id }) => id);
  };
  return { read, paidOrders };
}

export const logIn = ({ baseUrl, email, password }: Credentials): Promise<Answer> =>
  call(baseUrl, 'POST', '/api/auth/login', { body: { email, password } });

const cookieOf = (headers: Headers): string => headers.getSetCookie()[0]?.split(';')[0] ?? '';

/**
 * Gives the seller another address, by the link that is sent there.
 * @param entered what logging in answered
 * @returns the statuses of the request for the link, and of the link
 */
export async function moveTo(
  to: string,
  { headers }: Answer,
  { baseUrl, password }: Credentials,
  emails: string,
): Promise<number[]> {
  const body = { password, email: to };
  const session = { headers: { cookie: cookieOf(headers) } };
  const requested = await call(baseUrl, 'POST', '/api/auth/email', { ...session, body });
  const path = letterPath(await letterTo(to, emails, 'email_change'), 'email-change');
  return [requested.status, (await call(baseUrl, 'POST', path, session)).status];
}

/** Whom the link that was printed logs in. */
export async function ownerByLink(standalone: Standalone): Promise<string> {
  const [link = ''] = /http:\/\/[\w.:]+\/login\/once\/[\w-]{43}/.exec(standalone.output()) ?? [];
  const entered = await fetch(link, { method: 'POST', redirect: 'manual' });
  const headers = { cookie: cookieOf(entered.headers) };
  return (await call(new URL(link).origin, 'GET', '/api/auth/me', { headers })).json.email;
}
