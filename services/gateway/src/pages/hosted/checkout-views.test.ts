import { beforeEach, expect, test, vi } from 'vitest';

/** As much of an element as the views use. */
class FakeElement {
  readonly attributes: Record<string, string> = {};
  readonly listeners: Record<string, (event: unknown) => void> = {};
  readonly children: (FakeElement | string)[] = [];
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
  addEventListener(event: string, listener: (event: unknown) => void): void {
    this.listeners[event] = listener;
  }
  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }
  append(...children: (FakeElement | string)[]): void {
    this.children.push(...children);
  }
}

type Views = { viewOf(checkout: object, actions: object): FakeElement[] };

const all = (nodes: readonly (FakeElement | string)[]): FakeElement[] =>
  nodes.flatMap((node) => (typeof node === 'string' ? [] : [node, ...all(node.children)]));
const textOf = (nodes: readonly (FakeElement | string)[]): string =>
  nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');

const checkout = {
  ...{ status: 'open', product: { name: 'Course', billingInterval: null }, currency: 'usd', bumps: [], test: false },
  ...{ seller: { name: 'Ada', supportEmail: 'ada@example.com' }, totalCents: 1_900, discountCode: null, upsell: null },
  ...{ lines: [{ kind: 'main', label: 'Course', amountCents: 1_900 }], reason: null, accessUrl: null },
  ...{ email: null, name: null },
};

let actions: Record<string, ReturnType<typeof vi.fn>>;
async function viewOf(change: object): Promise<FakeElement[]> {
  const name = './checkout-views.js';
  const { viewOf: view } = (await import(name)) as Views;
  return view({ ...checkout, ...change }, actions);
}

beforeEach(() => {
  vi.stubGlobal('document', {
    getElementById: () => ({ dataset: { handle: 'ada', slug: 'course', digits: '{}' } }),
    createElement: (name: string) => new FakeElement(name),
  });
  actions = { keep: vi.fn(), pay: vi.fn(), anew: vi.fn(), payOtherwise: vi.fn() };
});

test('what the buyer types is kept field by field, before anybody pays', async () => {
  const inputs = all(await viewOf({}));
  const change = (name: string, target: object) =>
    inputs.find(({ attributes }) => attributes.name === name)?.listeners.change?.({ target });
  change('email', { value: 'bob@example.com', validity: { valid: true } });
  change('email', { value: 'bob@', validity: { valid: false } });
  change('name', { value: 'Bob' });
  change('name', { value: '' });
  expect(actions.keep?.mock.calls).toEqual([[{ email: 'bob@example.com' }], [{ name: 'Bob' }], [{ name: '' }]]);
});

const monthly = { name: 'Club', billingInterval: 'month' };
const renewal = 'Renews every month for $19.00, first one month after the payment, until you cancel.';
const ending = ' To cancel, write to ada@example.com.';

test.each(['open', 'paid'])('the buyer of a subscription reads when it renews and how it ends: %s', async (status) => {
  expect(textOf(await viewOf({ status, product: monthly }))).toContain(renewal + ending);
  const lines = [{ kind: 'main', label: 'Club', amountCents: 0 }];
  const free = textOf(await viewOf({ status, product: monthly, lines, totalCents: 0 }));
  expect(free).toContain(`Renews every month, free of charge, until you cancel.${ending}`);
  expect(textOf(await viewOf({ status }))).not.toContain('Renews');
});

test('the thanks greet by name, else by email', async () => {
  const buyer = { status: 'paid', email: 'bob@example.com' };
  expect(textOf(await viewOf({ ...buyer, name: 'Bob Ray' }))).toContain('Thank you, Bob Ray. Your order is paid.');
  for (const name of [null, '']) {
    expect(textOf(await viewOf({ ...buyer, name }))).toContain('Thank you, bob@example.com. Your order is paid.');
  }
});

test('a buyer whose bank asks for a confirmation may pay with another card instead', async () => {
  const nodes = await viewOf({ status: 'requires_action', action: { url: 'https://bank.example' } });
  vi.stubGlobal('FormData', class extends Map {});
  all(nodes)
    .find(({ name }) => name === 'form')
    ?.listeners.submit?.({ preventDefault: () => undefined, target: null });
  expect(textOf(nodes)).toContain('Pay with another card instead');
  expect(actions.payOtherwise).toHaveBeenCalledWith({});
});
