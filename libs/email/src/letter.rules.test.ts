import { accentColors } from '@app/contracts/accent-color';
import { expect, test } from 'vitest';
import { type Letter, letterHtml, shopFoot, shopOf } from './letter.rules.ts';

const settings = {
  handle: 'ada',
  logoName: 'logo.png',
  accentColor: '#8a1c4a',
  termsUrl: 'https://ada.example/terms',
  refundPolicyUrl: null,
  withdrawalDays: 14,
};
const shop = shopOf(settings, { name: 'Ada & Co', supportEmail: 'help@ada.example' }, 'https://funnels.example');
const letter = (change: Partial<Letter> = {}): Letter => ({
  sender: shop,
  title: 'You paid $68.00',
  parts: [{ button: { label: 'Open what you bought', url: 'https://ada.example/course?a=1&b=2' } }],
  foot: shopFoot(shop),
  ...change,
});

test('an email has the shop’s logo, its name, its accent in light and dark, and what the shop has on the web', () => {
  const html = letterHtml(letter(), 'Thank you');
  const { light, dark } = accentColors('#8a1c4a');
  expect(html).toContain('src="https://funnels.example/images/logos/logo.png"');
  expect(html).toContain(`background:${light.accent};color:${light.onAccent}`);
  expect(html).toContain(`background: ${dark.accent} !important; color: ${dark.onAccent} !important`);
  const own = 'https://funnels.example/p/ada';
  for (const href of [own, `${own}/withdraw`, 'https://ada.example/terms', 'mailto:help@ada.example'])
    expect(html).toContain(`href="${href}"`);
  expect(html).toContain('>Withdraw from contract here</a>');
  expect(html).not.toContain('Refund policy');
  expect(html).toContain('Ada &amp; Co');
});

test('a shop without a logo is its name, and one without an address of its portal links to none', () => {
  const bare = shopOf({ ...settings, handle: '', logoName: null, accentColor: null }, shop, 'https://funnels.example');
  const html = letterHtml(letter({ sender: bare, foot: shopFoot(bare) }), '');
  expect(html).not.toMatch(/<img|Manage your purchases|Withdraw/);
  const outside = shopOf({ ...settings, withdrawalDays: 0 }, shop, 'https://funnels.example');
  expect(shopFoot(outside).join()).not.toContain('Withdraw');
});

test('what is shown beside the subject has 90 characters at most, and is not seen in the email', () => {
  const [, shown] = /<div style="display:none[^"]*">([^<]*)</.exec(letterHtml(letter(), '✓'.repeat(200))) ?? [];
  expect([...(shown ?? '')]).toHaveLength(90);
});

test('a receipt has each line with its amount and its link, the total, and what is known of the payment', () => {
  const receipt = {
    lines: [
      { label: 'Course', amount: '$49.00', url: 'https://ada.example/course' },
      { label: 'Discount (SPRING)', amount: '−$5.00' },
    ],
    total: { label: 'Total', amount: '$44.00' },
    facts: [['Card', 'Card ending in 4242']] as const,
  };
  const text = letterHtml(letter({ parts: [{ receipt }] }), '');
  for (const shown of ['Course', '$49.00', 'href="https://ada.example/course"', '−$5.00', 'Total', '$44.00', '4242'])
    expect(text).toContain(shown);
  expect(text.match(/>Open</g)).toHaveLength(1);
});

test('no value adds a tag, an attribute or a direction', () => {
  const hostile = '"><img src=x onerror="a()">\r\n\u202Eback';
  const receipt = {
    lines: [{ label: hostile, amount: hostile, url: `https://x.example/${hostile}` }],
    total: { label: hostile, amount: hostile },
    facts: [[hostile, hostile]] as const,
  };
  const sender = { ...shop, name: hostile, supportEmail: hostile, logoUrl: hostile };
  const button = { label: hostile, url: `https://x.example/${hostile}` };
  const parts = [{ receipt }, { button }];
  const html = letterHtml({ sender, title: hostile, parts, foot: shopFoot(sender) }, hostile);
  expect(html).not.toMatch(/<img src=x|\u202E|"a\(\)"/);
});
