/** What the page shows for each state of a checkout. Texts of sellers and buyers only ever become text nodes. */

import { amount } from './checkout-api.js';

/** An element; `on…` attributes are listeners, `true` sets an attribute without a value. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined)
      made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const head = ({ product, seller, test }) =>
  [
    test && element('p', { class: 'test' }, 'Rehearsal: nothing is charged.'),
    element('p', { class: 'seller' }, seller.name),
    element('h1', {}, product.name),
  ].filter(Boolean);

function orderLines({ lines, totalCents, currency, product }) {
  const row = (label, cents, className) =>
    element(
      'tr',
      className ? { class: className } : {},
      element('th', { scope: 'row' }, label),
      element('td', {}, amount(cents, currency)),
    );
  const total = product.billingInterval === null ? 'Total' : 'Total today';
  return element(
    'table',
    { class: 'lines' },
    element('caption', {}, 'Your order'),
    element(
      'tbody',
      {},
      lines.map(({ kind, label, amountCents }) => row(kind === 'discount' ? `Discount ${label}` : label, amountCents)),
    ),
    element('tfoot', {}, row(total, totalCents, 'total')),
  );
}

const field = (label, input, hint) =>
  element('label', { class: 'field' }, element('span', {}, label), input, hint && element('small', {}, hint));

const supportLink = ({ supportEmail }) => element('a', { href: `mailto:${supportEmail}` }, supportEmail);

const questions = ({ seller }) => element('p', { class: 'quiet' }, 'Questions? ', supportLink(seller));

/** Said before the buyer pays, and once it is paid: what comes when, until when, and how it ends. */
function renewalNote({ lines, currency, product, seller }) {
  const { billingInterval: interval } = product;
  if (interval === null) return null;
  const price = lines.find(({ kind }) => kind === 'main')?.amountCents ?? 0;
  const renews =
    price === 0
      ? `Renews every ${interval}, free of charge, until you cancel.`
      : `Renews every ${interval} for ${amount(price, currency)}, first one ${interval} after the payment, until you cancel.`;
  return element('p', { class: 'quiet renewal' }, renews, ' To cancel, write to ', supportLink(seller), '.');
}

/** There is no other processor yet, so the cards are those of the simulated one. */
const testCards = [
  ['sim_ok', 'Card that works'],
  ['sim_requires_action', 'Card whose bank asks for a confirmation'],
  ['sim_declined', 'Card that is declined'],
  ['sim_insufficient_funds', 'Card without enough money'],
  ['sim_slow', 'Card that takes a while'],
  ['sim_timeout_after', 'Card whose answer gets lost'],
];

function cardField() {
  const cards = testCards.map(([token, label]) => element('option', { value: token }, `${label} (${token})`));
  return field('Card', element('select', { name: 'card' }, cards), 'Test cards: no money moves.');
}

const reasons = {
  card_declined: 'Your card was declined. Nothing was charged. Try another card.',
  try_again_later: 'The payment did not come about. Nothing was charged. Try again.',
};

function bumps({ bumps: offered, currency }, actions) {
  if (offered.length === 0) return null;
  return element(
    'fieldset',
    {},
    element('legend', {}, 'Add to your order'),
    offered.map(({ id, headline, priceCents, chosen }) =>
      element(
        'label',
        { class: 'bump' },
        element('input', {
          type: 'checkbox',
          name: 'bump',
          value: id,
          checked: chosen,
          onchange: () => actions.choose(),
        }),
        element('span', {}, headline),
        element('b', {}, `+ ${amount(priceCents, currency)}`),
      ),
    ),
  );
}

function discount({ discountCode }, actions) {
  const input = element('input', {
    name: 'discountCode',
    maxlength: 50,
    autocomplete: 'off',
    value: discountCode ?? '',
  });
  const apply = element('button', { type: 'button', onclick: () => actions.applyCode(input.value.trim()) }, 'Apply');
  return element(
    'details',
    { open: discountCode !== null },
    element('summary', {}, 'Discount code'),
    element('div', { class: 'row' }, field('Code', input), apply),
  );
}

