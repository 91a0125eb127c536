import { newId } from '@app/contracts/ids';
import { operations } from '@app/gateway/operations';
import { tools } from '@app/gateway/tools';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { daysRead, furnish, openCheckoutAt, readAll, untilAtRest } from './support/furnished-shop.ts';
import { portalSession } from './support/portal-session.ts';
import { type Answer, call, type Seller, signUp } from './support/seller.ts';
import { type SharedPlatform, sharedPlatform } from './support/shared-platform.ts';

/**
 * Guarantee: an account reaches nothing of another account, by any route. Every operation of the product is called
 * with a second account's key and the first account's ids. The table below must name every operation: a new route that
 * is missing here fails the test.
 */
let platform: SharedPlatform;
let receiver: Receiver;
let victim: Seller;
let attacker: Seller;
let ids: Record<string, string>;

/** A PNG. */
const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Marks of the victim that no answer to the attacker may hold. */
const marks = ['victim-buyer@example.com', 'Victim Secret', 'victimleaf'];

/** The secret of a session of the portal: of a buyer of the attacker’s shop, with the address of the victim’s buyer. */
let portalSecret: string;

/** The secret of a checkout that the attacker opened at the victim’s own shop, as any buyer may. */
let attackersSecret: string;

beforeAll(async () => {
  receiver = await startReceiver();
  platform = await sharedPlatform();
  victim = await signUp(platform.baseUrl, 'Victim Secret Shop');
  attacker = await signUp(platform.baseUrl, 'Other Shop');
  ids = await furnish({ baseUrl: platform.baseUrl, receiverUrl: receiver.url }, victim);
  portalSecret = await portalSession(platform, attacker.accountId, { email: 'victim-buyer@example.com' });
  attackersSecret = (await openCheckoutAt(platform.baseUrl, victim, 'a-buyer@example.com')).secret;
  await untilAtRest(victim, ids);
});

afterAll(() => receiver?.close());

/** How an operation is tried: with what, and what the attacker must get. */
interface Attempt {
  readonly params?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly body?: unknown;
  /** `unknown`: 404 as for an id that never was. `own`: the attacker's own things, without the victim's. */
  readonly expect: 'unknown' | 'own' | ((answer: Answer) => void);
}

const forbidden = ({ status }: Answer): void => expect(status).toBe(403);

/** Of a session alone: no key may do this. */
const byPassword = { body: { password: 'a long enough password' }, expect: forbidden } as const;

const own = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { expect: 'own' as const }]));

