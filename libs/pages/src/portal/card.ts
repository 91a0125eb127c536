import { hourMs } from '@app/contracts/durations';
import { type DeclineReason, declineReason } from '@app/contracts/payments';
import type { PortalSubscriptionWithHistory, PortalSubscriptionWithNewCard } from '@app/contracts/portal';
import type { Refused } from '../call.ts';
import { type CardForm, cardFormOf } from '../checkout/cards.ts';
import { confirmingOf, isSecretWay } from '../checkout/confirming.ts';
import { byScriptOf } from '../checkout/post-answers.ts';
import { checkHead, checkScripts, checksOf } from '../components/checks.ts';
import type { PageAnswer, PageRequest, ShownPage } from '../page.ts';
import {
  bankPage,
  cardError,
  cardNotices,
  cardPage,
  checkingPage,
  checkingTexts,
  hasCard,
  type WaitsFor,
} from './card-pages.ts';
import { buyerOf, onTo, openedOf, type Portal, showAt, shown, takeAt } from './enter.ts';
import { subscriptionPath } from './parts.ts';
import type { OpenSession } from './portal-cookies.ts';
import { afterRefusal, readSubscription, sayAt } from './subscriptions.ts';

interface Seen {
  readonly session: OpenSession;
  readonly body: PortalSubscriptionWithHistory;
  /** How the card and its charge stand at the processor: undefined where that was not requested, null without an answer. */
  readonly answer?: PortalSubscriptionWithNewCard | null;
}

const pathOf = (path: string, subscriptionId: string): string => `${subscriptionPath(path, subscriptionId)}/card`;

/** GET of a subscription's card: the form for a new one, or how far saving it is, and charging it what is past due. */
export const showCard = (request: PageRequest, handle: string, subscriptionId: string): Promise<PageAnswer> =>
  showAt(request, handle, pathOf('', subscriptionId), async (portal) => {
    const seen = await readOutcome(portal, subscriptionId);
    if ('status' in seen) return seen;
    if (!hasCard(seen.body)) return onTo(subscriptionPath(portal.path, subscriptionId));
    switch (seen.body.card_change?.status) {
      case 'requires_action':
        return showBank(portal, seen, 'card');
      case 'processing':
        return showChecking(portal, seen, 'card');
      case 'declined':
        return seen.body.awaits_confirmation && seen.answer
          ? showPayment(portal, seen)
          : showForm(portal, seen, { notice: cardNotices.card_declined });
      default:
        return showPayment(portal, seen);
    }
  });

/** How far it is to charge what is past due to the card, once that is saved. */
function showPayment(portal: Portal, seen: Seen): PageAnswer {
  const { body, answer } = seen;
  const [newest] = body.charges;
  if (body.awaits_confirmation)
    return answer?.renewal_confirmation === null
      ? showChecking(portal, seen, 'payment')
      : showBank(portal, seen, 'payment');
  if (newest?.status === 'processing' && (answer !== undefined || body.status === 'past_due'))
    return showChecking(portal, seen, 'payment');
  if (answer === undefined) return showForm(portal, seen, {});
  const ended = newest !== undefined && isRecent(newest.charged_at, portal) ? newest.status : null;
  if (ended === 'declined' && body.status === 'past_due')
    return showForm(portal, seen, { notice: cardNotices.payment_declined });
  return sayAt(portal, body.id, ended === 'paid' ? 'paid' : 'card');
}

/** A confirmation waits for an hour at most: a charge that ended earlier is none that the buyer waits for. */
const longestWaitMs = hourMs;
const isRecent = (at: string, { request: { now } }: Portal): boolean =>
  Date.parse(at) > Date.parse(now) - longestWaitMs;

/** The bank sent the buyer back: the gateway names this way when it saves a card. */
const isBack = ({ query }: PageRequest): boolean => query.has('back');
const isWaiting = ({ query }: PageRequest): boolean => query.has('check');

/**
 * The outcome may be there by now. What is past due is charged once the card is saved, also where the payments loop was the
 * first to learn that it is.
 */
async function readOutcome(portal: Portal, subscriptionId: string): Promise<Seen | ShownPage> {
  const { request } = portal;
  const seen = await readSubscription(portal, subscriptionId);
  if ('status' in seen) return seen;
  const status = seen.body.card_change?.status;
  const isOpen = status === 'processing' || status === 'requires_action';
  const isAtBank = status === 'requires_action' && seen.body.card_change?.url !== null && !isBack(request);
  const mayBeSaved = status !== 'declined' && !isAtBank && (isOpen || isBack(request) || isWaiting(request));
  // Where the buyer confirms a payment is said by the processor alone, each time.
  const isPaymentAtBank = seen.body.awaits_confirmation && !isOpen;
  if (!(mayBeSaved || isPaymentAtBank) || !hasCard(seen.body)) return seen;
  const requested = await goOn(portal, seen);
  const again = await readSubscription(portal, subscriptionId);
  return 'status' in again ? again : { ...again, answer: requested.ok ? requested.body : null };
}

