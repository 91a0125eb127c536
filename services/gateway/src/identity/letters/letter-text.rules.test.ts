import { shopOf } from '@app/email/letter';
import { expect, test } from 'vitest';
import { type LetterKind, letterPaths } from './letter-paths.ts';
import { letterText } from './letter-text.rules.ts';

const at = new Date('2026-11-20T09:30:00.000Z');
const link = 'https://funnels.example/p/ada/open/token';
const settings = {
  handle: 'ada',
  logoName: 'l.png',
  accentColor: '#8a1c4a',
  termsUrl: null,
  refundPolicyUrl: null,
  withdrawalDays: 14,
};
const shop = shopOf(settings, { name: 'Ada & Co', supportEmail: 'help@ada.example' }, 'https://funnels.example');

const withdrawal = {
  ...{ seller: 'Ada & Co', words: 'I withdraw. <b>Eve</b>\u2028', email: 'eve@example.com', orderId: null, late: true },
  ...{ at: '2026-11-24T18:21:33.518Z', answer: 'One.\n\nTwo.' },
};
const detailOf = (kind: LetterKind): string =>
  kind.startsWith('withdrawal_') ? JSON.stringify(withdrawal) : 'Firefox on Linux';

test.each(Object.keys(letterPaths) as LetterKind[])(
  '%s says the same in both parts, with its link in a button',
  (kind) => {
    const { subject, text, html } = letterText(kind, link, { shop: null, at, detail: detailOf(kind) });
    expect(html).toContain(`<a class="letter-button" href="${link}"`);
    expect(text).toContain(link);
    expect(html).toContain('Funnelry');
    expect(subject).not.toBe('');
  },
);

test('a link to a buyer’s purchases comes from their seller, with the logo and the accent', () => {
  const { subject, html } = letterText('portal_link', link, { shop, at, detail: null });
  expect(subject).toBe('Your purchases from Ada & Co');
  for (const shown of ['/images/logos/l.png', '#8a1c4a', 'mailto:help@ada.example', 'Your purchases from Ada &amp; Co'])
    expect(html).toContain(shown);
  expect(html).not.toContain('Funnelry');
});
