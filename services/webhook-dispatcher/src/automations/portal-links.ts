import { dayMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import { createPortalLink } from '@app/contracts/portal';
import { linkFieldsOf, type Payload } from '@app/contracts/triggers';
import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import type { Logger } from '@app/service-kit/logger';
import type { Delivery } from '../deliveries/delivery.types.ts';
import type { EmailAction } from './built-in.rules.ts';
import { endedWith } from './failed-renewal.rules.ts';
import { fieldsIn, type TemplateValues } from './template.rules.ts';

interface LinkDeps {
  readonly requester: Requester;
  readonly clock: Clock;
  readonly logger: Logger;
  /** As in `AutomationDeps`. */
  readonly publicUrl: string;
}

/** Its words, the product that its event is about, and the seller's handle, empty while it is not known. */
interface LinkedEmail {
  readonly action: EmailAction;
  readonly product_id: string | null;
  readonly handle: string;
}

/**
 * The links that the email names. The gateway makes those to the portal for this email alone. One is empty where there is nothing to lead to,
 * as for a buyer whose only order expired. A subscription that has ended takes no card: its email leads to the product instead.
 * @returns null while the gateway does not answer
 */
export async function linksFor(
  deps: LinkDeps,
  delivery: Delivery,
  email: LinkedEmail,
  payload: Payload,
): Promise<TemplateValues | null> {
  try {
    return await madeLinks(deps, delivery, email, payload);
  } catch (err) {
    const { accountId, id: deliveryId } = delivery;
    deps.logger.warn({ err, accountId, deliveryId }, 'the links of an email could not be made');
    return null;
  }
}

async function madeLinks(
  deps: LinkDeps,
  delivery: Delivery,
  email: LinkedEmail,
  payload: Payload,
): Promise<TemplateValues> {
  const { action, product_id, handle } = email;
  const offered = linkFieldsOf(delivery.eventName, action.to);
  const named = new Set([action.subject, action.body].flatMap(fieldsIn));
  const hasEnded = endedWith(payload);
  const links = offered
    .filter((field) => named.has(field))
    .map(async (field) => {
      if (field === 'orderUrl') return [field, orderUrlOf(deps.publicUrl, payload)] as const;
      // By its id: it leads to wherever the product is sold when the email is read.
      if (field === 'buyAgainUrl')
        return [field, hasEnded && handle && product_id ? `${deps.publicUrl}/c/${handle}/${product_id}` : ''] as const;
      if (field === 'cardUrl' && hasEnded) return [field, ''] as const;
      return [field, await portalUrl(deps, delivery, payload, field === 'cardUrl')] as const;
    });
  return Object.fromEntries(await Promise.all(links));
}

/** Empty for who has bought nothing. */
async function portalUrl(
  { requester, clock }: LinkDeps,
  { accountId, eventId, test }: Delivery,
  payload: Payload,
  isOfCard: boolean,
): Promise<string> {
  const wanted = {
    email: String(payload.email),
    subscriptionId: isOfCard ? String(payload.subscriptionId) : null,
    // A rehearsal's next attempt may be years ahead of the clock by which links end.
    validUntil: isOfCard && !test ? nextAttemptEnd(payload) : null,
  };
  const context = { accountId, requestId: eventId, commandId: newIdSuffix(clock.nowMs()) };
  return await requester.request(createPortalLink, wanted, context).then(
    (made) => made.url,
    (err: unknown) => {
      if (err instanceof DomainError && (err.code === 'buyer_not_found' || err.code === 'validation_failed')) return '';
      throw err;
    },
  );
}

/** The order that the event is about, in the seller's dashboard; empty where it is about none. */
export const orderUrlOf = (publicUrl: string, { orderId }: Payload): string =>
  typeof orderId === 'string' && orderId !== '' ? `${publicUrl}/app/orders/${orderId}` : '';

/** The next attempt is made by the daily run of a later UTC day, at whatever time of it. */
function nextAttemptEnd({ nextTryDays, sentAt }: Payload): string | null {
  if (typeof nextTryDays !== 'number' || nextTryDays === 0 || typeof sentAt !== 'string') return null;
  return new Date(Date.parse(sentAt) + (nextTryDays + 1) * dayMs).toISOString();
}
