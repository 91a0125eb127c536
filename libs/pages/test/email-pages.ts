import { type Letter, letterHtml, shopFoot, shopOf } from '@app/email/letter';
import type { GalleryPage } from './gallery/gallery.ts';
import { arabicName, longName } from './gallery/samples.ts';

const settings = {
  handle: 'atelier',
  logoName: null,
  accentColor: null,
  termsUrl: 'https://atelier.example/terms',
  refundPolicyUrl: 'https://atelier.example/refunds',
  withdrawalDays: 14,
};
const named = { name: 'Ada’s Atelier', supportEmail: 'help@atelier.example' };
const shop = shopOf(settings, named, 'https://funnels.example');
/** The logo is the gallery's own. */
const withLogo = { ...shopOf({ ...settings, accentColor: '#8a1c4a' }, named, ''), logoUrl: '/logo.svg' };

const access = { button: { label: 'Open what you bought', url: 'https://atelier.example/watercolour' } };
const receipt = {
  lines: [
    { label: 'Watercolour in 30 days', amount: '$149.00' },
    { label: 'The workbook, printed', amount: '$19.00', url: 'https://atelier.example/workbook' },
    { label: 'Discount (SPRING)', amount: '−$22.35' },
  ],
  total: { label: 'Total', amount: '$145.65' },
  facts: [
    ['Date', '23 Nov 2026'],
    ['Paid with', 'Card ending in 4242'],
    ['Order', '7yabcdef'],
  ] as const,
};
const bought: Letter = {
  sender: withLogo,
  title: 'Your receipt from Ada’s Atelier: Watercolour in 30 days',
  parts: [{ html: 'Hello Ada,' }, { html: 'thank you for your order at Ada’s Atelier.' }, access, { receipt }],
  foot: shopFoot(withLogo),
};

const letters: Readonly<Record<string, Letter>> = {
  'email-receipt': bought,
  'email-receipt-long': {
    ...bought,
    sender: { ...shop, name: longName },
    title: longName,
    parts: [
      access,
      { receipt: { ...receipt, lines: [{ label: longName, amount: 'CHF 1,234,567.89', url: 'https://x.example' }] } },
    ],
    foot: shopFoot({ ...shop, name: longName, supportEmail: `${'a'.repeat(64)}@atelier.example` }),
  },
  'email-receipt-right-to-left': {
    ...bought,
    sender: { ...shop, name: arabicName },
    title: arabicName,
    parts: [{ receipt: { ...receipt, lines: [{ label: arabicName, amount: 'KWD 12.500' }] } }],
  },
  'email-renewal-receipt': {
    sender: shop,
    title: 'Receipt: $29.00 for The open studio',
    parts: [
      { html: 'Hello,' },
      { html: 'Your subscription of The open studio at Ada’s Atelier was renewed.' },
      {
        receipt: {
          lines: [{ label: 'The open studio', amount: '$29.00' }],
          total: { label: 'Total', amount: '$29.00' },
          facts: [
            ['Date', '23 Nov 2026'],
            ['Paid with', 'Apple Pay ···· 4242'],
            ['Order', '7yabcdef'],
            ['Paid for', '23 Nov 2026 to 23 Dec 2026'],
          ],
        },
      },
    ],
    foot: shopFoot(shop),
  },
  'email-sale': {
    sender: shop,
    title: 'Sold: Watercolour in 30 days for $145.65',
    parts: [
      { html: 'grace@example.com bought Watercolour in 30 days for $145.65.' },
      // The links are the buyer's.
      { receipt: { ...receipt, lines: receipt.lines.map(({ label, amount }) => ({ label, amount })), facts: [] } },
      { html: 'Name: Grace Hopper<br>Country: Sweden<br>Order: 7yabcdef' },
      { button: { label: 'See the order', url: 'https://funnels.example/app/orders/ord_01kahv7w3xe5m8q2r67yabcdef' } },
    ],
    foot: ['Ada’s Atelier'],
  },
  'email-reminder': {
    sender: shop,
    title: 'Watercolour in 30 days is still in your checkout: $149.00',
    parts: [
      { html: 'Hello Ada,' },
      { html: 'you began to buy Watercolour in 30 days ($149.00) at Ada’s Atelier and did not finish.' },
      { button: { label: 'Go on with the checkout', url: `https://funnels.example/c/restore/${'t'.repeat(60)}` } },
    ],
    foot: ['You get this one reminder. <a href="https://funnels.example/o">No more reminders</a>', ...shopFoot(shop)],
  },
  'email-letter': {
    sender: { name: 'Funnelry', logoUrl: null, accentColor: null },
    title: 'Verify your email address',
    parts: [
      { html: 'An account was made with this address. If it is yours, verify the address on this page:' },
      { button: { label: 'Verify the address', url: 'https://funnels.example/letters/verification/token' } },
      { html: 'The link works once, for 48 hours.' },
    ],
    foot: ['Funnelry'],
  },
  'email-no-button': {
    sender: shop,
    title: 'Your order at Ada’s Atelier was refunded',
    parts: [{ html: 'Refunded: $145.65<br>Order: 7yabcdef<br><a href="https://atelier.example">atelier.example</a>' }],
    foot: shopFoot(shop),
  },
};

/** Emails in the look that all of them have. */
export const emailPages: readonly GalleryPage[] = Object.entries(letters).map(([name, letter]) => ({
  name,
  render: () => letterHtml(letter, 'Thank you for your order'),
}));
