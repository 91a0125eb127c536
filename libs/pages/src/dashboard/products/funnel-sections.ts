import type { ProductResource } from '@app/contracts/products';
import { button } from '../../components/button.ts';
import { money } from '../../components/lines.ts';
import { badge } from '../../components/notice.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { type FormVisit, form } from '../frame/forms.ts';
import type { Body } from '../frame/visit.ts';

const texts = {
  bumps: 'Order bumps',
  bumpsText: 'Offers beside the Pay button, to add with one tick.',
  addBump: 'Add a bump',
  upsells: 'Upsell',
  upsellsText:
    'One offer after the payment. The card is held until the buyer has decided. Of several that are offered, the first is shown.',
  addUpsell: 'Add an upsell',
  emails: 'Emails after the purchase',
  emailsText: 'Funnelry does not send these itself: your email tool does, once it is connected by a webhook.',
  addEmail: 'Add an email',
  push: (emails: number) => (emails === 1 ? 'Send the text to my email tool' : `Send ${emails} texts to my email tool`),
  pushing: 'Sending…',
  discounts: 'Discount codes',
  discountsText: 'They take something off the product’s own price; bumps, upsells and renewals keep theirs.',
  addDiscount: 'Add a code',
  offered: 'Offered',
  off: 'Off',
  day: (day: number) => (day === 0 ? 'At once' : day === 1 ? 'After 1 day' : `After ${day} days`),
  takesOff: (what: string) => `${what} off`,
  uses: (uses: string, max: string | null) => {
    if (max !== null) return `Used ${uses} of ${max} times`;
    return uses === '0' ? 'Not used yet' : `Used ${uses} times`;
  },
  unknownUses: 'Uses are not known now',
  until: (day: string) => `Until ${day}`,
  noEnd: 'No end date',
} as const;

type FunnelBody = Body<'getFunnel'>;
export interface Funnel {
  readonly bumps: FunnelBody['bumps'];
  readonly upsells: FunnelBody['upsells'];
  readonly emails: FunnelBody['emails'];
  readonly discounts: Body<'listDiscounts'>['data'];
}

const sections = ['bumps', 'upsells', 'discounts', 'emails'] as const;
export type Section = (typeof sections)[number];
export const isSection = (name: string | null): name is Section => sections.some((section) => section === name);

/** The address of a section, whose page says there what was done. */
export const sectionAt = (productId: string, section: Section, done: string): string =>
  `/app/products/${productId}?done=${done}&at=${section}#${section}`;

interface FunnelContent {
  /** What was done before, and in which section. */
  readonly done: { readonly at: string | null; readonly notice: Html };
  readonly visit: FormVisit;
  readonly product: Pick<ProductResource, 'id' | 'currency'>;
  readonly funnel: Funnel;
  readonly formats: Formats;
}

/** Lists of what is sold and sent around a product, in the order in which buyers meet it. */
export function funnelSections(content: FunnelContent): Html {
  const { product, funnel, formats, done } = content;
  const at = `/app/products/${product.id}`;
  const offers = (list: 'bumps' | 'upsells') => offerTable(`${at}/${list}`, list, content);
  const section = (name: Section, text: string, add: Link, list: Html | null) =>
    html`<section class="stack tight" id="${name}"><h3>${texts[name]}</h3>${done.at === name && done.notice}<p class="small quiet">${text}</p>${list}<p><a href="${add.href}">${add.label}</a></p></section>`;
  return html`${section('bumps', texts.bumpsText, { href: `${at}/bumps/new`, label: texts.addBump }, offers('bumps'))}${section(
    'upsells',
    texts.upsellsText,
    { href: `${at}/upsells/new`, label: texts.addUpsell },
    offers('upsells'),
  )}${section('discounts', texts.discountsText, { href: `${at}/discounts/new`, label: texts.addDiscount }, discountTable(at, product.currency, funnel, formats))}${section(
    'emails',
    texts.emailsText,
    { href: `${at}/emails/new`, label: texts.addEmail },
    emailTable(at, content),
  )}`;
}

interface Link {
  readonly href: string;
  readonly label: string;
}

function offerTable(at: string, list: 'bumps' | 'upsells', { product, funnel, formats }: FunnelContent): Html | null {
  if (funnel[list].length === 0) return null;
  const rows = funnel[list].map(({ id, headline, price_cents, active }) => ({
    href: `${at}/${id}`,
    cells: [
      html`<bdi>${headline}</bdi>`,
      active === 1 ? badge('good', texts.offered) : badge('none', texts.off),
      money(formats.amount(price_cents, product.currency)),
    ],
  }));
  const columns = columnsOf({ title: 'Headline', status: 'Status', end: 'Price' });
  return table({ caption: texts[list], columns, rows });
}

function emailTable(at: string, { visit, funnel: { emails } }: FunnelContent): Html | null {
  if (emails.length === 0) return null;
  const rows = emails.map(({ id, subject, send_day, position }) => ({
    href: `${at}/emails/${id}`,
    cells: [html`<bdi>${subject}</bdi>`, texts.day(send_day), String(position)],
  }));
  const columns = columnsOf({ title: 'Subject', detail: 'Sent', end: 'Order' });
  const push = button({ label: texts.push(emails.length), busyLabel: texts.pushing, name: 'do', value: 'push' });
  return html`${table({ caption: texts.emails, columns, rows })}${form(visit, { action: at, content: html``, buttons: push })}`;
}

function discountTable(at: string, currency: string, { discounts }: Funnel, formats: Formats): Html | null {
  if (discounts.length === 0) return null;
  const rows = discounts.map(({ id, code, percent_off, amount_off_cents, expires_at, uses, max_uses }) => ({
    href: `${at}/discounts/${id}`,
    cells: [
      html`<bdi>${code}</bdi>`,
      uses === null
        ? texts.unknownUses
        : texts.uses(formats.count(uses), max_uses === null ? null : formats.count(max_uses)),
      expires_at === null ? texts.noEnd : texts.until(formats.date(expires_at)),
      texts.takesOff(
        percent_off === null ? formats.amount(amount_off_cents ?? 0, currency) : formats.percent(percent_off / 100),
      ),
    ],
  }));
  const columns = columnsOf({ title: 'Code', detail: 'Uses', status: 'Expires', end: 'Discount' });
  return table({ caption: texts.discounts, columns, rows });
}
