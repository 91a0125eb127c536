import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startBrowser } from '../src/browser/browser.ts';
import { findChromium } from '../src/browser/chromium.ts';
import { findAccessViolations, findMarkupFaults } from '../src/browser/find-violations.ts';
import { openVisit } from '../src/browser/visit.ts';
import { startReceiver } from '../src/http-receiver.ts';

/** Serves one page. */
async function startSite(body: string, { status = 200, policy = "default-src 'self'" } = {}): Promise<string> {
  const site = await startReceiver({
    respond: ({ path }) => ({
      status: path === '/' ? status : 204,
      headers: { 'content-type': 'text/html', 'content-security-policy': policy },
      body: `<!doctype html><title>Page</title>${body}`,
    }),
  });
  return site.url;
}

test('CHROMIUM_BIN comes before PATH', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'browser-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const onPath = join(folder, 'google-chrome');
  await writeFile(onPath, '', { mode: 0o755 });
  expect(await findChromium({ PATH: `/nowhere:${folder}` }, false)).toEqual({ executablePath: onPath, env: {} });
  await expect(findChromium({ PATH: '/nowhere' }, false)).rejects.toThrow('CHROMIUM_BIN');
  expect((await findChromium({ CHROMIUM_BIN: '/opt/browser', PATH: folder })).executablePath).toBe('/opt/browser');
});

// Debian's image of Node has glibc, and neither NSS nor a font.
test.runIf(process.platform === 'linux' && process.arch === 'x64')(
  'without CHROMIUM_BIN the browser is that of the package, which maps no library of the machine but glibc',
  async () => {
    const bare = { PATH: '' };
    const browser = await startBrowser(bare);
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.setContent('<h1>Pay</h1>');
    expect((await page.screenshot()).subarray(1, 4).toString()).toBe('PNG');
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const maps = await Promise.all(processInfo.map(({ id }) => readFile(`/proc/${id}/maps`, 'utf8')));
    const libraries = maps.flatMap((map) => [...map.matchAll(/ (\/.*\.so[.\d]*)$/gm)].map((match) => match[1] ?? ''));
    const own = dirname((await findChromium(bare)).executablePath);
    const foreign = new Set(libraries.filter((path) => !path.startsWith(own)).map((path) => basename(path)));
    const glibc = /^(ld-linux-x86-64|lib(c|m|dl|rt|pthread|resolv|gcc_s|nss_\w+))\.so/;
    expect([...foreign].filter((name) => !glibc.test(name))).toEqual([]);
    expect(libraries.length).toBeGreaterThan(0);
  },
);

test('a request to another host, a violated policy, an error and a console line are faults', async () => {
  const policy = "default-src 'self'; img-src *; script-src 'unsafe-inline'";
  const url = await startSite(
    '<p style="color: red"><img src="http://localhost:9/x.png"><script>console.log("spoken"); throw new Error("broken")</script>',
    { policy },
  );
  const { page, faults } = await openVisit(url);
  await page.goto('/');
  await page.evaluate('0');
  const found = faults.splice(0).join('\n');
  expect(found).toContain('a request to http://localhost:9');
  expect(found).toContain('console: spoken');
  expect(found).toContain('thrown: broken');
  expect(found).toMatch(/inline style .*violates the following Content Security Policy directive/);
});

test('the console line of a status is a fault, unless the visit expects that status', async () => {
  const url = await startSite('<h1>Gone</h1>', { status: 410 });
  const surprised = await openVisit(url);
  await surprised.page.goto('/');
  await surprised.page.evaluate('0');
  expect(surprised.faults.splice(0)).toEqual([expect.stringContaining('status of 410')]);
  const { page } = await openVisit(url, { statuses: [410] });
  await page.goto('/');
});

test('a visit has its size, its colours, and a script only if it wants one', async () => {
  const policy = "script-src 'unsafe-inline'";
  const url = await startSite('<h1>Still</h1><script>document.querySelector("h1").textContent = "Moved"</script>', {
    policy,
  });
  const dark = await openVisit(url, { size: 'desktop', scheme: 'dark' });
  await dark.page.goto('/');
  expect(await dark.page.textContent('h1')).toBe('Moved');
  expect(dark.page.viewportSize()).toEqual({ width: 1280, height: 900 });
  expect(await dark.page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(true);
  const still = await openVisit(url, { script: false });
  await still.page.goto('/');
  expect(await still.page.textContent('h1')).toBe('Still');
  expect(still.page.viewportSize()).toEqual({ width: 390, height: 844 });
});

test('on a slow network each request takes as much longer', async () => {
  const url = await startSite('<h1>Late</h1>');
  const { page } = await openVisit(url, { latencyMs: 300 });
  await page.goto('/');
  const waited = await page.evaluate(
    '(([entry]) => entry.responseEnd - entry.requestStart)(performance.getEntriesByType("navigation"))',
  );
  expect(waited).toBeGreaterThanOrEqual(290);
});

test('what axe-core and html-validate find wrong is named, in dark as well', async () => {
  const grey = '<style>p { color: #ddd } @media (prefers-color-scheme: light) { p { color: #000 } }</style>';
  const html = `<!doctype html><html lang="en"><head><title>Page</title>${grey}</head><body><main><h1>A</h1><p>Below</p><img src="a.png"></main></body></html>`;
  const site = await startReceiver({
    respond: ({ path }) => ({ status: path === '/' ? 200 : 204, headers: { 'content-type': 'text/html' }, body: html }),
  });
  const { page } = await openVisit(site.url);
  await page.goto('/');
  const violations = await findAccessViolations(page);
  expect(violations).toEqual([
    expect.stringContaining('image-alt: <img src="a.png">'),
    expect.stringContaining('in dark, color-contrast: <p>Below</p>'),
  ]);
  expect(await findMarkupFaults(html.replace('<h1>A</h1>', '<h1 id="1">A'))).not.toEqual([]);
  expect(await findMarkupFaults(html.replace('<img src="a.png">', ''))).toEqual([]);
});
