import { readFileSync } from 'node:fs';
import { openVisit } from '@app/testing/browser/visit';
import { type Responder, startReceiver } from '@app/testing/http-receiver';
import { expect, test } from 'vitest';
import { checkAgain, checkScripts } from '../src/components/checks.ts';
import { renderDocument } from '../src/document.ts';
import { pageFiles } from '../src/files.ts';
import { type Html, html } from '../src/html.ts';

/** Guarantee: a page that waits for an outcome shows it in the end, whatever answers it missed on the way, and says that it misses them. */
const scripts = checkScripts.map((name) => `/${name}`);
const document = (body: Html): string => renderDocument({ title: 'Waiting', stylesheets: [], scripts, body });
const page = (content: Html): Html => html`<div id="page"><main>${content}</main></div>`;
const shown = (content: Html) => ({
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: document(page(content)),
});
const waits = (checks: number) =>
  shown(checkAgain({ nextUrl: `/run?check=${checks + 1}`, checks }, html`<p>Running</p>`));

/** @param answers of the checks, one after another; the first answer is that of the page */
async function startRun(answers: readonly Responder[]) {
  let checks = 0;
  return await startReceiver({
    respond: (req, n) => {
      const code = scripts.find((name) => name === req.path);
      const files = code === undefined ? undefined : pageFiles[code.slice(1)];
      if (files !== undefined) {
        const headers = { 'content-type': 'text/javascript' };
        return { status: 200, headers, body: files.map((file) => readFileSync(file, 'utf8')).join('\n') };
      }
      if (req.path === '/run') return waits(0);
      if (req.path === '/log-in') return shown(html`<p>Log in</p>`);
      if (!req.path.startsWith('/run?check=')) return { status: 204 };
      return answers[checks++]?.(req, n) ?? { status: 404 };
    },
  });
}

test('checks that fail, get no answer or are too many are repeated, ever later, and the page says so', async () => {
  const refused = { status: 503, body: 'no page' };
  const { url } = await startRun([
    () => refused,
    () => ({ status: 429, headers: { 'retry-after': '30' } }),
    () => waits(1),
    () => shown(html`<p>Done</p>`),
  ]);
  const { page: browser, faults } = await openVisit(url, { statuses: [429, 503] });
  await browser.clock.install();
  await browser.goto('/run');
  const said = browser.locator('.said');
  const after = (seconds: number, text: string) =>
    Promise.all([browser.clock.runFor(seconds * 1_000), said.filter({ hasText: text }).textContent()]);
  await after(2, 'The server is busy. This page tries again in 2 seconds.');
  expect(await browser.getByText('Running').count()).toBe(1);
  await browser.route('**/run?check=1', (route) => route.abort('connectionrefused'), { times: 1 });
  await after(2, 'This page cannot reach the server. It tries again in 3 seconds.');
  await after(3, 'The server is busy. This page tries again in 30 seconds.');
  await browser.clock.runFor(30_000);
  await browser.locator('#check-1').textContent();
  expect(await said.count()).toBe(0);
  await browser.clock.runFor(3_000);
  await browser.getByText('Done').textContent();
  // Of the connection that was refused.
  expect(faults.splice(0)).not.toEqual([]);
});

test('a check that leads elsewhere takes the reader there', async () => {
  const { url } = await startRun([() => ({ status: 303, headers: { location: '/log-in' } })]);
  const { page: browser } = await openVisit(url);
  await browser.clock.install();
  await browser.goto('/run');
  await Promise.all([browser.clock.runFor(2_000), browser.waitForURL('**/log-in')]);
  expect(await browser.getByText('Log in').count()).toBe(1);
});