/** POST of it: a card, or that the buyer has confirmed it at the bank. */
export const takeCard = (request: PageRequest, handle: string, subscriptionId: string): Promise<PageAnswer> =>
  takeAt(request, handle, async (portal) => {
    const seen = await readSubscription(portal, subscriptionId);
    if ('status' in seen) return seen;
    if (!hasCard(seen.body)) return onTo(subscriptionPath(portal.path, subscriptionId));
    const token = (request.form.get('card') ?? '').trim();
    const isSave = request.form.get('do') !== 'continue';
    if (isSave && token === '')
      return showForm(portal, seen, { status: 422, error: cardOf(portal, seen.body).missing });
    const done = isSave ? await save(portal, seen, token) : await goOn(portal, seen);
    if (!done.ok) return showRefused(portal, seen, done);
    return afterAnswer(portal, seen, done.body);
  });

/** Of a payment under way the GET of the page says how it stands. */
function afterAnswer(portal: Portal, { body: before }: Seen, now: PortalSubscriptionWithNewCard): PageAnswer {
  const here = pathOf(portal.path, before.id);
  if (now.payment_method.status !== 'saved') return onTo(here);
  if (now.renewal_under_way || before.awaits_confirmation) return onTo(`${here}?check=0`);
  return sayAt(portal, before.id, 'card');
}

function save(portal: Portal, { session, body: { id } }: Seen, paymentMethod: string) {
  const { request } = portal;
  return request.call('putPortalPaymentMethod', {
    actor: buyerOf(portal, session),
    params: { subscriptionId: id },
    body: { paymentMethod, ...byScriptOf(request.form) },
  });
}

function goOn(portal: Portal, { session, body: { id } }: Seen) {
  return portal.request.call('continuePortalPaymentMethod', {
    actor: buyerOf(portal, session),
    params: { subscriptionId: id },
  });
}

/** Why a card was not saved: billing says it at the field. */
const declinedBy = ({ errors }: Refused['problem']): DeclineReason =>
  declineReason.safeParse(errors?.[0]?.code).data ?? 'card_declined';

/** The earlier card stays: the form says why, and takes another. */
function showRefused(portal: Portal, seen: Seen, refused: Refused): PageAnswer {
  const { problem, retryAfterSeconds } = refused;
  switch (problem.code) {
    case 'card_declined':
      return showForm(portal, seen, { status: 422, notice: cardNotices[declinedBy(problem)] });
    case 'validation_failed':
      return showForm(portal, seen, { status: 422, error: cardError });
    case 'rate_limited': {
      const notice = cardNotices.too_many(Math.max(1, retryAfterSeconds ?? 60));
      return showForm(portal, seen, { status: 429, notice, retryAfterSeconds });
    }
    default:
      return problem.status >= 500
        ? showForm(portal, seen, { status: problem.status, notice: cardNotices.failed, retryAfterSeconds })
        : afterRefusal(portal, seen.body.id, seen.session, refused);
  }
}

interface Outcome {
  readonly status?: number;
  readonly error?: string;
  readonly notice?: string;
  readonly retryAfterSeconds?: number | null;
}

function showForm(portal: Portal, { session, body: subscription }: Seen, outcome: Outcome): ShownPage {
  const { status, error, notice = null, retryAfterSeconds } = outcome;
  const card = cardOf(portal, subscription);
  const content = { subscription, card, chosen: portal.request.form.get('card') ?? '', error, notice };
  const body = cardPage(openedOf(portal, session, content));
  return shown(portal, 'Use another card', body, { ...ofCard(card), status: status ?? 200, retryAfterSeconds });
}

/** The card is saved; what is past due is charged to it afterwards. */
function cardOf({ request, path }: Portal, subscription: PortalSubscriptionWithHistory): CardForm {
  const { id, processor, publishable_key, amount_cents: amountCents, currency } = subscription;
  const { product_name: name, billing_interval: interval } = subscription;
  const renewal = { name, amountCents, interval, manageUrl: request.baseUrl + subscriptionPath(path, id) };
  return cardFormOf(
    { processor, publishableKey: publishable_key },
    { name: 'card-fields', mode: 'setup', amountCents, currency, savesCard: true, renewal },
  );
}

const ofCard = ({ module, sources }: CardForm) => ({
  scripts: module === null ? [] : [module],
  sources,
});

function showBank(portal: Portal, { session, body: subscription, answer }: Seen, waitsFor: WaitsFor): ShownPage {
  const card = cardOf(portal, subscription);
  const { url, client_secret } =
    (waitsFor === 'card' ? answer?.payment_method : answer?.renewal_confirmation) ?? nothingKnown;
  const address = waitsFor === 'card' ? subscription.card_change?.url : url;
  const confirming = confirmingOf(address, client_secret, subscription.publishable_key);
  const content = { subscription, card, chosen: '', notice: null, waitsFor, confirming };
  const how = { ...ofCard(card), isSecret: isSecretWay(confirming) };
  return shown(portal, 'Confirm at your bank', bankPage(openedOf(portal, session, content)), how);
}

const nothingKnown = { url: null, client_secret: undefined };

function showChecking(portal: Portal, { session, body: subscription }: Seen, waitsFor: WaitsFor): ShownPage {
  const checks = checksOf(portal.request.query);
  const content = { checks, nextUrl: `${pathOf(portal.path, subscription.id)}?check=${checks + 1}` };
  const body = checkingPage(openedOf(portal, session, { subscription, waitsFor, checks: content }));
  const around = { head: checkHead(content), scripts: checkScripts };
  return shown(portal, checkingTexts[waitsFor].title, body, around);
}
