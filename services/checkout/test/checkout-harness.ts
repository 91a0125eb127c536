import { applySettings, type Settings, unknownAccountSettings } from '@app/contracts/accounts';
import {
  type CheckoutResource,
  continueCheckout,
  decideUpsell,
  getCheckout,
  type OpenCheckoutBody,
  openCheckout,
  type PayCheckoutBody,
  payCheckout,
  type UpdateCheckoutBody,
  updateCheckout,
} from '@app/contracts/checkouts';
import type { RequestOutput } from '@app/contracts/define';
import { newIdSuffix } from '@app/contracts/ids';
import { listOrders, type OrderResource, refundOrder, releaseOrder } from '@app/contracts/orders';
import type { ProductForSale, WantedForSale } from '@app/contracts/products-for-sale';
import { createArrivals } from '@app/testing/arrivals';
import { query as queryDatabase } from '@app/testing/sql';
import { type BillingStandIn, startBillingStandIn } from './billing-stand-in.ts';
import { context, course, createHarness, type Harness } from './harness.ts';

export type Opened = RequestOutput<typeof openCheckout>;
type Paid = RequestOutput<typeof payCheckout>['outcome'];

const seller = {
  testMode: false,
  supportEmail: 'help@example.com',
  businessName: 'Ada’s Courses',
  holdDecisionMinutes: 60,
};

export const plainCourse: ProductForSale = { ...course, upsell: null };
export const withUpsell: ProductForSale = {
  ...course,
  upsell: { id: 'ups_1', headline: 'Coaching', priceCents: 4_900 },
};

/** The real service; catalog, affiliate and billing are stood in for. What a buyer does is one call each. */
export interface CheckoutHarness {
  readonly base: Harness;
  readonly billing: BillingStandIn;
  /** What catalog has for sale, by account and slug. */
  readonly shop: Map<string, ProductForSale>;
  readonly catalog: {
    /** What each request about products for sale named. */
    readonly requested: readonly (readonly WantedForSale[])[];
    /** Resolves when so many have come. */
    wasRequested(times: number): Promise<unknown>;
    forgetRequests(): void;
    /** A test makes it wait or throw. */
    beforeAnswer: (wanted: readonly WantedForSale[]) => Promise<void>;
  };
  open(body?: Partial<OpenCheckoutBody>, options?: OpenOptions): Promise<Opened>;
  get(opened: Pick<Opened, 'id' | 'secret'>): Promise<CheckoutResource>;
  /** As the gateway does when test mode is switched. */
  applySettings(change: Partial<Settings>, revision: number): Promise<void>;
  update(opened: Opened, body: UpdateCheckoutBody): Promise<CheckoutResource>;
  pay(opened: Opened, paymentMethod?: string, options?: PayOptions): Promise<Paid>;
  resume(opened: Opened): Promise<Paid>;
  decide(opened: Opened, accept: boolean): Promise<Paid>;
  refund(orderId: string, accountId?: string): Promise<RequestOutput<typeof refundOrder>>;
  release(orderId: string, accountId?: string): Promise<RequestOutput<typeof releaseOrder>>;
  list(accountId?: string): Promise<OrderResource[]>;
  query<Row extends object>(sql: string): Promise<Row[]>;
  /** Names and data of the events in the outbox, oldest first. */
  events(): Promise<{ subject: string; data: Record<string, unknown> }[]>;
  /** As at its beginning, but for the clock and the services that run. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

interface OpenOptions {
  readonly accountId?: string;
  readonly visitor?: string;
  readonly testMode?: boolean;
  readonly commandId?: string;
  readonly settingsRevision?: number;
}

interface PayOptions {
  readonly body?: Partial<PayCheckoutBody>;
  readonly commandId?: string;
  readonly ownUrls?: string[];
  /** Digests of the buyer's browser, address and card, as the gateway makes them. */
  readonly from?: string[];
}

