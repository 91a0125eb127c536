import { openVisit, type VisitOptions } from '@app/testing/browser/visit';
import { volume } from '@app/testing/long';
import { describe, expect, test } from 'vitest';
import { scripts } from './support/scripts.ts';
import { addProduct } from './support/seller.ts';
import { handle, platform, seller, signUpSeller } from './support/set-up.ts';

/** Guarantee: a buyer with a browser buys on the hosted checkout, with script and without. */
signUpSeller();

async function visit(slug: string, options: VisitOptions & { readonly query?: string } = {}) {
  const { page } = await openVisit(platform.baseUrl, options);
  await page.goto(`/c/${handle}/${slug}${options.query ?? ''}`);
  return page;
}

const ordersOf = async (email: string) =>
  (await seller.call('GET', '/api/v1/orders')).json.data.filter(
    (order: { customer_email: string }) => order.customer_email === email,
  );

const newEmail = () => `${crypto.randomUUID()}@example.com`;

async function withCode(slug: string): Promise<string> {
  const product = await addProduct(seller, slug);
  const body = { code: 'SPRING', percentOff: 15 };
  expect((await seller.call('POST', `/api/v1/products/${product.productId}/discounts`, { body })).status).toBe(200);
  return product.slug;
}

describe.each(scripts.slice(0, volume(1, 2)))('%s', (_, script) => {
  const named = (name: string) => `${name}-${script}`;

  test('a buyer on a phone chooses a bump, pays and reads the receipt', async () => {
    const { slug } = await addProduct(seller, named('bump'));
    const email = newEmail();
    const page = await visit(slug, { script, statuses: script ? [] : [422] });
    await page.getByText('Guide').click();
    await page.getByLabel('Email').fill(email);
    if (!script) await page.getByRole('button', { name: 'Update the total' }).click();
    await page.getByRole('button', { name: 'Pay $118.00' }).click();
    await page.getByRole('heading', { name: 'You’re in.' }).textContent();
    const [order] = await ordersOf(email);
    expect(await page.locator('code').textContent()).toBe(order?.id.slice(-8));
    expect(await page.getByText(email).count()).toBe(1);
    expect(await page.getByText('Card ending in 4242').count()).toBe(1);
    expect(await page.locator('time').textContent()).toMatch(/^\d{1,2} \w{3} \d{4}$|^\w{3} \d{1,2}, \d{4}$/);
    expect(await ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: 11_800 }]);
    // The product's address says first that this browser has bought it.
    await page.goto(`/c/${handle}/${slug}`);
    await page.getByRole('heading', { name: 'You’re in.' }).textContent();
    await page.getByRole('button', { name: 'Buy again' }).click();
    await page.getByRole('button', { name: 'Pay $99.00' }).textContent();
  });

  /** A buyer has typed an email address and a code of 15 % off. */
  async function typeCode(of: string) {
    const slug = await withCode(named(of));
    const email = newEmail();
    const page = await visit(slug, { script, statuses: [422] });
    await page.getByLabel('Email').fill(email);
    await page.getByText('Add a code').click();
    await page.getByLabel('Code', { exact: true }).fill('SPRING');
    return { page, email };
  }

  test('Enter in the field of a code never pays the full price', async () => {
    const { page, email } = await typeCode('enter');
    await page.getByLabel('Code', { exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Pay $84.15' }).click();
    await page.getByRole('heading', { name: 'You’re in.' }).textContent();
    expect(await ordersOf(email)).toMatchObject([{ total_cents: 8_415 }]);
  });

  test('a code that was typed and not applied is applied before Pay charges', async () => {
    const { page, email } = await typeCode('typed');
    await page.getByRole('button', { name: 'Pay $99.00' }).click();
    await page.getByRole('button', { name: 'Pay $84.15' }).textContent();
    expect(await ordersOf(email)).toEqual([]);
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
  });

  test('a code that is refused wipes no field, and Pay goes on without it', async () => {
    const slug = await withCode(named('refused'));
    const email = newEmail();
    const page = await visit(slug, { script, statuses: [422] });
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByText('Add a code').click();
    await page.getByLabel('Code', { exact: true }).fill('NO-SUCH-CODE');
    await page.getByRole('button', { name: 'Pay $99.00' }).click();
    await page.getByText('This code is not valid here').textContent();
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
    expect(await page.getByLabel('Code', { exact: true }).inputValue()).toBe('NO-SUCH-CODE');
    await page.getByRole('button', { name: 'Pay $99.00' }).click();
    await page.getByRole('heading', { name: 'You’re in.' }).textContent();
    expect(await ordersOf(email)).toMatchObject([{ total_cents: 9_900, customer_name: 'Ada Lovelace' }]);
  });

  test('a wrong address is said at its field, and what else was typed stays', async () => {
    const { slug } = await addProduct(seller, named('wrong'));
    const page = await visit(slug, { script, statuses: [422] });
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Email').fill('ada');
    await page.getByRole('button', { name: 'Pay $99.00' }).click();
    const email = page.getByLabel('Email');
    await page.getByText('Enter an email address, like ada@example.com.').textContent();
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    expect(await email.inputValue()).toBe('ada');
    if (script) expect(await page.evaluate('document.activeElement.name')).toBe('email');
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
  });

  test('a declined card costs nothing and says so, and another card pays', async () => {
    const { slug } = await addProduct(seller, named('declined'));
    const email = newEmail();
    const page = await visit(slug, { script });
    await page.getByLabel('Email').fill(email);
    expect(await page.locator('main').textContent()).not.toContain('sim_');
    await page.getByLabel('Test card').selectOption('Card that is declined');
    await page.getByRole('button', { name: 'Pay $99.00' }).click();
    await page.getByText('Your card was declined. Nothing was charged. Try another card.').textContent();
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    expect(await ordersOf(email)).toEqual([]);
    await page.getByLabel('Test card').selectOption('Card that succeeds');
    await page.getByRole('button', { name: 'Pay $99.00' }).click();
    await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  });

  test('a card that was declined is said no longer once a later change has succeeded', async () => {
    const slug = await withCode(named('after-decline'));
    const page = await visit(slug, { script, query: '?discount=SPRING' });
    await page.getByLabel('Email').fill(newEmail());
    await page.getByLabel('Test card').selectOption('Card that is declined');
    await page.getByRole('button', { name: 'Pay $84.15' }).click();
    await page.getByText('Your card was declined.').textContent();
    await page.reload();
    await page.getByText('Your card was declined.').textContent();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Pay $99.00' }).textContent();
    expect(await page.getByText('Your card was declined.').count()).toBe(0);
    await page.goto(`/c/${handle}/${slug}`);
    await page.getByRole('button', { name: 'Pay $99.00' }).textContent();
    expect(await page.getByText('Your card was declined.').count()).toBe(0);
  });

  test.each([
    ['long', 'x'.repeat(60)],
    ['control', 'SPR%00ING%0A!'],
  ] as const)('an address with a code that none can have (%s) leads to the order', async (name, code) => {
    const slug = await withCode(named(`code-${name}`));
    const page = await visit(slug, { script, statuses: [422], query: `?discount=${code}` });
    await page.getByText('This code is not valid here. You can pay without it.').textContent();
    await page.getByRole('button', { name: 'Pay $99.00' }).textContent();
  });

  test('a bank that asks leads there by a link, and back to the receipt', async () => {
    const { slug } = await addProduct(seller, named('bank'));
    const email = newEmail();
    const page = await visit(slug, { script });
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Test card').selectOption('Card that asks the bank');
    await page.getByRole('button', { name: 'Pay $99.00' }).click();
    const link = page.getByRole('link', { name: 'Confirm at your bank' });
    // The simulated bank sends the buyer back at once.
    expect(await link.getAttribute('href')).toContain(`/c/${handle}/${slug}?back=1&simulated_confirmation=`);
    await page.reload();
    expect(await ordersOf(email)).toEqual([]);
    await link.click();
    await page.getByRole('heading', { name: 'You’re in.' }).textContent();
    expect(await ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: 9_900 }]);
  });

  test('a buyer who confirmed at the bank in another window says so; another card may pay instead', async () => {
    for (const [index, button] of ['I have confirmed', 'Pay $99.00 with this card'].entries()) {
      const { slug } = await addProduct(seller, named(`bank-${index}`));
      const email = newEmail();
      const page = await visit(slug, { script });
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Test card').selectOption('Card that asks the bank');
      await page.getByRole('button', { name: 'Pay $99.00' }).click();
      await page.getByText('Pay with another card').click();
      await page.getByLabel('Test card').selectOption('Card that succeeds');
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('heading', { name: 'You’re in.' }).textContent();
      const card = index === 0 ? '3220' : '4242';
      expect(await page.getByText(`Card ending in ${card}`).count()).toBe(1);
      expect(await ordersOf(email)).toMatchObject([{ total_cents: 9_900 }]);
    }
  });

  test.each([
    ['Add it for $29.00', 12_800],
    ['No, thank you', 9_900],
  ] as const)('an upsell is decided by two buttons: %s', async (button, totalCents) => {
    const { slug, productId } = await addProduct(seller, named(`upsell-${totalCents}`));
    const body = { headline: 'The workbook', priceCents: 2_900 };
    await seller.call('POST', `/api/v1/products/${productId}/upsells`, { body });
    const email = newEmail();
    const page = await visit(slug, { script });
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Pay $99.00' }).click();
    await page.getByRole('heading', { name: 'The workbook' }).textContent();
    await page.getByText('Your card is reserved for $99.00 until you decide.').textContent();
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('heading', { name: 'You’re in.' }).textContent();
    expect(await ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: totalCents }]);
  });

  test('a product that costs nothing needs no card, and one without codes for no code', async () => {
    const { slug, productId } = await addProduct(seller, named('free'));
    await seller.call('PATCH', `/api/v1/products/${productId}`, { body: { priceCents: 0 } });
    const email = newEmail();
    const page = await visit(slug, { script });
    expect(await page.getByLabel('Test card').count()).toBe(0);
    expect(await page.getByText('Add a code').count()).toBe(0);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Get it' }).click();
    await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  });

  test('what was bought already is a question with one button', async () => {
    const { slug } = await addProduct(seller, named('twice'));
    const email = newEmail();
    const page = await visit(slug, { script, statuses: [422] });
    const pay = async (name: string) => await page.getByRole('button', { name }).click();
    await page.getByLabel('Email').fill(email);
    await pay('Pay $99.00');
    await pay('Buy again');
    await page.getByLabel('Email').fill(email);
    await pay('Pay $99.00');
    await page.getByText('You have bought this already').textContent();
    await pay('Pay $99.00 once more');
    await page.getByRole('heading', { name: 'You’re in.' }).textContent();
    expect(await ordersOf(email)).toHaveLength(2);
  });
});

