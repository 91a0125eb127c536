import { createSecretKey } from 'node:crypto';
import { signatureHeader } from '@app/webhook-dispatcher/signature';
import { type Client, isProblem, type LoggedEvent } from '../../../../clients/typescript/client.ts';
import { reasonOf } from './connection.ts';

export interface Forwarding {
  readonly client: Client;
  /** Where events are posted. */
  readonly to: string;
  /** `whsec_` and Base64. */
  readonly secret: string;
  /** The id of the last event that was posted; undefined for the oldest that is kept. */
  readonly last: string | undefined;
  /** Stores how far it is. Called after each event that was answered. */
  readonly keep: (last: string) => void;
  readonly say: (line: string) => void;
  /** Resolves when it is time to look again; rejects when it is to end. */
  readonly wait: () => Promise<void>;
}

/**
 * Posts the events of an account in the order of its log, signed as webhooks are. An event whose receiver cannot be reached waits,
 * and those after it; one that was answered is done, whatever the answer. After a kill the last one may come again, under its id.
 * @throws what `wait` rejects with; ProblemError where the key is refused or `last` is unknown
 */
export async function forwardEvents(forwarding: Forwarding): Promise<never> {
  let { last } = forwarding;
  for (;;) {
    for (const event of await readPage(forwarding, last)) {
      const outcome = await forward(forwarding, event);
      last = event.id;
      forwarding.keep(last);
      // Who has read the line may end this process: the event does not come again.
      forwarding.say(outcome);
    }
  }
}

const refusals = new Set([400, 401, 403, 404, 422]);

/** The next events; there is at least one. */
async function readPage({ client, say, wait }: Forwarding, last: string | undefined): Promise<LoggedEvent[]> {
  let isUnreachable = false;
  for (;;) {
    try {
      const { data } = await client.listEvents({ query: { limit: 100, after: last } });
      if (data.length > 0) return data;
      isUnreachable = false;
    } catch (err) {
      if (isProblem(err) && refusals.has(err.status)) throw err;
      if (!isUnreachable) say(`The deployment does not answer: ${reasonOf(err)}. Trying again.`);
      isUnreachable = true;
    }
    await wait();
  }
}

/** Posts one event, and returns what came of it. */
async function forward({ to, secret, say, wait }: Forwarding, logged: LoggedEvent): Promise<string> {
  const { id, event, payload, test } = logged;
  if (payload === null) return `${event} ${id}: its payload is no longer kept`;
  const body = JSON.stringify(payload);
  for (let isFirst = true; ; isFirst = false) {
    const headers = signedHeaders(secret, id, body);
    const sent = { ...headers, 'x-service-event': event, ...(test && { 'x-service-test': '1' }) };
    try {
      const answer = await fetch(to, { method: 'POST', headers: sent, body, redirect: 'manual' });
      await answer.body?.cancel();
      return `${event} ${id} → ${answer.status}${answer.ok ? '' : ', not acknowledged'}`;
    } catch (err) {
      if (isFirst) say(`${event} ${id}: ${to} cannot be reached (${reasonOf(err)}). It waits.`);
    }
    await wait();
  }
}

/** Of a delivery, signed now. */
function signedHeaders(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1_000);
  const key = createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureHeader([key], id, timestamp, body),
  };
}