const attempts = (): Record<string, Attempt> => {
  const product = { productId: ids.productId as string };
  const subscription = { subscriptionId: ids.subscriptionId as string };
  const endpoint = { endpointId: ids.endpointId as string };
  const offer = { headline: 'x', priceCents: 1 };
  const bump = { params: { ...product, offerId: ids.bumpId as string }, expect: 'unknown' } as const;
  const upsell = { params: { ...product, offerId: ids.upsellId as string }, expect: 'unknown' } as const;
  const email = { position: 9, sendDay: 0, subject: 'x', body: 'x' };
  const automation = { automationId: ids.automationId as string };
  const checkout = {
    params: { checkoutId: ids.checkoutId as string },
    headers: { 'x-checkout-secret': attackersSecret },
    expect: 'unknown',
  } as const;
  const declared = { handle: 'other-shop', name: 'Mine', bought: ids.orderId as string, email: 'a@example.com' };
  const withdrawal = { body: declared, expect: ({ status }: Answer) => expect(status).toBe(200) };
  const closing = { params: { withdrawalId: ids.withdrawalId as string }, body: { status: 'accepted' } };
  // What buyers of one seller reach of each other: portal-isolation.test.ts.
  const ofPortal = { headers: { 'x-portal-session': portalSecret }, expect: 'unknown' } as const;
  return {
    listProducts: { expect: 'own' },
    createProduct: {
      body: { name: 'Mine', slug: 'victim-course', priceCents: 1, pricingType: 'onetime' },
      expect: 'own',
    },
    getProduct: { params: product, expect: 'unknown' },
    updateProduct: { params: product, body: { priceCents: 1 }, expect: 'unknown' },
    putProductImage: { params: product, body: { data: onePixel }, expect: 'unknown' },
    deleteProductImage: { params: product, expect: 'unknown' },
    ...{ getBump: bump, deleteBump: bump, deleteBumpImage: bump },
    getFunnel: { params: product, expect: 'unknown' },
    createBump: { params: product, body: offer, expect: 'unknown' },
    ...{ updateBump: { ...bump, body: offer }, putBumpImage: { ...bump, body: { data: onePixel } } },
    createUpsell: { params: product, body: offer, expect: 'unknown' },
    ...{ getUpsell: upsell, deleteUpsell: upsell, deleteUpsellImage: upsell },
    ...{ updateUpsell: { ...upsell, body: offer }, putUpsellImage: { ...upsell, body: { data: onePixel } } },
    createFunnelEmail: { params: product, body: email, expect: 'unknown' },
    updateFunnelEmail: { params: { ...product, emailId: ids.emailId as string }, body: email, expect: 'unknown' },
    deleteFunnelEmail: { params: { ...product, emailId: ids.emailId as string }, expect: 'unknown' },
    pushFunnelEmails: { params: product, expect: 'unknown' },
    listDiscounts: { params: product, expect: 'unknown' },
    createDiscount: { params: product, body: { code: 'X', percentOff: 100 }, expect: 'unknown' },
    getDiscount: { params: { ...product, discountId: ids.discountId as string }, expect: 'unknown' },
    updateDiscount: {
      params: { ...product, discountId: ids.discountId as string },
      body: { maxUses: 1 },
      expect: 'unknown',
    },
    deleteDiscount: { params: { ...product, discountId: ids.discountId as string }, expect: 'unknown' },
    ...own('listOrders', 'listTestOrders', 'exportOrders', 'exportSubscriptions', 'listCheckouts', 'listWithdrawals'),
    exportStatement: { params: { code: 'victimleaf' }, expect: 'unknown' },
    createOrder: {
      body: { productSlug: 'victim-club', email: 'a@example.com' },
      expect: (answer) => expect(answer).toMatchObject({ status: 422, json: { code: 'product_not_found' } }),
    },
    listCustomers: { expect: 'own' },
    getCustomer: { params: { customerId: ids.customerId as string }, expect: 'unknown' },
    getOrder: { params: { orderId: ids.orderId as string }, expect: 'unknown' },
    previewRefund: { params: { orderId: ids.orderId as string }, expect: 'unknown' },
    refundOrder: { params: { orderId: ids.orderId as string }, expect: 'unknown' },
    releaseOrder: { params: { orderId: ids.heldOrderId as string }, expect: 'unknown' },
    resendReceipt: { params: { orderId: ids.orderId as string }, expect: 'unknown' },
    getPayment: { params: { paymentId: ids.paymentId as string }, expect: 'unknown' },
    refundPayment: { params: { paymentId: ids.paymentId as string }, expect: 'unknown' },
    listPayments: {
      query: `?orderId=${ids.heldOrderId}`,
      expect: (answer) => expect(answer).toMatchObject({ status: 200, json: { data: [] } }),
    },
    getPaymentProcessor: { expect: 'own' },
    putPaymentProcessor: { body: { processor: 'simulated', secretKey: 'mine' }, expect: 'own' },
    // Of a shop that anyone may buy from: its checkout shows what is on sale there, and no other buyer.
    openCheckout: {
      body: { handle: 'no-such-shop', slug: 'victim-course' },
      expect: (answer) => expect(answer.status).toBe(422),
    },
    getSeller: {
      params: { handle: 'no-such-shop' },
      expect: (answer) => expect(answer.status).toBe(404),
    },
    listShopProducts: { params: { handle: 'other-shop' }, expect: 'own' },
    getOffer: {
      params: { handle: 'other-shop', slug: 'victim-course' },
      expect: 'unknown',
    },
    recordVisit: {
      body: { handle: 'other-shop', slug: 'victim-course' },
      expect: (answer) => expect(answer.status).toBe(422),
    },
    // Who has the token of a link has been sent it; restored-checkouts.test.ts of checkout says what a copy is.
    restoreCheckout: { body: { token: 'a'.repeat(43) }, expect: 'unknown' },
    getCheckout: checkout,
    updateCheckout: { ...checkout, body: { name: 'Mine' } },
    payCheckout: { ...checkout, body: { paymentMethod: 'sim_ok' } },
    continueCheckout: checkout,
    decideUpsell: { ...checkout, body: { accept: true } },
    getOptOut: { params: { token: 'a'.repeat(43) }, expect: 'unknown' },
    optOut: { params: { token: 'a'.repeat(43) }, expect: 'unknown' },
    ...{ requestWithdrawal: withdrawal, confirmWithdrawal: withdrawal },
    closeWithdrawal: { ...closing, expect: 'unknown' },
    listSubscriptions: { expect: 'own' },
    getSubscription: { params: subscription, expect: 'unknown' },
    cancelSubscription: { params: subscription, expect: 'unknown' },
    keepSubscription: { params: subscription, expect: 'unknown' },
    pauseSubscription: { params: subscription, expect: 'unknown' },
    resumeSubscription: { params: subscription, expect: 'unknown' },
    putPaymentMethod: { params: subscription, body: { paymentMethod: 'sim_ok' }, expect: 'unknown' },
    // Without a key by nature: the answer says nothing of who has bought.
    requestPortalLink: {
      body: { handle: 'victim-secret-shop', email: 'victim-buyer@example.com' },
      expect: (answer) => expect([answer.status, answer.json]).toEqual([200, { ok: true }]),
    },
    openPortal: { body: { token: 'a'.repeat(43) }, expect: 'unknown' },
    closePortal: {
      headers: { 'x-portal-session': 'a'.repeat(43) },
      expect: (answer) => expect(answer.status).toBe(401),
    },
    listPortalOrders: { ...ofPortal, expect: 'own' },
    getPortalOrder: { ...ofPortal, params: { orderId: ids.orderId as string } },
    listPortalSubscriptions: { ...ofPortal, expect: 'own' },
    getPortalSubscription: { ...ofPortal, params: subscription },
    cancelPortalSubscription: { ...ofPortal, params: subscription, body: { at: 'now' } },
    keepPortalSubscription: { ...ofPortal, params: subscription },
    pausePortalSubscription: { ...ofPortal, params: subscription },
    resumePortalSubscription: { ...ofPortal, params: subscription },
    putPortalPaymentMethod: { ...ofPortal, params: subscription, body: { paymentMethod: 'sim_ok' } },
    continuePortalPaymentMethod: { ...ofPortal, params: subscription },
    createPortalLink: {
      body: { email: 'victim-buyer@example.com', ...subscription },
      expect: ({ status, json }) => expect([status, json.code]).toEqual([422, 'buyer_not_found']),
    },
    listAffiliates: { expect: 'own' },
    createAffiliate: { body: { code: 'mine', name: 'M', email: 'm@example.com', commissionPercent: 1 }, expect: 'own' },
    getAffiliate: { params: { code: 'victimleaf' }, expect: 'unknown' },
    updateAffiliate: { params: { code: 'victimleaf' }, body: { name: 'x' }, expect: 'unknown' },
    listCommissions: { params: { code: 'victimleaf' }, expect: 'unknown' },
    getAffiliateStatement: { params: { code: 'victimleaf' }, expect: 'unknown' },
    createPayout: { params: { code: 'victimleaf' }, query: '?includePending=true', expect: 'unknown' },
    listPayouts: { expect: 'own' },
    getOverview: { expect: 'own' },
    getRetention: { expect: 'own' },
    getFees: { expect: 'own' },
    getMetrics: { params: product, expect: 'unknown' },
    getMetricSeries: { params: product, query: '?metric=customers', expect: 'unknown' },
    explainMetric: { params: product, query: '?metric=customers', expect: 'unknown' },
    listAutomations: { expect: 'own' },
    createAutomation: {
      body: {
        name: 'Mine',
        event: 'order.paid',
        productId: ids.productId as string,
        action: { type: 'email', to: 'seller', subject: 'x', body: '{{email}}' },
      },
      expect: ({ status, json }) =>
        expect([status, json.code, json.errors[0].field]).toEqual([422, 'product_not_found', 'productId']),
    },
    getAutomation: { params: automation, expect: 'unknown' },
    updateAutomation: { params: automation, body: { active: false }, expect: 'unknown' },
    deleteAutomation: { params: automation, expect: 'unknown' },
    testAutomation: { params: automation, expect: 'unknown' },
    rotateAutomationSecret: { params: automation, body: { overlapHours: 0 }, expect: 'unknown' },
    revealAutomationSecret: { params: automation, ...byPassword },
    previewAutomation: {
      body: { event: 'order.paid', action: { type: 'email', to: 'seller', subject: 'x', body: '{{businessName}}' } },
      expect: 'own',
    },
    getWebhookEndpoint: { expect: 'unknown' },
    deleteWebhookEndpoint: { expect: 'unknown' },
    putWebhookEndpoint: { body: { url: `${receiver.url}/attacker` }, expect: 'own' },
    listWebhookEndpoints: { expect: 'own' },
    createWebhookEndpoint: { body: { url: `${receiver.url}/attacker` }, expect: 'own' },
    readWebhookEndpoint: { params: endpoint, expect: 'unknown' },
    updateWebhookEndpoint: { params: endpoint, body: { active: false }, expect: 'unknown' },
    removeWebhookEndpoint: { params: endpoint, expect: 'unknown' },
    rotateWebhookSecret: { params: endpoint, body: { overlapHours: 0 }, expect: 'unknown' },
    // No key may do this; whose sessions may is tested below.
    revealWebhookSecret: { params: endpoint, ...byPassword },
    listActivity: { query: `?orderId=${ids.orderId}`, expect: 'own' },
    listWebhookDeliveries: { query: `?endpointId=${ids.endpointId}`, expect: 'own' },
    getWebhookDelivery: { params: { deliveryId: ids.deliveryId as string }, expect: 'unknown' },
    listEvents: { expect: 'own' },
    redeliverWebhook: { params: { deliveryId: ids.deliveryId as string }, expect: 'unknown' },
    recoverWebhooks: {
      params: endpoint,
      body: { since: new Date().toISOString(), which: 'all' },
      expect: 'unknown',
    },
    sendTestWebhook: { params: endpoint, body: { event: 'order.paid' }, expect: 'unknown' },
    selfTestWebhook: { params: endpoint, expect: 'unknown' },
    listWebhookRecoveries: { query: `?endpointId=${ids.endpointId}`, expect: 'own' },
    getWebhookRecovery: { params: { recoveryId: ids.recoveryId as string }, expect: 'unknown' },
    cancelWebhookRecovery: { params: { recoveryId: ids.recoveryId as string }, expect: 'unknown' },
    runDailyJob: { expect: 'own' },
    listDailyRuns: { expect: 'own' },
    previewDailyRun: { expect: 'own' },
    getDailyRun: { params: { runId: ids.runId as string }, expect: 'unknown' },
    getRehearsal: { expect: 'own' },
    advanceRehearsal: { body: { days: 40 }, expect: 'own' },
    getSettings: { expect: 'own' },
    updateSettings: { body: { businessName: 'Mine' }, expect: 'own' },
    requestSupportEmailVerification: { expect: 'own' },
    confirmSupportEmail: { body: { token: 'a'.repeat(43) }, expect: 'unknown' },
    putLogo: { body: { data: onePixel }, expect: 'own' },
    deleteLogo: { expect: 'own' },
    // Of another kind than the exports that the test itself makes.
    listAuditEntries: { query: '?kind=api_key', expect: 'own' },
    listApiKeys: { expect: 'own' },
    confirm: byPassword,
    createApiKey: { body: { name: 'mine' }, expect: forbidden },
    revokeApiKey: { params: { keyId: ids.keyId as string }, expect: 'unknown' },
    rotateApiKey: { params: { keyId: ids.keyId as string }, body: {}, expect: 'unknown' },
    // Without a key by nature; they answer about the account they were given the secrets of.
    signUp: { body: {}, expect: (answer) => expect(answer.status).toBe(422) },
    logIn: {
      body: { email: 'unknown@example.com', password: 'wrong password' },
      expect: (answer) => expect(answer.status).toBe(401),
    },
    logInByLink: { body: { token: 'a'.repeat(43) }, expect: 'unknown' },
    readLetter: { body: { token: 'a'.repeat(43) }, expect: 'unknown' },
    verifyEmail: { body: { token: 'a'.repeat(43) }, expect: 'unknown' },
    confirmEmail: { body: { token: 'a'.repeat(43) }, expect: 'unknown' },
    requestPasswordReset: {
      body: { email: 'unknown@example.com' },
      expect: (answer) => expect(answer.json).toEqual({ ok: true }),
    },
    resetPassword: { body: { token: 'a'.repeat(43), password: 'a new long password' }, expect: 'unknown' },
    requestVerification: { expect: forbidden },
    logOut: { expect: forbidden },
    getMe: { expect: forbidden },
    // No key may do these; which sessions a session sees and ends is tested below.
    changePassword: {
      body: { password: 'a long enough password', newPassword: 'another long password' },
      expect: forbidden,
    },
    changeEmail: {
      body: { password: 'a long enough password', email: 'taken-over@example.com' },
      expect: forbidden,
    },
    listSessions: { expect: forbidden },
    endSession: { params: { sessionId: newId('session', 0) }, expect: forbidden },
    endOtherSessions: { expect: forbidden },
    // Of a session alone; whose passkeys a session changes is tested in the gateway.
    logInWithFactor: { body: { code: '000000' }, expect: (answer) => expect(answer.status).toBe(401) },
    createPasskeyChallenge: { expect: (answer) => expect(answer.status).toBe(409) },
    getFactors: { expect: forbidden },
    createPasskeyOptions: { expect: forbidden },
    createPasskey: { body: {}, expect: forbidden },
    renamePasskey: { params: { passkeyId: newId('passkey', 0) }, body: { name: 'mine' }, expect: forbidden },
    deletePasskey: { params: { passkeyId: newId('passkey', 0) }, expect: forbidden },
    setUpCodes: { expect: forbidden },
    activateCodes: { body: { code: '000000' }, expect: forbidden },
    removeCodes: { expect: forbidden },
    createBackupCodes: { expect: forbidden },
  };
};

