import { dayMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import { createPortalLink } from '@app/contracts/portal';
import { linkFieldsOf, type Payload } from '@app/contracts/triggers';
import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import type { Delivery } from '../deliveries/delivery.types.ts';
import type { EmailAction } from './built-in.rules.ts';
import { fieldsIn, type TemplateValues } from './template.rules.ts';

interface LinkDeps {
  readonly requester: Requester;
  readonly clock: Clock;
}

/** An email waits for its link no longer than for a busy replica. */
const waitMs = 5_000;
/**
 * The links that the email names, which the gateway makes for this email alone. One is empty where there is nothing to lead to,
 * as for a buyer whose only order expired.
 * @throws while the gateway does not answer
 */
export async function portalLinksFor(
  deps: LinkDeps,
  { accountId, eventName, eventId }: Delivery,
  action: EmailAction,
  payload: Payload,
): Promise<TemplateValues> {
  const offered = linkFieldsOf(eventName, action.to);
  const named = new Set([action.subject, action.body].flatMap(fieldsIn));
  const links = offered
    .filter((field) => named.has(field))
    .map(async (field) => {
      const isCard = field === 'cardUrl';
      const wanted = {
        email: String(payload.email),
        subscriptionId: isCard ? String(payload.subscriptionId) : null,
        validUntil: isCard ? nextAttemptEnd(payload) : null,
      };
      const commandId = newIdSuffix(deps.clock.nowMs());
      const context = { accountId, requestId: eventId, commandId, waitMs };
      const url = await deps.requester.request(createPortalLink, wanted, context).then(
        (made) => made.url,
        (err: unknown) => {
          if (err instanceof DomainError && (err.code === 'buyer_not_found' || err.code === 'validation_failed'))
            return '';
          throw err;
        },
      );
      return [field, url] as const;
    });
  return Object.fromEntries(await Promise.all(links));
}

/** The next attempt is made by the daily run of a later UTC day, at whatever time of it. */
function nextAttemptEnd({ nextTryDays, sentAt }: Payload): string | null {
  if (typeof nextTryDays !== 'number' || nextTryDays === 0 || typeof sentAt !== 'string') return null;
  return new Date(Date.parse(sentAt) + (nextTryDays + 1) * dayMs).toISOString();
}