function openView(checkout, actions) {
  const { email, name, totalCents, currency, reason } = checkout;
  const emailInput = element('input', {
    ...{ type: 'email', name: 'email', required: true, maxlength: 254, autocomplete: 'email', value: email ?? '' },
    onchange: (event) => event.target.validity.valid && actions.keep({ email: event.target.value }),
  });
  const nameInput = element('input', {
    ...{ name: 'name', maxlength: 200, autocomplete: 'name', value: name ?? '' },
    onchange: (event) => actions.keep({ name: event.target.value }),
  });
  const onsubmit = (event) => {
    event.preventDefault();
    actions.pay(Object.fromEntries(new FormData(event.target)));
  };
  return [
    ...head(checkout),
    reason && element('p', { class: 'fault', role: 'alert' }, reasons[reason] ?? reasons.try_again_later),
    element(
      'form',
      { onsubmit },
      bumps(checkout, actions),
      orderLines(checkout),
      renewalNote(checkout),
      discount(checkout, actions),
      field('Email', emailInput, 'For your order, and should you leave it unfinished.'),
      field('Name', nameInput),
      cardField(),
      element(
        'button',
        { type: 'submit', class: 'primary' },
        totalCents === 0 ? 'Get it' : `Pay ${amount(totalCents, currency)}`,
      ),
    ),
    questions(checkout),
  ];
}

function processingView(checkout) {
  return [
    ...head(checkout),
    element('p', { class: 'wait', role: 'status' }, 'Your payment is being checked. Please keep this page open…'),
    orderLines(checkout),
  ];
}

function actionView(checkout, actions) {
  const onsubmit = (event) => {
    event.preventDefault();
    actions.payOtherwise(Object.fromEntries(new FormData(event.target)));
  };
  return [
    ...head(checkout),
    element('p', { role: 'status' }, 'Your bank asks you to confirm this payment.'),
    element('a', { class: 'primary', href: checkout.action.url }, 'Confirm at the bank'),
    element('button', { type: 'button', onclick: () => actions.proceed() }, 'I have confirmed'),
    element('form', { onsubmit }, cardField(), element('button', { type: 'submit' }, 'Pay with another card instead')),
    orderLines(checkout),
  ];
}

function upsellView(checkout, actions) {
  const { upsell, currency } = checkout;
  return [
    ...head(checkout),
    element('p', { role: 'status' }, 'Your order is in. One offer before it is finished:'),
    element(
      'section',
      { class: 'offer' },
      element('h2', {}, upsell.headline),
      element('p', { class: 'price' }, amount(upsell.amountCents, currency)),
      element(
        'button',
        { type: 'button', class: 'primary', onclick: () => actions.decide(true) },
        `Yes, add it for ${amount(upsell.amountCents, currency)}`,
      ),
      element('button', { type: 'button', onclick: () => actions.decide(false) }, 'No, thank you'),
    ),
    orderLines(checkout),
  ];
}

function paidView(checkout, actions) {
  const { accessUrl, email, name, upsell } = checkout;
  const greeted = name || email;
  const web = accessUrl !== null && /^https?:\/\//i.test(accessUrl);
  return [
    ...head(checkout),
    element('p', { class: 'done', role: 'status' }, `Thank you${greeted ? `, ${greeted}` : ''}. Your order is paid.`),
    upsell?.status === 'card_declined' &&
      element(
        'p',
        { class: 'fault' },
        'The card was declined for the added offer: it is not in your order and was not charged.',
      ),
    web && element('a', { class: 'primary', href: accessUrl, rel: 'noreferrer' }, 'Open what you bought'),
    orderLines(checkout),
    renewalNote(checkout),
    questions(checkout),
    element('button', { type: 'button', onclick: () => actions.anew() }, 'Buy once more'),
  ];
}

const endedView = (text) => (checkout, actions) => [
  ...head(checkout),
  element('p', { role: 'status' }, text),
  element('button', { type: 'button', class: 'primary', onclick: () => actions.anew() }, 'Begin anew'),
];

const views = {
  open: openView,
  processing: processingView,
  requires_action: actionView,
  authorized: upsellView,
  paid: paidView,
  refunded: endedView('This order was refunded.'),
  expired: endedView('This checkout has ended. Nothing was charged.'),
};

/** The nodes of the page for a checkout. */
export const viewOf = (checkout, actions) => views[checkout.status](checkout, actions).filter(Boolean);
