import { accountSettingsChanged } from '@app/contracts/accounts';
import type { EventData, EventDefinition } from '@app/contracts/define';
import type { ServiceName } from '@app/contracts/services';
import { eventsHandled } from '@app/messaging/points';
import type { Receiver } from '@app/testing/http-receiver';
import { announced } from '@app/testing/points';
import { attemptsRecorded } from '@app/webhook-dispatcher/points';
import type { Seller } from './seller.ts';

/** Resolves when all that the service does with such an event is committed, since the test file began. */
export async function handled<Definition extends EventDefinition>(
  service: ServiceName,
  definition: Definition,
  matches: (data: EventData<Definition>, accountId: string) => boolean,
): Promise<void> {
  const isWanted = ({ data, accountId }: { data: unknown; accountId: string }): boolean =>
    matches(data as EventData<Definition>, accountId);
  await announced(
    eventsHandled,
    (batch) => batch.service === service && batch.subject === definition.subject && batch.events.some(isWanted),
  );
}

/** Changes settings of the seller, and resolves when the service has them: they travel by an event. */
export async function changeSettings(
  { call, accountId }: Pick<Seller, 'call' | 'accountId'>,
  settings: object,
  service: ServiceName,
): Promise<void> {
  const { status, text, json } = await call('PATCH', '/api/v1/settings', { body: settings });
  if (status !== 200) throw new Error(`settings: ${status} ${text}`);
  await handled(service, accountSettingsChanged, (data, id) => id === accountId && data.revision >= json.version);
}

/** The same for each of several events, by a field of theirs. */
export async function handledAll<Definition extends EventDefinition>(
  service: ServiceName,
  definition: Definition,
  field: keyof EventData<Definition>,
  values: readonly string[],
): Promise<void> {
  const missing = new Set(values);
  if (missing.size === 0) return;
  await announced(eventsHandled, (batch) => {
    if (batch.service !== service || batch.subject !== definition.subject) return false;
    for (const { data } of batch.events) missing.delete(String((data as EventData<Definition>)[field]));
    return missing.size === 0;
  });
}

/**
 * Resolves when so many attempts of the account's deliveries are recorded, since the test file began.
 * @param statusCode of those alone that were answered with it
 */
export async function attempted(accountId: string, times: number, statusCode?: number): Promise<void> {
  let recorded = 0;
  await announced(attemptsRecorded, ({ attempts }) => {
    recorded += attempts.filter(
      (attempt) => attempt.accountId === accountId && (statusCode ?? attempt.statusCode) === attempt.statusCode,
    ).length;
    return recorded >= times;
  });
}

/** Resolves when the receiver has had an event of this name for each of the ids, in this field of its body. */
export async function receivedAll(
  receiver: Receiver,
  event: string,
  field: 'orderId' | 'subscriptionId',
  ids: readonly string[],
): Promise<void> {
  const missing = new Set(ids);
  if (missing.size === 0) return;
  await receiver.received(1, ({ headers, body }) => {
    if (headers['x-service-event'] === event) missing.delete((JSON.parse(body) as Record<string, string>)[field] ?? '');
    return missing.size === 0;
  });
}
