import { immediateAccessText } from '@app/contracts/withdrawals';
import { button, linkLike } from '../components/button.ts';
import { fold } from '../components/card.ts';
import { checkbox, choices } from '../components/choice.ts';
import { field, select } from '../components/field.ts';
import { money } from '../components/lines.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';
import type { CardForm } from './cards.ts';
import { suggestEmail } from './email-suggestion.ts';
import type { PageOf } from './model.ts';
import { orderTexts as texts } from './order-page.texts.ts';
import { earlierPrice, mailTo, orderLines, postForm, renewalNote, sellerLine, testBar, withdrawLink } from './parts.ts';

interface Bump {
  readonly id: string;
  readonly headline: string;
  readonly description: string | null;
  readonly priceCents: number;
  readonly compareAtCents: number | null;
  readonly imageUrl: string | null;
  readonly chosen: boolean;
}

/** What the buyer has filled in, as far as it is known. */
export interface OrderValues {
  readonly email: string;
  readonly name: string;
  readonly country: string;
  /** Typed and not applied. */
  readonly code: string;
  readonly card: string;
  /** That they lose the right to withdraw, where the seller asks for it. */
  readonly agrees?: boolean;
}

export interface OrderContent {
  readonly bumps: readonly Bump[];
  readonly values: OrderValues;
  /** By field: a sentence. */
  readonly errors: Readonly<Record<string, string>>;
  readonly notice: { readonly meaning: 'info' | 'bad'; readonly text: string } | null;
  readonly takesCodes: boolean;
  readonly appliedCode: string | null;
  /** The code that was refused last: Pay does not check it again. */
  readonly refusedCode: string;
  /** Stands for what is shown: nothing else is charged. Empty before the checkout is opened. */
  readonly quote: string;
  /** The buyer chooses whether to pay once more. */
  readonly requestsRepeat: boolean;
  /** Null where nothing is charged. */
  readonly card: CardForm | null;
  /** It is drawn for its seller: what is there for browsers without script is left out. */
  readonly isDrawn?: boolean;
  /** The card is charged later as well. */
  readonly savesCard: boolean;
  readonly countries: readonly (readonly [code: string, name: string])[];
}

type OrderPage = PageOf<OrderContent>;

/** The page of a product: what is bought on the one half, the form on the other. It works without script. */
export function orderPage(page: OrderPage): Html {
  return html`<div id="page" data-seen="${page.post.isCounted ? page.post.action : null}">${testBar(page.purchase)}<main class="halves">
<section class="bought" aria-label="${texts.caption}">${bought(page)}</section>
<section class="paying"><div class="stack wide">${orderForm(page)}<footer class="footer stack tight">${withdrawLink(page.purchase.shop)}<p>${texts.questions} ${mailTo(page.purchase.shop)}</p></footer></div></section>
</main></div>`;
}

function bought({ purchase, formats }: OrderPage): Html {
  const { shop, product, lines, totalCents, currency } = purchase;
  const total = formats.amount(totalCents, currency);
  const off = lines.filter(({ kind }) => kind === 'discount');
  return html`${sellerLine(shop)}<div class="sold">${
    product.imageUrl !== null && html`<img class="thumb" src="${product.imageUrl}" alt="" width="64" height="64">`
  }<div><h1><bdi>${product.name}</bdi></h1>
<p class="hero" id="price">${totalCents === 0 ? texts.free : money(total)}</p>${interval({ purchase, formats })}${off.map(
    ({ label, amountCents }) =>
      html`<p class="off small"><bdi>${label}</bdi> ${money(formats.amount(amountCents, currency))}</p>`,
  )}</div></div>
${fold(
  texts.details(lines.filter(({ kind }) => kind !== 'discount').length),
  html`<div class="stack">${
    product.imageUrl !== null && html`<img class="picture" src="${product.imageUrl}" alt="" width="400" height="225">`
  }${product.description !== '' && html`<p class="description"><bdi>${product.description}</bdi></p>`}${orderLines(purchase, formats)}${renewalNote(purchase, formats)}</div>`,
  { kind: 'order', id: 'order' },
)}
<p class="unseen" role="status" id="said">${texts.totalSaid(total)}</p>`;
}

