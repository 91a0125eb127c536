import { sayingDeclines } from '../decline-texts.ts';

/** What the page of an order says. */
export const orderTexts = {
  caption: 'Your order',
  details: (items: number) => `Order details · ${items} ${items === 1 ? 'item' : 'items'}`,
  total: 'Total',
  totalToday: 'Total today',
  free: 'Free',
  discount: (code: string) => `Discount ${code}`,
  delivered: (shop: string) => `${shop} will send you what you bought, or tell you how to get it.`,
  deliveredToo: (shop: string, count: number) =>
    count === 1
      ? `${shop} will send it to you, or tell you how to get it.`
      : `${shop} will send them to you, or tell you how to get them.`,
  ifNothing: 'If you hear nothing, write to',
  every: { month: 'every month', year: 'every year' },
  thenEvery: (price: string, interval: string) => `today, then ${price} every ${interval}`,
  renews: (price: string, interval: string) =>
    `Renews every ${interval} for ${price}, first one ${interval} after the payment, until you cancel.`,
  renewsFree: (interval: string) => `Renews every ${interval}, free of charge, until you cancel.`,
  toCancel: 'To cancel, write to',
  cancelHere: 'Cancel at any time in your purchases.',
  test: 'Test mode: this is a test purchase. Nothing is charged.',
  bumps: 'Add to your order',
  earlierPrice: 'Earlier price:',
  updateTotal: 'Update the total',
  email: 'Email',
  emailHint: 'For your order, and one reminder if you leave it unfinished.',
  didYouMean: (email: string) => `Did you mean ${email}?`,
  useIt: (email: string) => `Use ${email}`,
  name: 'Name (optional)',
  country: 'Country',
  noCountry: 'Not said',
  addCode: 'Add a code',
  code: 'Code',
  apply: 'Apply',
  applying: 'Applying…',
  applied: (code: string, takenOff: string) => `${code}: ${takenOff}`,
  remove: 'Remove',
  pay: (total: string) => `Pay ${total}`,
  payAgain: (total: string) => `Pay ${total} once more`,
  get: 'Get it',
  getAgain: 'Get it once more',
  paying: 'Paying…',
  moneyBack: (days: number) => `You may withdraw within ${days} ${days === 1 ? 'day' : 'days'}`,
  cancelAnyTime: 'Cancel at any time',
  keptForRenewals: 'Your card is saved, to charge the renewals until you cancel.',
  keptForOffer:
    'Your card is saved for this order and for one offer that follows. The offer is charged only if you accept it.',
  agree: { paying: 'By paying you agree to the', ordering: 'By ordering you agree to the' },
  terms: 'terms',
  termsTitle: 'Terms',
  and: 'and the',
  refundPolicy: 'refund policy',
  refundPolicyTitle: 'Refund policy',
  questions: 'Questions? Write to',
  withdraw: 'Withdraw from contract here',
  offline: 'There is no connection. Nothing was charged. Try again once you are online.',
  busy: 'Many requests come from your network. What you typed stays here, and is saved by itself within a minute. Nothing was charged.',
  totalSaid: (total: string) => `The total is ${total}.`,
} as const;

const timeText = (seconds: number): string =>
  seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

/** What happened to a form, said above its button. */
export const orderNotices = {
  ...sayingDeclines(({ what, next }) => `${what} Nothing was charged. ${next}`),
  already_bought:
    'You have bought this already, or are paying for it in another window. Nothing was charged now. Pay only if you want it once more.',
  price_changed: (total: string) => `The total is ${total} now. Nothing was charged. Pay if you agree.`,
  code_applied: (code: string, total: string) => `With ${code} the total is ${total} now. Pay if you agree.`,
  code_refused: 'Your code was not applied. Pay without it, or correct it.',
  test_mode_changed:
    'The shop changed between test mode and live sales. Nothing was charged. Check your order, and pay again.',
  too_many: (seconds: number) =>
    `Payments are not taken from here at the moment. Nothing was charged. Try again in ${timeText(seconds)}.`,
  unavailable: 'That did not work. Nothing was charged. Try again.',
  bump_gone: 'An offer that you chose is no longer there. Check your order, and pay if you agree.',
} as const;

/** What is wrong with a field, by the name of the field. */
export const fieldErrors: Readonly<Record<string, string>> = {
  email: 'Enter an email address, like ada@example.com.',
  name: 'Enter a name of at most 200 characters, without line breaks.',
  country: 'Choose a country of the list.',
  code: 'This code is not valid here. You can pay without it.',
  card: 'This card cannot be used. Enter another one.',
  agrees: 'Tick this to go on. Nothing was charged.',
};

/** At the code's field, after too many wrong ones. */
export const codeLater = (seconds: number): string =>
  `Too many codes were tried from here. You can pay without one, or try again in ${timeText(seconds)}.`;
