import { automationFormPage, madePage } from '../../src/dashboard/integrations/automation-edit.ts';
import { type Shape, storedAutomation, wantedIn } from '../../src/dashboard/integrations/automation-form.ts';
import { automationPage } from '../../src/dashboard/integrations/automation-page.ts';
import type { Drawn } from '../../src/dashboard/integrations/automation-preview.ts';
import { switchAutomationPage, testAutomationPage } from '../../src/dashboard/integrations/automation-switch.ts';
import { automationsPage } from '../../src/dashboard/integrations/automations-page.ts';
import type { Automation } from '../../src/dashboard/integrations/parts.ts';
import { type Html, html } from '../../src/html.ts';
import { formats, inFrame, stateOf, visitAt } from './dashboard-samples.ts';
import { deliveryOf } from './dashboard-tools-samples.ts';
import { arabicName, longName } from './samples.ts';

const path = '/app/integrations/automations';
const visit = visitAt(path);
const at = '2026-10-23T12:00:00.000Z';
const products = new Map([['prd_1', longName]]);

const receipt: Automation = {
  id: 'aut_01jd2q5v8kfw9s3x6z7yabcdef',
  name: 'Receipt to the buyer',
  built_in: 'receipt',
  active: true,
  switched_off: null,
  available: true,
  event: 'order.paid',
  product_id: null,
  action: {
    type: 'email',
    to: 'buyer',
    subject: 'Your receipt from {{businessName}}: {{product}}',
    body: 'Hello {{firstName}},\n\nthank you for your order.\n\nYour access: {{accessUrl}}',
  },
  previous_secret_expires_at: null,
  created_at: at,
  updated_at: at,
};
const changed = (changes: Partial<Automation>): Automation => Object.assign({}, receipt, changes);
const own = changed({ name: arabicName, built_in: null, product_id: 'prd_1' });
const noMail = changed({ name: longName, available: false, event: 'subscription.payment_failed' });
const url = changed({
  name: longName,
  built_in: null,
  action: { type: 'post', url: `https://example.com/${'x'.repeat(300)}` },
  active: false,
  switched_off: { reason: 'gone', at },
  previous_secret_expires_at: at,
});

const drawn: Drawn = {
  ok: true,
  email: {
    to: 'maya@example.com',
    subject: `Your receipt from ${arabicName}: Watercolour Course`,
    text: `Hello Maya,\n\nthank you for your order.\nIt is yours to keep.\n\nYour access: https://mayapaints.example/${'a'.repeat(90)}\n`,
    html: '',
  },
};
const undrawn: Drawn = { ok: false, reasons: ['Text names {{prodct}}, which this event does not have.'] };

const formOf = (shape: Shape, shown: Drawn | null, state = stateOf({})) =>
  automationFormPage(visit, { shape, state, wanted: wantedIn(state.values, shape), drawn: shown });

const refused = stateOf(
  { name: longName, event: 'affiliate.paid', to: 'buyer', subject: 'Welcome', body: 'To {{prodct}}' },
  { to: 'This event has no buyer: choose yourself.', body: 'Text names {{prodct}}, which this event does not have.' },
);

/** Pages of automations. */
export const dashboardAutomationsStates: Readonly<Record<string, () => Html>> = {
  automations: () =>
    inFrame(
      path,
      automationsPage({
        automations: [receipt, own, noMail, url],
        isVerified: true,
        emailFolder: '/srv/shop/.data/emails',
        products,
        pager: html``,
      }),
    ),
  'automations-offered': () =>
    inFrame(
      path,
      automationsPage({
        automations: [{ ...receipt, built_in: 'renewal_receipt', active: false }],
        isVerified: true,
        emailFolder: null,
        products,
        pager: html``,
      }),
    ),
  'automations-unverified': () =>
    inFrame(
      path,
      automationsPage({
        automations: [receipt, own],
        isVerified: false,
        emailFolder: '/srv/shop/.data/emails',
        products,
        pager: html``,
      }),
    ),
  automation: () =>
    inFrame(
      path,
      automationPage({
        automation: own,
        product: longName,
        deliveries: [deliveryOf()],
        drawn,
        done: 'Saved.',
        formats,
      }),
    ),
  'automation-no-mail': () =>
    inFrame(
      path,
      automationPage({ automation: noMail, product: null, deliveries: [], drawn: undrawn, done: null, formats }),
    ),
  'automation-url-off': () =>
    inFrame(path, automationPage({ automation: url, product: null, deliveries: [], drawn: null, done: null, formats })),
  'automation-new': () =>
    inFrame(path, formOf({ does: 'email', automation: null, products }, drawn, stateOf(storedAutomation(own)))),
  'automation-new-refused': () =>
    inFrame(path, formOf({ does: 'email', automation: null, products }, undrawn, refused)),
  'automation-new-url': () =>
    inFrame(
      path,
      formOf(
        { does: 'post', automation: null, products },
        null,
        stateOf(
          { name: '', url: 'atelier' },
          { name: 'Name must not be empty.', url: 'URL must be an http or https URL.' },
        ),
      ),
    ),
  'automation-change': () =>
    inFrame(
      path,
      formOf({ does: 'email', automation: receipt, products: new Map() }, drawn, stateOf(storedAutomation(receipt))),
    ),
  'automation-made': () =>
    inFrame(path, madePage({ id: url.id, secret: `whsec_${'A'.repeat(44)}`, secret_notice: undefined })),
  'automation-switch': () => inFrame(path, switchAutomationPage(visit, url, stateOf({}))),
  'automation-test': () => inFrame(path, testAutomationPage(visit, url, stateOf({}))),
};