const fill = (path: string, params: Record<string, string> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] as string));

/** The victim's id with its last characters changed: of the right form, and of no account. */
const nobodys = (params: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, name === 'code' ? 'unknown' : `${value.slice(0, -4)}zzzz`]),
  );

async function victimsThings(): Promise<unknown> {
  const paths = operations
    .filter((operation) => operation.method === 'GET' && operation.auth === 'account')
    .map((operation) => {
      const offerId = (operation.path.includes('/upsells/') ? ids.upsellId : ids.bumpId) as string;
      const path = fill(operation.path, { ...ids, offerId });
      return path + (attempts()[operation.id]?.query ?? daysRead[operation.id] ?? '');
    });
  return await readAll(victim, paths);
}

test('the table names every operation of the product', () => {
  expect(Object.keys(attempts()).sort()).toEqual(operations.map((operation) => operation.id).sort());
});

test('no operation lets a second account see, change or use anything of the first', async () => {
  const before = await victimsThings();
  for (const [id, attempt] of Object.entries(attempts())) {
    const operation = operations.find((candidate) => candidate.id === id);
    if (operation === undefined) throw new Error(`${id} is no operation`);
    const path = fill(operation.path, attempt.params) + (attempt.query ?? '');
    const answer = await attacker.call(operation.method, path, optionsOf(attempt));
    for (const mark of marks.filter((word) => word !== attempt.params?.code))
      expect([id, answer.text.includes(mark)]).toEqual([id, false]);
    if (attempt.expect === 'own') expect([id, answer.status]).toEqual([id, 200]);
    else if (attempt.expect === 'unknown') await expectUnknown(id, attempt, answer);
    else attempt.expect(answer);
  }
  expect(await victimsThings()).toEqual(before);
});

