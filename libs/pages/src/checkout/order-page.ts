import { button, linkLike } from '../components/button.ts';
import { fold } from '../components/card.ts';
import { choices } from '../components/choice.ts';
import { field, select } from '../components/field.ts';
import { money } from '../components/lines.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';
import type { CardForm } from './cards.ts';
import { suggestEmail } from './email-suggestion.ts';
import type { PageOf } from './model.ts';
import { orderTexts as texts } from './order-page.texts.ts';
import { mailTo, orderLines, postForm, renewalNote, sellerLine, testBar } from './parts.ts';

interface Bump {
  readonly id: string;
  readonly headline: string;
  readonly description: string | null;
  readonly priceCents: number;
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
  /** The card is charged later as well. */
  readonly savesCard: boolean;
  readonly countries: readonly (readonly [code: string, name: string])[];
}

type OrderPage = PageOf<OrderContent>;

/** The page of a product: what is bought on the one half, the form on the other. It works without script. */
export function orderPage(page: OrderPage): Html {
  return html`<div id="page" data-seen="${page.post.isCounted ? page.post.action : null}">${testBar(page.purchase)}<main class="halves">
<section class="bought" aria-label="${texts.caption}">${bought(page)}</section>
<section class="paying"><div class="stack wide">${orderForm(page)}<footer class="footer"><p>${texts.questions} ${mailTo(page.purchase.shop)}</p></footer></div></section>
</main></div>`;
}

function bought({ purchase, formats }: OrderPage): Html {
  const { shop, product, lines, totalCents, currency } = purchase;
  const total = formats.amount(totalCents, currency);
  return html`${sellerLine(shop)}<h1><bdi>${product.name}</bdi></h1>
<p class="hero" id="price">${totalCents === 0 ? texts.free : money(total)}</p>${interval({ purchase, formats })}
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
type="hidden" name="refusedCode" value="${content.refusedCode}">${enterPays}${bumps({ purchase, formats, content })}
${emailField(content)}
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
${codeField(content)}
<div class="stack" id="finish">${content.notice !== null && notice(content.notice.meaning, content.notice.text)}
${payButton({ purchase, formats, content })}${content.savesCard && html`<p class="terms">${purchase.product.billingInterval === null ? texts.keptForOffer : texts.keptForRenewals}</p>`}${terms(purchase)}</div>`,
    // What belongs to the card goes to its processor, and is no reason to send the form.
    { id: 'order-form', trigger: 'submit, change target::not(#card)' },
  );
}

/** The first button of a form is what Enter presses in any of its fields. */
const enterPays = html`<button type="submit" class="unseen" name="do" value="pay" tabindex="-1" aria-hidden="true"></button>`;

function bumps({ purchase, formats, content }: Omit<OrderPage, 'post'>): Html {
  if (content.bumps.length === 0) return html``;
  const all = content.bumps.map(({ id, headline, description, priceCents, chosen }) => ({
    value: id,
    label: headline,
    hint: description ?? undefined,
    end: html`<b class="label">+ ${money(formats.amount(priceCents, purchase.currency))}</b>`,
    isChosen: chosen,
  }));
  return html`${choices({ legend: texts.bumps, name: 'bump', kind: 'checkbox', choices: all })}<noscript>${button({
    label: texts.updateTotal,
    name: 'do',
    value: 'update',
  })}</noscript>`;
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

function codeField({ takesCodes, appliedCode, values: { code }, errors }: OrderContent): Html {
  if (appliedCode !== null) {
    return html`<div class="applied" id="codes"><input type="hidden" name="code" value="${appliedCode}"><span>${texts.applied(appliedCode)}</span>${linkLike(
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
  };
  return fold(texts.addCode, field({ ...input, beside: apply }), { id: 'codes', isOpen: code !== '' });
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

function terms({ shop: { termsUrl, refundPolicyUrl }, totalCents }: OrderPage['purchase']): Html {
  if (termsUrl === null && refundPolicyUrl === null) return html``;
  const policies = [
    termsUrl !== null && html`<a href="${termsUrl}" rel="noreferrer">${texts.terms}</a>`,
    refundPolicyUrl !== null && html`<a href="${refundPolicyUrl}" rel="noreferrer">${texts.refundPolicy}</a>`,
  ].filter((link) => link !== false);
  const agree = totalCents === 0 ? texts.agree.ordering : texts.agree.paying;
  return html`<p class="terms">${agree} ${policies.map((policy, index) => html`${index > 0 && ` ${texts.and} `}${policy}`)}.</p>`;
}
