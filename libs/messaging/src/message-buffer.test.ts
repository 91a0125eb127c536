import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import { openMessageBuffer } from './message-buffer.ts';

/** Messages that come when they are sent; closing ends them. */
function line() {
  let seq = 0;
  let wake: () => void = () => undefined;
  let closed = false;
  const sent: JsMsg[] = [];
  const messages = {
    close: async () => {
      closed = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (!closed) {
        const next = sent.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  } as unknown as ConsumerMessages;
  const send = (): void => {
    seq += 1;
    sent.push({ seq } as JsMsg);
    wake();
  };
  return { messages, send };
}

const seqsOf = (batch: readonly JsMsg[]): number[] => batch.map(({ seq }) => seq);

test('where no caller waits for the effect, what comes while a batch gathers comes along', async () => {
  const { messages, send } = line();
  const buffer = openMessageBuffer(messages, 10, 20);
  send();
  // It came while others were handled.
  await new Promise((resolve) => setImmediate(resolve));
  const batch = buffer.take(10);
  // It is there before any timer can fire.
  send();
  expect(seqsOf(await batch)).toEqual([1, 2]);
  buffer.close();
  buffer.stopFetching();
  expect(await buffer.ended).toBeUndefined();
});

test('a full batch does not gather, and closing takes nothing', async () => {
  const { messages, send } = line();
  const buffer = openMessageBuffer(messages, 10, 60_000);
  send();
  send();
  await new Promise((resolve) => setImmediate(resolve));
  expect(seqsOf(await buffer.take(2))).toEqual([1, 2]);
  buffer.close();
  send();
  expect(await buffer.take(2)).toEqual([]);
  buffer.stopFetching();
});