const optionsOf = ({ headers, body }: Attempt) => ({
  ...(headers && { headers }),
  ...(body === undefined ? {} : { body }),
});

/** The very answer that an id gets which never was, but for the id itself and the request's own. */
async function expectUnknown(id: string, attempt: Attempt, answer: Answer): Promise<void> {
  expect([id, answer.status]).toEqual([id, 404]);
  const operation = operations.find((candidate) => candidate.id === id);
  const params = nobodys(attempt.params);
  const never = await attacker.call(
    operation?.method ?? '',
    fill(operation?.path ?? '', params) + (attempt.query ?? ''),
    optionsOf(attempt),
  );
  const bare = (one: Answer, own: Record<string, string> = {}): string =>
    Object.values(own).reduce(
      (text, value) => text.replaceAll(value, '…'),
      one.text.replace(/"requestId":"[^"]*"/, ''),
    );
  expect([id, bare(answer, attempt.params)]).toEqual([id, bare(never, params)]);
}

test('a list goes on from ids of its own account alone: another account’s is as unknown as one that never was', async () => {
  const victims: Record<string, string | undefined> = {
    listProducts: ids.productId,
    listOrders: ids.orderId,
    listTestOrders: ids.orderId,
    ...{ listSubscriptions: ids.subscriptionId, listWithdrawals: ids.withdrawalId },
    listApiKeys: ids.keyId,
    listAuditEntries: ids.auditEntryId,
    listPayments: ids.paymentId,
    listPayouts: ids.payoutId,
    listWebhookDeliveries: ids.deliveryId,
  };
  const paging = operations.filter(({ query, params }) => query?.shape.before !== undefined && params === undefined);
  expect(paging.length).toBeGreaterThanOrEqual(7);
  for (const { id, path } of paging) {
    const theirs = victims[id];
    const before = [theirs, theirs && `${theirs.slice(0, -4)}zzzz`].filter((value) => value !== undefined);
    for (const value of before) {
      const answer = await attacker.call('GET', `${path}?before=${value}`);
      expect([id, answer.status, answer.json]).toMatchObject([id, 422, { errors: [{ field: 'before' }] }]);
    }
  }
});

