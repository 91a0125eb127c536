import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { durableName, type EventDefinition } from '@app/contracts/define';
import { serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { onEvent } from '@app/messaging/event-handler';
import { readEvent } from '@app/messaging/take-effect';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { allEvents } from './support/contracts.ts';
import { find, root } from './support/repository.ts';

/**
 * `libs/contracts/samples` holds one event of each kind as version 0.2.0 publishes it, and is never changed: such events
 * are in streams, outboxes and dead letters whenever a new version starts.
 */
const samples = new Map(
  find('libs/contracts/samples/*.json').map((file) => [
    basename(file, '.json'),
    readFileSync(join(root, file), 'utf8'),
  ]),
);

const events = await allEvents();

/** What a consumer makes of a frozen event. */
function readSample(definition: EventDefinition): unknown {
  const payload = samples.get(definition.subject);
  if (payload === undefined) throw new Error(`add libs/contracts/samples/${definition.subject}.json`);
  const headers = () => ({ request_id: null, traceparent: null });
  return readEvent(
    onEvent(definition, async () => undefined),
    payload,
    headers,
  );
}

test('every kind of event that is published has a frozen sample, and every sample is of such a kind', () => {
  expect([...samples.keys()].toSorted()).toEqual(events.map(({ subject }) => subject).toSorted());
});

test.each(events)('$subject: what was published is still read, with nothing dropped or changed', (definition) => {
  expect(readSample(definition)).toMatchObject(JSON.parse(samples.get(definition.subject) ?? '{}'));
});

test.each(events)(
  '$subject: a required field added to it would fail here, an optional one or a default not',
  (event) => {
    const data = event.data as z.ZodObject;
    const changed = (field: z.ZodType): EventDefinition => ({ ...event, data: data.extend({ added: field }) });
    expect(() => readSample(changed(z.string()))).toThrow(/cannot be read/);
    expect(readSample(changed(z.string().optional()))).toMatchObject({ id: expect.any(String) });
    expect(readSample(changed(z.string().default('')))).toMatchObject({ data: { added: '' } });
  },
);

test.each(events)('$subject: a field taken away from it would fail here', (event) => {
  const data = event.data as z.ZodObject;
  const [first = ''] = Object.keys(data.shape);
  const read = readSample({ ...event, data: data.omit({ [first]: true } as never) });
  expect(read).not.toMatchObject(JSON.parse(samples.get(event.subject) ?? '{}'));
});

test('each consumer and kind of event has a durable of its own, with a name that NATS takes', () => {
  const names = serviceNames.flatMap((service) =>
    topology[service].consumes.map((event) => durableName(service, event)),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(names).toContain('metrics_order-paid-v1');
});

test('a consumed event is published: its producer has a stream', () => {
  const consumed = serviceNames.flatMap((service) => topology[service].consumes);
  expect(consumed.filter((event) => !topology[event.service].publishes || !events.includes(event))).toEqual([]);
});
