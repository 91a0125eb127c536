import type { SettingsPath } from './settings-page.ts';

interface Setting {
  readonly label: string;
  readonly hint: string;
  /** `optional` may be empty, which is none. */
  readonly kind: 'text' | 'email' | 'optional' | 'number' | 'checkbox';
}

/** A whole number as it was typed; null for anything else. */
export const typedNumber = (typed: string): number | null => (/^\d{1,9}$/.test(typed) ? Number(typed) : null);

/** The settings of each page, by their names in the API. */
export const groups: Readonly<Partial<Record<SettingsPath, Readonly<Record<string, Setting>>>>> = {
  '/app/settings': {
    businessName: {
      label: 'Business name',
      hint: 'Buyers see it on your checkout and in emails.',
      kind: 'text',
    },
    supportEmail: {
      label: 'Support email',
      hint: 'It is on every receipt, and your own notices come to it. A new one confirms by an email first.',
      kind: 'email',
    },
    handle: {
      label: 'Handle',
      hint: 'It is part of the address of your checkout pages. Links with the earlier one go on working.',
      kind: 'text',
    },
  },
  '/app/settings/pages': {
    accentColor: {
      label: 'Accent colour',
      hint: 'Colour of your Pay button, like #0b5f4f. Leave empty for ours.',
      kind: 'optional',
    },
    termsUrl: { label: 'Terms', hint: 'An https address, linked beside the Pay button.', kind: 'optional' },
    refundPolicyUrl: {
      label: 'Refund policy',
      hint: 'An https address, linked beside the Pay button.',
      kind: 'optional',
    },
    withdrawalDays: {
      label: 'Days to withdraw',
      hint: 'Consumers in the EU may withdraw for 14 days at least: your pages and receipts link to the page for it, and the checkout says it below Pay. 0 takes it away: only where the law of the EU does not bind you.',
      kind: 'number',
    },
    immediateAccessConsent: {
      label: 'Ask for consent to immediate access',
      hint: 'For digital content: buyers tick on the checkout that they get access at once, and lose the right to withdraw by it.',
      kind: 'checkbox',
    },
    checkoutUrl: {
      label: 'Your own checkout page',
      hint: 'Reminders lead to it. Leave empty for the hosted page.',
      kind: 'optional',
    },
  },
  '/app/settings/selling': {
    defaultCurrency: { label: 'Currency', hint: 'Of new products, such as usd or eur.', kind: 'text' },
    statementSuffix: {
      label: 'On the card statement',
      hint: 'Stands after your business’s name at Stripe, such as KILN CLUB: ten characters at most. Leave empty for the name alone.',
      kind: 'optional',
    },
    holdDecisionMinutes: {
      label: 'Minutes to decide on an upsell',
      hint: 'The buyer has this long to answer the offer. After that the order goes through without it.',
      kind: 'number',
    },
    nudgeAfterMinutes: {
      label: 'Minutes before a reminder',
      hint: 'After so long without a payment a checkout is stalled, and its buyer gets one email.',
      kind: 'number',
    },
    commissionHoldDays: {
      label: 'Days before a commission is payable',
      hint: 'Until then a refund takes it back.',
      kind: 'number',
    },
    dailyChargeLimit: {
      label: 'Limit of the daily job',
      hint: 'Safety stop: a run charges up to this many times the usual number of renewals, and at least 100. The rest waits for the next run. 0 for no limit.',
      kind: 'number',
    },
    cancellationNotices: {
      label: 'Webhooks of subscriptions that end unpaid',
      hint: 'The event subscription.canceled is sent for those that end because every charge was declined, too.',
      kind: 'checkbox',
    },
  },
  '/app/settings/portal': {
    portalCancel: {
      label: 'Buyers may cancel',
      hint: 'Now, or at the end of the period they paid for.',
      kind: 'checkbox',
    },
    portalPause: {
      label: 'Buyers may pause and resume',
      hint: 'A paused subscription is not charged.',
      kind: 'checkbox',
    },
  },
};
