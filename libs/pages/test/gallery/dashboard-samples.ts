import type { OrderResource } from '@app/contracts/orders';
import type { FormState } from '../../src/dashboard/frame/forms.ts';
import { framed } from '../../src/dashboard/frame/layout.ts';
import type { Account, DashboardPage, Visit } from '../../src/dashboard/frame/visit.ts';
import { formatsFor } from '../../src/formats.ts';
import type { Html } from '../../src/html.ts';
import { boughtItems } from './samples.ts';

const account: Account = {
  email: 'seller@example.com',
  name: 'Atelier Ada',
  handle: 'atelier',
  emailVerified: true,
  testMode: false,
  isCopy: false,
  emailFolder: null,
  settingsVersion: 3,
  defaultCurrency: 'usd',
  processor: 'simulated',
  takesNone: false,
};

/** A page of the dashboard as sellers see it. @param path says which section is open */
export const inFrame = (path: string, page: DashboardPage, changes: Partial<Account> = {}): Html =>
  framed({ account: Object.assign({}, account, changes), path, page });

export const order: OrderResource = {
  id: 'ord_01jd2q5v8kfw9s3x6z7yabcdef',
  product_id: 'prd_01jd2q5v8kfw9s3x6z7yabcdef',
  customer_email: 'ada@example.com',
  customer_name: 'Ada Lovelace',
  total_cents: 14_565,
  currency: 'usd',
  status: 'paid',
  refunded_cents: 0,
  dispute: null,
  utm_source: null,
  utm_medium: null,
  utm_campaign: null,
  utm_term: null,
  utm_content: null,
  created_at: '2026-10-23T12:00:00.000Z',
  items: boughtItems,
  country: 'GB',
  affiliate_code: null,
  test: false,
  immediate_access: null,
};

export const orderOf = (changes: Partial<OrderResource>): OrderResource => Object.assign({}, order, changes);

export const formats = formatsFor('en-US');

/** A request as views see it. */
export const visitAt = (path: string, query = ''): Visit =>
  ({
    path,
    formats,
    typed: null,
    request: {
      query: new URLSearchParams(query),
      form: new URLSearchParams(),
      newKey: () => 'key',
      baseUrl: 'https://shop.example',
      now: '2026-10-23T12:00:00.000Z',
    },
  }) as unknown as Visit;

/** A form as it is shown. */
export const stateOf = (
  values: Record<string, string>,
  errors: Record<string, string> = {},
  labels: Record<string, string> = {},
): FormState => ({ values: new URLSearchParams(values), errors, labels, problem: null });
