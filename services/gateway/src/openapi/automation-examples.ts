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
  product_id: 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg',
  action: welcome,
  created_at: '2026-11-20T09:30:12.345Z',
  updated_at: '2026-11-20T09:30:12.345Z',
};

/** Examples of automations, by operation. */
export const automationExamples = {
  createAutomation: {
    body: {
      name: 'Welcome',
      event: 'order.paid',
      productId: 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg',
      action: welcome,
    },
    response: automation,
  },
  getAutomation: { response: automation },
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
