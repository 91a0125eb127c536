import { testDelivery } from './deliveries.ts';
import { secret } from './endpoints.ts';
import { productId } from './products.ts';

const welcome = {
  type: 'email',
  to: 'buyer',
  subject: 'Welcome to {{product}}',
  body: 'Hello {{firstName}},\n\nhere is your access: {{accessUrl}}',
};

const automation = {
  id: 'aut_01kahv7w3xe5m8q2r6t9y0b4cd',
  name: 'Welcome',
  built_in: null,
  active: true,
  switched_off: null,
  available: true,
  event: 'order.paid',
  product_id: productId,
  action: welcome,
  previous_secret_expires_at: null,
  created_at: '2026-11-20T09:30:12.345Z',
  updated_at: '2026-11-20T09:30:12.345Z',
};

const post = {
  ...automation,
  id: 'aut_01kb1x3z5b7d9f1h3j5k7m9p1r',
  name: 'Course access',
  action: { type: 'post', url: 'https://mayapaints.example/access' },
};

/** Of automations, by operation. */
export const automationExamples = {
  createAutomation: {
    body: {
      name: 'Welcome',
      event: 'order.paid',
      productId,
      action: welcome,
    },
    response: automation,
  },
  listAutomations: { response: { data: [automation, post] } },
  getAutomation: { response: automation },
  updateAutomation: {
    body: { active: false },
    response: {
      ...automation,
      active: false,
      switched_off: { reason: 'seller', at: '2026-11-28T16:20:00.000Z' },
      updated_at: '2026-11-28T16:20:00.000Z',
    },
  },
  testAutomation: { response: { ...testDelivery, endpoint_id: automation.id, url: null } },
  rotateAutomationSecret: {
    body: { overlapHours: 24 },
    response: { ...post, previous_secret_expires_at: '2026-11-29T09:00:00.000Z', secret },
  },
  revealAutomationSecret: { body: { password: 'the password' }, response: { secret, previous_secret: null } },
  previewAutomation: {
    body: { event: 'order.paid', action: welcome },
    response: {
      to: 'maya@example.com',
      subject: 'Welcome to Watercolour Course',
      text: 'Hello Maya,\n\nhere is your access: https://mayapaints.example/course\n',
      html: '<!doctype html>…',
    },
  },
};
