import {
  orNull,
  type Preview,
  type PreviewDefinition,
  type PreviewedCall,
  type ResultOf,
  withoutAmount,
} from './preview.ts';
import { type Action, shortAction } from './removal-previews.ts';

/** What sends buyers' data somewhere new, or emails to buyers. */
export const receiverPreviews: Readonly<Record<string, PreviewDefinition>> = {
  putWebhookEndpoint: withoutAmount(async ({ body, read }) =>
    endpointPreview(body, await orNull(read('getWebhookEndpoint'), 'webhook_endpoint_not_found')),
  ),
  createWebhookEndpoint: withoutAmount(async ({ body }) => endpointPreview(body, null)),
  updateWebhookEndpoint: withoutAmount(async ({ params, body, read }) =>
    endpointPreview(body, await read('readWebhookEndpoint', params)),
  ),
  createAutomation: withoutAmount(async ({ body }) => automationPreview(body, null)),
  updateAutomation: withoutAmount(async ({ params, body, read }) =>
    automationPreview(body, await read('getAutomation', params)),
  ),
  recoverWebhooks: withoutAmount(recovery),
  pushFunnelEmails: withoutAmount(push),
  resendReceipt: withoutAmount(receipt),
  closeWithdrawal: withoutAmount(async (call) => declinePreview(call)),
  updateSettings: withoutAmount(settingsPreview),
};

async function receipt({ params, body, read }: PreviewedCall): Promise<Preview> {
  const { id, customer_email, total_cents, currency, test } = await read('getOrder', params);
  const to = (body as { email?: string }).email ?? customer_email;
  const detail = test
    ? 'The receipt of this test order goes to the account’s own address again.'
    : 'The receipt goes out again, with the links to all that was bought, to the address in the fields.';
  return { detail, facts: { orderId: id, to, orderedWith: customer_email, totalCents: total_cents, currency } };
}

/** Accepting one sends nothing and moves no money. */
function declinePreview({ params, body }: PreviewedCall): Preview | null {
  if (body.status !== 'declined') return null;
  const detail =
    'The withdrawal is declined for good, and the answer goes by email to the address that it was declared with.';
  return { detail, facts: { withdrawalId: params.withdrawalId, answer: body.answer } };
}

interface Endpoint {
  readonly url: string;
  readonly events: readonly string[] | null;
  readonly active: boolean;
  readonly switched_off: { readonly reason: string } | null;
  readonly held: { readonly count: number; readonly more: boolean };
}

const held = {
  send: 'All that is held for it is sent.',
  orders: 'What is held for it of orders is sent, and the rest is dropped.',
  discard: 'What is held for it is dropped.',
} as const;

/** Asked about a new URL, more events, switching on, and about what is held: other changes send nobody anything new. */
function endpointPreview(body: PreviewedCall['body'], before: Endpoint | null): Preview | null {
  const { url, events, isNew, begins, sends } = changeOf(body, before);
  const choice = (body.held as keyof typeof held | undefined) ?? (begins ? 'send' : undefined);
  if (!sends && choice === undefined) return null;
  const names = events === null ? 'of every event' : `of ${events.join(', ')}`;
  const words = [
    ...(sends ? [`Buyers’ names and emails will go to ${url}, with the data ${names}.`] : []),
    ...(isNew && before !== null ? ['The URL before it gets nothing more.'] : []),
    ...(begins ? ['The endpoint is switched on.'] : []),
    ...(choice === undefined ? [] : [held[choice]]),
  ];
  return {
    detail: words.join(' '),
    facts: { url, events, ...(before !== null && { before: { url: before.url, held: before.held } }) },
    // More may be held by the time that the seller agrees.
    agreed: { url, events, before: before && { url: before.url, active: before.active } },
  };
}

function changeOf(body: PreviewedCall['body'], before: Endpoint | null) {
  const { url = before?.url, events = before?.events ?? null } = body as Partial<Endpoint>;
  const isNew = url !== before?.url;
  if (before === null) return { url, events, isNew, begins: false, sends: true };
  const begins = !before.active && switchesOn(body, before, isNew);
  return { url, events, isNew, begins, sends: isNew || begins || hasMore(events, before.events) };
}

const hasMore = (events: Endpoint['events'], before: Endpoint['events']): boolean =>
  before !== null && (events === null || events.some((name) => !before.includes(name)));

/** A new URL switches an endpoint on that was switched off for what the former one answered. */
const switchesOn = (body: PreviewedCall['body'], { switched_off }: Endpoint, isNew: boolean): boolean =>
  (body.active as boolean | undefined) ?? (isNew && switched_off !== null && switched_off.reason !== 'seller');

interface Automation {
  readonly name: string;
  readonly event: string;
  readonly product_id: string | null;
  readonly active: boolean;
  readonly action: Action;
}