/** Arguments with the victim's ids, for every tool that takes any. */
const toolArguments = (): Record<string, Record<string, unknown>> => {
  const { productId, subscriptionId } = ids;
  const offer = { productId, kind: 'bump', headline: 'x', priceCents: 1 };
  return {
    get_product: { productId },
    update_product: { productId, priceCents: 1 },
    get_funnel: { productId },
    create_discount: { productId, code: 'X', percentOff: 5 },
    create_offer: offer,
    update_offer: { ...offer, offerId: ids.bumpId },
    delete_offer: { productId, kind: 'bump', offerId: ids.bumpId },
    get_order: { orderId: ids.orderId },
    create_order: { productSlug: 'victim-club', email: 'a@example.com' },
    refund_order: { orderId: ids.orderId },
    release_order: { orderId: ids.heldOrderId },
    get_subscription: { subscriptionId },
    cancel_subscription: { subscriptionId },
    keep_subscription: { subscriptionId },
    pause_subscription: { subscriptionId },
    resume_subscription: { subscriptionId },
    update_payment_method: { subscriptionId, paymentMethod: 'sim_ok' },
    get_metrics: { productId },
    explain_metric: { productId, metric: 'customers' },
    pay_affiliate: { code: 'VICTIMLEAF', includePending: true },
    get_affiliate_statement: { code: 'VICTIMLEAF' },
    update_webhook_endpoint: { endpointId: ids.endpointId, active: false },
    delete_webhook_endpoint: { endpointId: ids.endpointId },
    rotate_webhook_secret: { endpointId: ids.endpointId },
    rotate_automation_secret: { automationId: ids.automationId },
    send_test_webhook: { endpointId: ids.endpointId, event: 'order.paid' },
    self_test_webhook: { endpointId: ids.endpointId },
    get_webhook_delivery: { deliveryId: ids.deliveryId },
    redeliver_webhook: { deliveryId: ids.deliveryId },
    recover_webhooks: { endpointId: ids.endpointId, since: new Date().toISOString(), which: 'all' },
    get_webhook_recovery: { recoveryId: ids.recoveryId },
    cancel_webhook_recovery: { recoveryId: ids.recoveryId },
    test_automation: { automationId: ids.automationId },
    delete_automation: { automationId: ids.automationId },
    get_daily_run: { runId: ids.runId },
    update_automation: { automationId: ids.automationId, active: true },
  };
};

