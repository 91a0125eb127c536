import { dashboardPages } from '@app/pages/dashboard/dashboard-pages';
import { startReceiver } from '@app/testing/http-receiver';
import { expect, onTestFinished, test } from 'vitest';
import { pageAt } from './support/dashboard-addresses.ts';
import { furnish } from './support/furnished-shop.ts';
import { signUp } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';

/** Marks of the victim that no page may show to another account. */
const marks = ['victim-buyer@example.com', 'Victim Secret', 'victimleaf'];

test('no page of the dashboard opens anything of another account: each is that of an unknown id', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const platform = await sharedPlatform();
  const victim = await signUp(platform.baseUrl, 'Victim Secret Shop');
  const attacker = await signUp(platform.baseUrl, 'Other Shop');
  const ids = await furnish({ baseUrl: platform.baseUrl, receiverUrl: receiver.url }, victim);
  // Confirmed, so that no page stops at the question for the password.
  const cookie = attacker.session;
  const page = async (path: string, form?: Record<string, string>) => {
    const answer = await fetch(`${platform.baseUrl}${path}`, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie },
      ...(form && { body: new URLSearchParams(form) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const foreign: Record<string, string> = { ...ids, code: 'victimleaf' };
  const unknown = Object.fromEntries(Object.entries(foreign).map(([name, id]) => [name, `${id.slice(0, -4)}zzzz`]));
  const plain = (text: string) =>
    text.replaceAll(/name="key" value="[^"]*"|(ord|prd|pay|[a-z]{2,4})_[0-9a-z]{26}/g, '');
  for (const [pattern, { take }] of Object.entries(dashboardPages)) {
    const shown = await page(pageAt(pattern, foreign));
    for (const mark of marks) expect(shown.text, pattern).not.toContain(mark);
    if (!pattern.includes(':')) continue;
    const other = await page(pageAt(pattern, unknown));
    expect([shown.status, other.status], pattern).toEqual([404, 404]);
    expect(plain(shown.text), pattern).toBe(plain(other.text));
    if (take === undefined) continue;
    const taken = await page(pageAt(pattern, foreign), { key: 'one', name: 'Taken', amount: '1', do: 'refund' });
    // 303 leads back to the page, which is 404.
    expect([303, 404, 422], pattern).toContain(taken.status);
    for (const mark of marks) expect(taken.text, pattern).not.toContain(mark);
  }
});