/** Asked about a new URL, and about emails to buyers that are new, changed or begin to be sent. */
function automationPreview(body: PreviewedCall['body'], before: Automation | null): Preview | null {
  const action = (body.action ?? before?.action ?? {}) as Action;
  const active = body.active ?? before?.active ?? true;
  const event = body.event ?? before?.event;
  const begins = active === true && (before === null || !before.active || changesProduct(body, before));
  const differs = JSON.stringify(shownOf(action)) !== JSON.stringify(shownOf(before?.action ?? {}));
  const facts = { name: body.name ?? before?.name, event, active, action: shortAction(action) };
  const from = active ? 'From now on' : 'Once it is switched on';
  if (action.type === 'post' && (differs || begins))
    return { detail: `${from} buyers’ names and emails will go to ${action.url}, with the data of ${event}.`, facts };
  if (action.type === 'email' && action.to === 'buyer' && (differs || begins))
    return { detail: `${from} the buyer of each ${event} gets this email.`, facts: { ...facts, body: action.body } };
  return null;
}

const changesProduct = ({ productId }: PreviewedCall['body'], { product_id }: Automation): boolean =>
  productId !== undefined && productId !== product_id;

/** What a receiver sees of an action, in one order of its fields. */
const shownOf = ({ type, to, subject, body, url }: Action) => [type, to, subject, body, url];

async function recovery({ params, body, read }: PreviewedCall): Promise<Preview> {
  const { url, active } = await read('readWebhookEndpoint', params);
  const { since, until = 'now', which } = body;
  const what = which === 'all' ? 'Everything' : 'What failed';
  return {
    detail: `${what} from ${since} until ${until} is sent to the endpoint again, with buyers’ names and emails.${active ? '' : ' It waits while the endpoint is off.'}`,
    facts: { url, since, until, which },
  };
}

async function push({ params, read }: PreviewedCall): Promise<Preview> {
  const { emails } = await read('getFunnel', params);
  return {
    detail: `${emails.length} funnel.email.sync events go to the webhook endpoints, one for each post-purchase email: the tool that receives them sends these to buyers.`,
    facts: { emails: emails.map(({ position, subject }) => ({ position, subject })) },
  };
}

interface Change {
  readonly words: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Asked about addresses that buyers and what they wrote are sent to, and about what is charged: the others move nothing. */
async function settingsPreview({ body, read }: PreviewedCall): Promise<Preview | null> {
  const isAskedAbout = ['checkoutUrl', 'supportEmail', 'testMode', 'dailyChargeLimit'].some(
    (name) => (body[name] ?? null) !== null,
  );
  if (!isAskedAbout) return null;
  const before = await read('getSettings');
  const changes = [...newAddresses(body, before), ...newCharges(body, before)];
  if (changes.length === 0) return null;
  return {
    detail: changes.map(({ words }) => words).join(' '),
    facts: Object.assign({}, ...changes.map(({ facts }) => facts)),
  };
}

function newAddresses(body: PreviewedCall['body'], before: ResultOf<'getSettings'>): Change[] {
  const { checkoutUrl = null, supportEmail } = body;
  const changes: Change[] = [];
  if (checkoutUrl !== null && checkoutUrl !== before.checkoutUrl)
    changes.push({
      words: `Reminders will lead buyers to ${String(checkoutUrl)}, where their checkouts are restored.`,
      facts: { checkoutUrl, formerCheckoutUrl: before.checkoutUrl },
    });
  if (supportEmail !== undefined && ![before.supportEmail, before.supportEmailPending].includes(String(supportEmail)))
    changes.push({
      words: `Buyers will write to ${String(supportEmail)} once it has confirmed by an email that is sent there.`,
      facts: { supportEmail, formerSupportEmail: before.supportEmail },
    });
  return changes;
}

function newCharges(body: PreviewedCall['body'], before: ResultOf<'getSettings'>): Change[] {
  const { testMode = before.testMode, dailyChargeLimit = before.dailyChargeLimit } = body;
  const changes: Change[] = [];
  // Switched on it charges nobody, and sellers expect it at their first word.
  if (before.testMode && testMode === false)
    changes.push({
      words: 'Test mode is switched off: the checkouts sell, and buyers are charged.',
      facts: { testMode },
    });
  if (dailyChargeLimit !== before.dailyChargeLimit)
    changes.push({
      words: `The daily job charges ${limitOf(dailyChargeLimit)} in one run; until now ${limitOf(before.dailyChargeLimit)}.`,
      facts: { dailyChargeLimit, formerDailyChargeLimit: before.dailyChargeLimit },
    });
  return changes;
}

const limitOf = (limit: unknown): string =>
  limit === 0 ? 'without a limit' : `up to ${String(limit)} times the usual number of renewals`;
