import { beforeAll, expect, test } from 'vitest';
import { type OpenedPortal, openedPortal } from '../support/opened-portal.ts';
import { print } from '../support/print.ts';
import { judge } from './lighthouse.ts';
import { p95, ratio } from './times.ts';

let portal: OpenedPortal;
beforeAll(async () => {
  portal = await openedPortal();
});

const names = ['purchases', 'receipt', 'subscription', 'card', 'cancel'] as const;
const cookieOf = ({ cookie: { name, value } }: OpenedPortal): string => `${name}=${value}`;
const pageOf = (name: string) => portal.pages.find((page) => page.name === name) as OpenedPortal['pages'][number];

test.each(names)('Lighthouse finds nothing wrong with the portal’s page: %s', async (name) => {
  const { scores, faults } = await judge(portal.baseUrl + pageOf(name).path, cookieOf(portal));
  print(`portal, ${name}: ${JSON.stringify(scores)}`);
  expect(faults).toEqual([]);
  expect(scores).toMatchObject({ accessibility: 100, 'best-practices': 100, seo: 100 });
});

test.each([
  ['the form for a link', ''],
  ['the page of a link', `/open/${'a'.repeat(43)}`],
  ['the form for a withdrawal', '/withdraw'],
])('Lighthouse finds nothing wrong with what a buyer sees first: %s', async (name, path) => {
  const root = pageOf('purchases').path.replace(/^(\/p\/[^/?]+).*$/, '$1');
  const { scores, faults } = await judge(portal.baseUrl + root + path, 'none=1');
  print(`portal, ${name}: ${JSON.stringify(scores)}`);
  expect(faults).toEqual([]);
  expect(scores).toMatchObject({ accessibility: 100, 'best-practices': 100, seo: 100 });
});

test.each(names)(
  'a page of the portal takes at most three times as long as the JSON of the same data: %s',
  async (name) => {
    const { path, json } = pageOf(name);
    const [pages, answers] = [[] as number[], [] as number[]];
    for (let n = 0; n < 400; n += 1) {
      pages.push(await timeOf([path]));
      answers.push(await timeOf(json));
    }
    const [page, answer] = [p95(pages.slice(100)), p95(answers.slice(100))];
    print(
      `portal, ${name}: p95 of the page ${page.toFixed(1)} ms, of its JSON ${answer.toFixed(1)} ms: ${ratio(page, answer)}`,
    );
    expect(page / answer).toBeLessThanOrEqual(3);
  },
);

/** Of all of them, requested at once. */
async function timeOf(paths: readonly string[]): Promise<number> {
  const headers = { 'accept-encoding': 'br', cookie: cookieOf(portal), 'x-portal-session': portal.secret };
  const began = performance.now();
  const answers = await Promise.all(paths.map((path) => fetch(portal.baseUrl + path, { headers, redirect: 'manual' })));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  const took = performance.now() - began;
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return took;
}
