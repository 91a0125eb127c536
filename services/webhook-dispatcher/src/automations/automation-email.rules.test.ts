import { fieldsOf, hasBuyer, samplePayloadOf } from '@app/contracts/triggers';
import { expect, test } from 'vitest';
import { automationEmail } from './automation-email.rules.ts';
import { builtIns } from './built-in.rules.ts';
import { templateProblem } from './template.rules.ts';

const shop = {
  name: 'Maya & Co',
  supportEmail: 'help@mayapaints.example',
  logoUrl: 'https://funnels.example/images/logos/l.png',
  accentColor: '#8a1c4a',
  termsUrl: 'https://mayapaints.example/terms',
  refundPolicyUrl: null,
  purchasesUrl: 'https://funnels.example/p/maya-paints',
};
const receipt = builtIns.find(({ key }) => key === 'receipt')?.action ?? expect.fail();

test.each(builtIns)(
  'the built-in “$name” names fields that its event has, to a recipient that it has',
  ({ event, action }) => {
    for (const part of [action.subject, action.body])
      expect(templateProblem(part, fieldsOf(event, action.to))).toBeUndefined();
    expect(action.to === 'seller' || hasBuyer(event)).toBe(true);
    const email = automationEmail(action, samplePayloadOf(event), shop, false);
    expect(`${email.subject}\n${email.text}`).not.toMatch(/\{\{|undefined|null/);
  },
);

test('a receipt has the product, the amount, the access and the support address', () => {
  const { subject, text, html } = automationEmail(receipt, samplePayloadOf('order.paid'), shop, false);
  expect(subject).toBe('Your receipt from Maya & Co: Watercolour Course');
  for (const shown of ['Watercolour Course', '$68.00', 'https://mayapaints.example/course', 'help@mayapaints.example'])
    expect(text).toContain(shown);
  expect(html).toContain('href="https://mayapaints.example/course"');
  expect(html).toContain('Maya &amp; Co');
});

test('the email of a rehearsal says so in its subject', () => {
  expect(automationEmail(receipt, samplePayloadOf('order.paid'), shop, true).subject).toMatch(/^\[Test\] Your receipt/);
});

test('a name that may be a message is in no email to the address that came with it, and in the seller’s own', () => {
  const payload = { ...samplePayloadOf('order.paid'), name: 'Win at evil.example', firstName: 'Win' };
  expect(automationEmail(receipt, payload, shop, false).text).not.toMatch(/Win|evil|Hello/);
  const action = { to: 'buyer', subject: '{{name}}', body: '{{name}} {{firstName}}' } as const;
  expect(automationEmail(action, payload, shop, false)).toMatchObject({ subject: 'Maya & Co', text: '' });
  expect(automationEmail({ ...action, to: 'seller' }, payload, shop, false).subject).toBe('Win at evil.example');
});

test('values that are no text are written out, and what is no value at all is empty', () => {
  const action = { to: 'seller', subject: '{{totalCents}} {{test}} {{list}}', body: 'x' } as const;
  expect(automationEmail(action, { totalCents: 6800, test: true, list: [1] }, shop, false).subject).toBe('6800 true');
});