test('the time left to decide on an upsell counts down', async () => {
  const { slug, productId } = await addProduct(seller, 'counting');
  const body = { headline: 'The workbook', priceCents: 2_900 };
  await seller.call('POST', `/api/v1/products/${productId}/upsells`, { body });
  const page = await visit(slug);
  await page.clock.install();
  await page.getByLabel('Email').fill(newEmail());
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByText('You have 60 min to decide.').textContent();
  // The next page has the browser's clock of the test from its beginning.
  await page.reload();
  await page.getByText('You have 60 min to decide.').textContent();
  await page.clock.fastForward('20:00');
  await page.getByText('You have 40 min to decide.').textContent();
});

test('at a slow connection two bumps that are chosen at once are both in the order', async () => {
  const { slug, productId } = await addProduct(seller, 'slow');
  const body = { headline: 'Workbook', priceCents: 500 };
  await seller.call('POST', `/api/v1/products/${productId}/bumps`, { body });
  const email = newEmail();
  const page = await visit(slug, { latencyMs: 400 });
  await page.getByLabel('Email').fill(email);
  await page.getByText('Guide').click();
  await page.getByText('Workbook').click();
  await page.getByRole('button', { name: 'Pay $123.00' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(await ordersOf(email)).toMatchObject([{ total_cents: 12_300 }]);
});

test('what is typed while an answer is on its way stays, with the focus', async () => {
  const { slug } = await addProduct(seller, 'typing');
  const page = await visit(slug, { latencyMs: 400 });
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByText('Guide').click();
  await page.getByLabel('Name').pressSequentially('Ada Lovelace', { delay: 40 });
  await page.getByRole('button', { name: 'Pay $118.00' }).textContent();
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
  expect(await page.evaluate('document.activeElement.name')).toBe('name');
  expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com');
});

test('a card and a country that were chosen before the email was left are paid with, at 300 ms', async () => {
  const { slug } = await addProduct(seller, 'chosen-before');
  const page = await visit(slug, { latencyMs: 300 });
  await page.getByLabel('Test card').selectOption('sim_declined');
  await page.getByLabel('Country').selectOption('AT');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Name').focus();
  await page.locator('#email[value="ada@example.com"]').inputValue();
  expect(await page.getByLabel('Test card').inputValue()).toBe('sim_declined');
  expect(await page.getByLabel('Country').inputValue()).toBe('AT');
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByText('Your card was declined. Nothing was charged.').textContent();
});

test('a card and a country that are chosen while an answer is on its way stay chosen', async () => {
  const { slug } = await addProduct(seller, 'choosing');
  const page = await visit(slug, { latencyMs: 400 });
  const saved = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Name').focus();
  await page.getByLabel('Test card').selectOption('sim_declined');
  await page.getByLabel('Country').selectOption('AT');
  await saved;
  await page.locator('#email[value="ada@example.com"]').inputValue();
  expect(await page.getByLabel('Test card').inputValue()).toBe('sim_declined');
  expect(await page.getByLabel('Country').inputValue()).toBe('AT');
});

test('a well-known domain with a letter wrong is questioned, and one click corrects it', async () => {
  const { slug } = await addProduct(seller, 'meant');
  const page = await visit(slug);
  await page.getByLabel('Email').fill('ada@gmial.com');
  await page.getByText('Guide').click();
  await page.getByRole('button', { name: 'Use ada@gmail.com' }).click();
  await page.locator('#email[value="ada@gmail.com"]').inputValue();
  expect(await page.getByText('Did you mean').count()).toBe(0);
  expect(await page.getByLabel('Email').inputValue()).toBe('ada@gmail.com');
});

test('a checkout is found again in its browser, also when the seller has changed the slug', async () => {
  const { slug, productId } = await addProduct(seller, 'renamed');
  const email = newEmail();
  const page = await visit(slug);
  await page.getByLabel('Email').fill(email);
  await page.getByText('Guide').click();
  await page.getByRole('button', { name: 'Pay $118.00' }).textContent();
  await seller.call('PATCH', `/api/v1/products/${productId}`, { body: { slug: 'renamed-since' } });
  for (const address of ['renamed', 'renamed-since']) {
    await page.goto(`/c/${handle}/${address}`);
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    await page.getByRole('button', { name: 'Pay $118.00' }).textContent();
  }
});

test('a buyer in German formats, with a code and an address from the link, sees what it costs at once', async () => {
  const slug = await withCode('german');
  const page = await visit(slug, { locale: 'de-DE', query: '?discount=SPRING&email=ada%40example.com' });
  expect((await page.getByRole('button', { name: 'Pay' }).textContent())?.replaceAll(/\s/g, ' ')).toContain('84,15 $');
  expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com');
  const country = page.getByLabel('Country');
  expect(await country.inputValue()).toBe('');
  expect(await country.locator('option').nth(1).getAttribute('value')).toBe('DE');
});

test.each(scripts)('%s: what is wrong with a code is on the screen of a phone', async (_, script) => {
  const slug = await withCode(`below-${script}`);
  const page = await visit(slug, { script, statuses: [422] });
  await page.getByText('Add a code').click();
  await page.getByLabel('Code', { exact: true }).fill('NO-SUCH-CODE');
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  const box = await page.getByText('This code is not valid here').boundingBox();
  expect([(box?.y ?? -1) >= 0, (box?.y ?? 0) + (box?.height ?? 0) <= 844]).toEqual([true, true]);
});