/** How often the price comes back; what is added or taken off counts today alone. */
function interval({
  purchase: { product, lines, totalCents, currency },
  formats,
}: Pick<OrderPage, 'purchase' | 'formats'>): Html {
  if (product.billingInterval === null) return html``;
  const price = lines.find(({ kind }) => kind === 'main')?.amountCents ?? 0;
  const said =
    price === totalCents
      ? texts.every[product.billingInterval]
      : texts.thenEvery(formats.amount(price, currency), product.billingInterval);
  return html`<p class="quiet">${said}</p>`;
}

function orderForm({ purchase, post, formats, content }: OrderPage): Html {
  const { values, errors, card } = content;
  const { totalCents } = purchase;
  return postForm(
    post,
    html`<input type="hidden" name="quote" value="${content.quote}"><input type="hidden" name="shown" value="${totalCents}"><input
type="hidden" name="refusedCode" value="${content.refusedCode}">${enterPays}${emailField(content)}
${field({ name: 'name', label: texts.name, value: values.name, error: errors.name, autocomplete: 'name', maxLength: 200 })}
${select({
  name: 'country',
  label: texts.country,
  value: values.country,
  error: errors.country,
  autocomplete: 'country',
  options: [['', texts.noCountry], ...content.countries],
})}
${card?.fields(values.card, errors.card)}
${bumps({ purchase, formats, content })}
${codeField({ purchase, formats, content })}
<div class="stack" id="finish">${content.notice !== null && notice(content.notice.meaning, content.notice.text)}
${consentField(purchase, content)}${payButton({ purchase, formats, content })}${content.savesCard && html`<p class="terms">${purchase.product.billingInterval === null ? texts.keptForOffer : texts.keptForRenewals}</p>`}${trust({ purchase, content })}${terms(purchase)}</div>`,
    // What belongs to the card goes to its processor, and is no reason to send the form.
    { id: 'order-form', trigger: 'submit, change target::not(#card)' },
  );
}

/** The first button of a form is what Enter presses in any of its fields. */
const enterPays = html`<button type="submit" class="unseen" name="do" value="pay" tabindex="-1" aria-hidden="true"></button>`;

function bumps({ purchase, formats, content }: Omit<OrderPage, 'post'>): Html {
  if (content.bumps.length === 0) return html``;
  const all = content.bumps.map(({ id, headline, description, priceCents, compareAtCents, imageUrl, chosen }) => ({
    value: id,
    label: headline,
    hint: description ?? undefined,
    image:
      imageUrl === null
        ? undefined
        : html`<img class="thumb" src="${imageUrl}" alt="" width="56" height="56" loading="lazy">`,
    end: html`<b class="label">${earlierPrice(compareAtCents, purchase.currency, formats)}+ ${money(formats.amount(priceCents, purchase.currency))}</b>`,
    isChosen: chosen,
  }));
  return html`${choices({ legend: texts.bumps, name: 'bump', kind: 'checkbox', choices: all })}${
    !content.isDrawn && html`<noscript>${button({ label: texts.updateTotal, name: 'do', value: 'update' })}</noscript>`
  }`;
}

function emailField({ values: { email }, errors }: OrderContent): Html {
  const meant = errors.email === undefined ? suggestEmail(email) : null;
  return field({
    name: 'email',
    label: texts.email,
    type: 'email',
    value: email,
    error: errors.email,
    hint: texts.emailHint,
    autocomplete: 'email',
    maxLength: 254,
    isRequired: true,
    below:
      meant === null
        ? undefined
        : notice(
            'info',
            texts.didYouMean(meant),
            html`<p>${linkLike({ label: texts.useIt(meant), name: 'meant', value: meant })}</p>`,
          ),
  });
}

