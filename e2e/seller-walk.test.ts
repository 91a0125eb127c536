import { orderPaid } from '@app/contracts/orders';
import { openVisit, type Visit } from '@app/testing/browser/visit';
import { expect, test } from 'vitest';
import { letterPath, letterTo } from './support/letters.ts';
import { print } from './support/print.ts';
import { sharedPlatform } from './support/shared-platform.ts';
import { handled } from './support/waits.ts';

type Page = Visit['page'];

/** What a walk costs its seller. */
interface Walked {
  clicks: number;
  fields: number;
  pages: number;
}

/** Walks by what is on the pages alone; each click, field and page is counted. */
function walkOn(page: Page) {
  const walked: Walked = { clicks: 0, fields: 0, pages: 0 };
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) walked.pages += 1;
  });
  const click = async (role: 'link' | 'button', name: string) => {
    walked.clicks += 1;
    await page.getByRole(role, { name, exact: true }).click();
  };
  return {
    walked,
    press: (name: string) => click('button', name),
    open: (name: string) => click('link', name),
    reads: (text: string | RegExp) => page.getByText(text).first().textContent(),
    fill: async (values: Readonly<Record<string, string>>) => {
      for (const [label, value] of Object.entries(values)) {
        walked.fields += 1;
        await page.getByLabel(label, { exact: true }).fill(value);
      }
    },
    choose: async (label: string, option: string) => {
      walked.fields += 1;
      await page.getByLabel(label, { exact: true }).selectOption({ label: option });
    },
  };
}

/** The steps of a seller who reads nothing but what is on the pages. */
test('from the sign-up a seller comes to a product on sale, a test purchase of all of it, a rehearsed year and a refund', async () => {
  const { baseUrl, emails } = await sharedPlatform();
  const { page } = await openVisit(baseUrl, { size: 'desktop' });
  const { walked, open, press, reads, fill, choose } = walkOn(page);
  const email = `${crypto.randomUUID()}@example.com`;

  // 1. The sign-up, and 2. the address.
  await page.goto('/');
  await open('Make an account');
  const name = 'Your name, or your business’s';
  await fill({ [name]: 'The kiln', Email: email, Password: 'a long enough password' });
  await press('Make the account');
  await page.goto(letterPath(await letterTo(email, emails, 'verification'), 'verification'));
  await press('Verify the address');
  await open('Go to your dashboard');

  // 3. A product, 4. what is added to it, 5. what is offered after it, 6. a code, 7. an email, and 8. it is on sale.
  await open('Make a product and set it live');
  await open('New product');
  await fill({ Name: 'The kiln club', Price: '12', 'Access link': 'kiln.example/club' });
  await choose('Billing', 'Every month');
  await press('Make the product');
  await open('Add a bump');
  await fill({ Headline: 'A bag of clay', Price: '5', 'Access link': 'kiln.example/clay' });
  await press('Add the bump');
  await open('Add an upsell');
  await fill({ Headline: 'A day at the wheel', Price: '29', 'Earlier price': '39' });
  await press('Add the upsell');
  await open('Add a code');
  await fill({ Code: 'spring', Discount: '50' });
  await press('Add the code');
  await open('Add an email');
  await fill({ Subject: 'Your first bowl', Text: 'Begin with a kilo.', Day: '1' });
  await press('Add the email');
  await page.locator('#emails').getByText('Added.').textContent();
  await press('Make it live');
  await reads('The product is live');

  // 9. The colour of the checkout, and 10. an affiliate.
  await open('Settings');
  await open('Checkout pages');
  await fill({ 'Accent colour': '#8a3b12' });
  await press('Save');
  await reads('Saved.');
  await open('Affiliates');
  await page.locator('main').getByRole('link', { name: 'Add an affiliate' }).first().click();
  walked.clicks += 1;
  await fill({ Code: 'ANNA', Name: 'Anna', Email: 'anna@example.com', 'Share in percent': '30' });
  await press('Add an affiliate');
  await reads('Nothing was earned yet.');

  // 11. Test mode, 12. a purchase with all of it, and 13. what its buyer has then.
  await open('Home');
  await open('Buy it yourself in test mode');
  await press('Switch test mode on');
  await open('The kiln club');
  const paid = handled('billing', orderPaid, (data) => data.customerEmail === email);
  await fill({ Email: email });
  await page.getByLabel('A bag of clay').check();
  await page.getByText('Add a code').click();
  await fill({ Code: 'SPRING' });
  await press('Apply');
  await press('Pay $11.00');
  await page.getByRole('heading', { name: 'A day at the wheel' }).textContent();
  await press('Add it for $29.00');
  await reads('You’re in.');
  await reads('$40.00');
  const links = page.getByRole('main').locator('a[href^="https://kiln.example/"]');
  expect(await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))).toEqual([
    'https://kiln.example/club',
    'https://kiln.example/clay',
  ]);
  await paid;

  // 14. A year passes, and 15. its renewals are with the subscription. The way back of a browser: what buyers see has no link to a seller's pages.
  await page.goto('/app/settings/test-mode');
  await press('Let the days pass');
  await reads(/Days that have passed: 365\. Renewals charged: 1[12], /);
  await open('Test subscriptions');
  await page.getByRole('row').filter({ hasText: email }).getByRole('link').click();
  await page.waitForURL('**/app/subscriptions/sub_*');
  expect(await page.getByText('$12.00').count()).toBeGreaterThanOrEqual(11);

  // 16. The order goes back to its buyer, and 17. the shop sells.
  await page.goto('/app/settings/test-mode');
  await open('Test orders');
  await page.getByRole('row').filter({ hasText: email }).getByRole('link').click();
  await page.waitForURL('**/app/orders/ord_*');
  await open('Refund');
  await press(`Refund $40.00 to ${email}`);
  await page.getByText('Refunded', { exact: true }).first().textContent();
  await open('Home');
  await open('Buy it yourself in test mode');
  await press('Switch test mode off');
  await reads('Test mode is off: your checkouts sell.');
  const { clicks, fields, pages } = walked;
  print(`a seller's walk from the sign-up to a rehearsed year: ${clicks} clicks, ${fields} fields, ${pages} pages`);
});
