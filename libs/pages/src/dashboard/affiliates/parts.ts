import { tabs } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { nothingHere } from '../frame/answers.ts';
import type { Body, Visit } from '../frame/visit.ts';

export const affiliatesPath = '/app/affiliates';
/** Codes are the seller’s to choose, so each follows a name of its own: `new` may be a code. */
export const pathOf = (code: string): string => `${affiliatesPath}/code/${code}`;

export type Affiliate = Body<'listAffiliates'>['data'][number];
export type Statement = Body<'getAffiliateStatement'>;

/**
 * The affiliate with this code, from the pages of the list.
 * @throws RefusedError, which becomes the page for what there is not
 */
export async function findAffiliate(visit: Visit, code: string): Promise<Affiliate> {
  let before: string | undefined;
  for (;;) {
    const query = before === undefined ? { limit: 100 } : { limit: 100, before };
    const { data, has_more } = await visit.read('listAffiliates', { query });
    const found = data.find((each) => each.code === code);
    if (found !== undefined) return found;
    before = data.at(-1)?.id;
    if (has_more !== true || before === undefined) throw nothingHere(visit);
  }
}

/** What the affiliate earns of a sale, and for how long of its renewals. */
export function termsOf(affiliate: Affiliate, defaultCurrency: string, formats: Formats): string {
  const { commission_percent: percent, commission_cents: cents, renewal_months: months } = affiliate;
  const each =
    percent === null
      ? `${formats.amount(cents ?? 0, defaultCurrency)} a sale`
      : `${formats.percent(percent / 100)} of each sale`;
  if (months === 0) return `${each}, nothing of renewals`;
  return `${each}, and of renewals for ${formats.count(months)} ${months === 1 ? 'month' : 'months'}`;
}

const lists = (open: 'affiliates' | 'payouts') => [
  { label: 'Affiliates', href: affiliatesPath, isOpen: open === 'affiliates' },
  { label: 'Payouts', href: `${affiliatesPath}/payouts`, isOpen: open === 'payouts' },
];
export const affiliateTabs = (open: 'affiliates' | 'payouts'): Html => tabs('Lists', lists(open));

export const aboutAffiliate = ({ code, email }: Affiliate): Html =>
  html`<p class="quiet"><bdi>${code}</bdi> · <bdi>${email}</bdi></p>`;