/** Tools about the caller's own things: they must answer without the victim's. */
const ownTools = [
  'update_settings',
  'list_products',
  'create_product',
  'list_orders',
  'list_subscriptions',
  'list_affiliates',
  'create_affiliate',
  'get_settings',
  'get_webhook_endpoint',
  'set_webhook_endpoint',
  'list_webhook_endpoints',
  'create_webhook_endpoint',
  'list_activity',
  'list_webhook_deliveries',
  'list_events',
  'list_webhook_recoveries',
  'list_automations',
  'create_automation',
  'preview_automation',
  'run_daily_job',
  'list_daily_runs',
  'preview_daily_run',
  'advance_rehearsal',
  'list_payments',
  'list_payouts',
  'get_overview',
];

async function mcp(seller: Seller, method: string, params: unknown): Promise<Answer> {
  const headers = { accept: 'application/json, text/event-stream' };
  return await seller.call('POST', '/api/mcp', { headers, body: { jsonrpc: '2.0', id: 1, method, params } });
}

test('no MCP tool lets a second account see, change or use anything of the first', async () => {
  const before = await victimsThings();
  const listed = (await mcp(attacker, 'tools/list', {})).text;
  const names = [...new Set([...listed.matchAll(/"name":"([a-z_]+)"/g)].map(([, name]) => name as string))];
  const called = [...Object.keys(toolArguments()), ...ownTools];
  expect(names.filter((name) => !called.includes(name))).toEqual(['find', 'read', 'write']);
  expect(called.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  for (const name of called) {
    const given = toolArguments()[name as string];
    // The first call of a tool that asks shows what would happen; the second one would do it.
    for (const more of [{}, { confirm: true }]) {
      const { text } = await mcp(attacker, 'tools/call', { name, arguments: { ...given, ...more } });
      for (const mark of marks) expect([name, text.includes(mark)]).toEqual([name, false]);
      if (given !== undefined) expect([name, text.includes('"isError":true')]).toEqual([name, true]);
    }
  }
  expect(await victimsThings()).toEqual(before);
});

test('no MCP resource or prompt shows a second account anything of the first', async () => {
  const own = (await mcp(attacker, 'resources/list', {})).text.match(/checkout:\/\/\w+(?=")/g) ?? [];
  expect(own.length).toBeGreaterThan(1);
  for (const uri of own) expect((await mcp(attacker, 'resources/read', { uri })).text).toContain('"contents"');
  const { text: templates } = await mcp(attacker, 'resources/templates/list', {});
  const foreign = [`checkout://products/${ids.productId}`, `checkout://orders/${ids.orderId}`];
  expect(templates.match(/"uriTemplate"/g)).toHaveLength(foreign.length);
  for (const uri of foreign) expect((await mcp(attacker, 'resources/read', { uri })).text).toContain('"error"');
  const asked = [
    ...[...own, ...foreign].map((uri) => ['resources/read', { uri }] as const),
    ['prompts/get', { name: 'needs_attention' }] as const,
  ];
  for (const [method, params] of asked) {
    // A refusal repeats the address that was asked for.
    const text = (await mcp(attacker, method, params)).text.replaceAll(/checkout:[^"\\]*/g, '');
    for (const mark of marks) expect([method, params, text.includes(mark)]).toEqual([method, params, false]);
  }
});

/** Calls an operation by its name; what is asked about first is confirmed by a second call. */
async function byName(
  { id, method, changesNothing }: (typeof operations)[number],
  attempt: Attempt,
): Promise<Answer[]> {
  const { params, query = '', body } = attempt;
  // A refusal repeats a code as it was given, which is no mark then.
  const code = params?.code === undefined ? {} : { code: params.code.toUpperCase() };
  const given = { ...params, ...code, ...Object.fromEntries(new URLSearchParams(query)), ...(body as object) };
  const call = (name: string, more: object) =>
    mcp(attacker, 'tools/call', { name, arguments: { operation: id, arguments: given, ...more } });
  if (method === 'GET' || changesNothing) return [await call('read', {})];
  return [await call('write', {}), await call('write', { confirm: true })];
}

test('no operation that is read or written by its name lets a second account see, change or use anything', async () => {
  const before = await victimsThings();
  let reached = 0;
  for (const operation of operations.filter(({ auth }) => auth === 'account' || auth === 'daily')) {
    const attempt = attempts()[operation.id] as Attempt;
    for (const { text } of await byName(operation, attempt)) {
      for (const mark of marks) expect([operation.id, text.includes(mark)]).toEqual([operation.id, false]);
      const refused = text.includes('"isError":true');
      if (attempt.expect === 'unknown' && attempt.params !== undefined)
        expect([operation.id, refused]).toEqual([operation.id, true]);
      reached += text.includes('ask find') ? 0 : 1;
    }
  }
  expect(reached).toBeGreaterThan(100);
  expect(await victimsThings()).toEqual(before);
});

test('a session acts on its own account only', async () => {
  const login = await call(platform.baseUrl, 'POST', '/api/auth/signup', {
    body: { email: 'session@example.com', password: 'a long enough password', name: 'Session' },
  });
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const funnel = await call(platform.baseUrl, 'GET', `/api/products/${ids.productId}/funnel`, { headers: { cookie } });
  expect(funnel.status).toBe(404);
  for (const [owner, code] of [
    [`webhook-endpoints/${ids.endpointId}`, 'webhook_endpoint_not_found'],
    [`automations/${ids.automationId}`, 'automation_not_found'],
  ]) {
    const secret = await call(platform.baseUrl, 'POST', `/api/v1/${owner}/reveal-secret`, {
      headers: { cookie },
      body: { password: 'a long enough password' },
    });
    expect([secret.status, secret.json.code]).toEqual([404, code]);
  }
});