export async function createCheckoutHarness(): Promise<CheckoutHarness> {
  const shop = new Map([['acc_1/course', plainCourse]]);
  const requested = createArrivals<readonly WantedForSale[]>();
  const usualAnswer = async () => undefined;
  const catalog: CheckoutHarness['catalog'] = {
    requested: requested.list,
    wasRequested: (times) => requested.wait(times, { what: 'questions to the catalog' }),
    forgetRequests: requested.clear,
    beforeAnswer: usualAnswer,
  };
  const base = await createHarness(async (wanted) => {
    requested.push(wanted);
    await catalog.beforeAnswer(wanted);
    return wanted.map((one) => forSale(shop, one));
  });
  const billing = await startBillingStandIn(base.nats);
  const { requester } = base;
  const ofBuyer = ({ id, secret }: Pick<Opened, 'id' | 'secret'>) => ({ checkoutId: id, secret });
  const anyone = (commandId = newIdSuffix(Date.now())) => context('', commandId);
  return {
    base,
    billing,
    shop,
    catalog,
    open: (
      body = {},
      { accountId = 'acc_1', visitor = 'visitor-1', testMode = false, settingsRevision = 1, commandId } = {},
    ) =>
      requester.request(
        openCheckout,
        {
          body: { handle: 'ada', slug: 'course', ...body },
          account: { ...seller, testMode, settingsRevision },
          visitor,
        },
        context(accountId, commandId),
      ),
    applySettings: async (change, revision) => {
      const settings = { ...unknownAccountSettings, ...change };
      await requester.request(applySettings, { settings, revision }, context('acc_1'));
    },
    get: (opened) => requester.request(getCheckout, ofBuyer(opened), anyone()),
    update: (opened, body) => requester.request(updateCheckout, { ...ofBuyer(opened), body }, anyone()),
    pay: async (opened, paymentMethod = 'ok', { commandId, ownUrls = [], from = [], body } = {}) => {
      const input = { ...ofBuyer(opened), body: { paymentMethod, ...body }, ownUrls, buyerDigests: from };
      return (await requester.request(payCheckout, input, anyone(commandId))).outcome;
    },
    resume: async (opened) => (await requester.request(continueCheckout, ofBuyer(opened), anyone())).outcome,
    decide: async (opened, accept) =>
      (await requester.request(decideUpsell, { ...ofBuyer(opened), body: { accept } }, anyone())).outcome,
    refund: (orderId, accountId = 'acc_1') => requester.request(refundOrder, { orderId }, context(accountId)),
    release: (orderId, accountId = 'acc_1') => requester.request(releaseOrder, { orderId }, context(accountId)),
    list: async (accountId = 'acc_1') => (await requester.request(listOrders, {}, context(accountId))).data,
    query: (sql) => queryDatabase(base.database.url, sql),
    events: () =>
      queryDatabase(
        base.database.url,
        `select subject, payload::json -> 'data' as data from outbox where subject not like '%visited%' order by id`,
      ),
    reset: async () => {
      await billing.reset();
      await base.reset();
      shop.clear();
      shop.set('acc_1/course', plainCourse);
      requested.clear();
      catalog.beforeAnswer = usualAnswer;
    },
    close: async () => {
      await base.close();
      await billing.stop();
    },
  };
}

/** As catalog answers: by id, or by slug without one, and no discount that was not requested. */
function forSale(
  shop: Map<string, ProductForSale>,
  { accountId, productId, slug, discountCodes, withPage }: WantedForSale,
): ProductForSale | null {
  const ofAccount = [...shop].filter(([key]) => key.startsWith(`${accountId}/`)).map(([, product]) => product);
  const named =
    productId === null ? shop.get(`${accountId}/${slug}`) : ofAccount.find((one) => one.productId === productId);
  if (named === undefined) return null;
  const { page = null, ...product } = named;
  const discounts = named.discounts.filter(({ code }) => discountCodes.includes(code));
  return { ...product, discounts, page: withPage ? page : null };
}