function codeField({ purchase, formats, content }: Omit<OrderPage, 'post'>): Html {
  const { takesCodes, appliedCode, errors } = content;
  const { code } = content.values;
  if (appliedCode !== null) {
    return html`<div class="applied" id="codes"><input type="hidden" name="code" value="${appliedCode}"><span>${texts.applied(appliedCode, takenOff({ purchase, formats }))}</span>${linkLike(
      { label: texts.remove, name: 'do', value: 'remove-code' },
    )}</div>`;
  }
  if (!takesCodes && code === '') return html``;
  const apply = button({ label: texts.apply, busyLabel: texts.applying, name: 'do', value: 'apply' });
  const input = {
    name: 'code',
    label: texts.code,
    value: code,
    error: errors.code,
    maxLength: 50,
    autocomplete: 'off',
    // A page that comes anew begins at its top, and the field is below a phone's screen.
    isAutofocus: errors.code !== undefined,
  };
  return fold(texts.addCode, field({ ...input, beside: apply }), { id: 'codes', isOpen: code !== '' });
}

/** As the line of the discount has it. */
function takenOff({ purchase: { lines, currency }, formats }: Pick<OrderPage, 'purchase' | 'formats'>): string {
  const cents = lines.find(({ kind }) => kind === 'discount')?.amountCents ?? 0;
  return formats.amount(cents, currency);
}

/** Before Pay: without it a seller who asks for it sells nothing here. */
function consentField({ shop }: OrderPage['purchase'], { values, errors }: OrderContent): Html {
  if (!shop.immediateAccessConsent) return html``;
  const { agrees: isChecked = false } = values;
  return checkbox({ name: 'agrees', label: immediateAccessText, isChecked, error: errors.agrees, isRequired: true });
}

function payButton({ purchase: { totalCents, currency }, formats, content }: Omit<OrderPage, 'post'>): Html {
  const total = formats.amount(totalCents, currency);
  const [first, again] = totalCents === 0 ? [texts.get, texts.getAgain] : [texts.pay(total), texts.payAgain(total)];
  return button({
    label: content.requestsRepeat ? again : first,
    busyLabel: texts.paying,
    id: 'pay',
    name: 'do',
    value: content.requestsRepeat ? 'pay-again' : 'pay',
    kind: 'accent',
    isWide: true,
    isTall: true,
  });
}

/** What buyers look for beside the button: each part only where it is true of this purchase. */
function trust({ purchase, content: { card } }: Pick<OrderPage, 'purchase' | 'content'>): Html {
  const { product, shop, totalCents } = purchase;
  const endsHere = product.billingInterval !== null && shop.portalCancel;
  // Whoever ticks that they want immediate access gives the right up, and what costs nothing gives nothing back.
  const givesBack = shop.withdrawalDays > 0 && !shop.immediateAccessConsent && totalCents > 0;
  const parts = [
    card?.trust,
    givesBack && texts.moneyBack(shop.withdrawalDays),
    endsHere && texts.cancelAnyTime,
  ].filter((part) => typeof part === 'string');
  return html`${parts.length > 0 && html`<p class="terms trust">${lock}\u2060<span>${parts.join(' · ')}</span></p>`}`;
}

const lock = html`<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path fill="currentColor" d="M4 7V5a4 4 0 0 1 8 0v2h1v8H3V7zm2 0h4V5a2 2 0 0 0-4 0z"/></svg>`;

function terms({ shop: { termsUrl, refundPolicyUrl }, totalCents }: OrderPage['purchase']): Html {
  if (termsUrl === null && refundPolicyUrl === null) return html``;
  const policies = [
    termsUrl !== null && html`<a href="${termsUrl}" rel="noreferrer">${texts.terms}</a>`,
    refundPolicyUrl !== null && html`<a href="${refundPolicyUrl}" rel="noreferrer">${texts.refundPolicy}</a>`,
  ].filter((link) => link !== false);
  const agree = totalCents === 0 ? texts.agree.ordering : texts.agree.paying;
  return html`<p class="terms">${agree} ${policies.map((policy, index) => html`${index > 0 && ` ${texts.and} `}${policy}`)}.</p>`;
}
