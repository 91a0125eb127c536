import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { sharedBrowser } from './browser.ts';

const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

export interface VisitOptions {
  readonly size?: keyof typeof sizes;
  readonly scheme?: 'light' | 'dark';
  /** False: the browser runs no script. */
  readonly script?: boolean;
  /** Of the buyer; formats follow it. */
  readonly locale?: string;
  /** As the IANA database names it. */
  readonly timeZone?: string;
  /** How long each request takes longer. */
  readonly latencyMs?: number;
  /** The statuses from 400 on that this visit is about: the browser writes a console line for each. */
  readonly statuses?: readonly number[];
  /** Origins beside the platform's that its pages may request something of. */
  readonly origins?: readonly string[];
}

/** A person with a browser of their own: nothing is stored in it, and nothing stays. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What no page of ours may cause. The test fails if any are left at its end. */
  readonly faults: string[];
}

/**
 * Opens a browser window for this test, which fails when one of its pages requests something of another host, violates its
 * content-security-policy, throws, or writes a console line that is not the browser's own of an expected status, or of a field that it could not focus first.
 * @param baseUrl where the platform is; paths are relative to it
 */
export async function openVisit(baseUrl: string, options: VisitOptions = {}): Promise<Visit> {
  const {
    size = 'phone',
    scheme = 'light',
    script = true,
    locale = 'en-US',
    timeZone = 'UTC',
    latencyMs = 0,
  } = options;
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: sizes[size],
    colorScheme: scheme,
    javaScriptEnabled: script,
    locale,
    timezoneId: timeZone,
    ...(size === 'phone' ? { deviceScaleFactor: 2, hasTouch: true, isMobile: true } : {}),
    reducedMotion: 'reduce',
  });
  const faults: string[] = [];
  onTestFinished(async () => {
    // What the browser reports of a page reaches us before what the page answers.
    await Promise.all(context.pages().map((page) => page.evaluate('0').catch(() => undefined)));
    await context.close();
    expect(faults, 'faults of the pages').toEqual([]);
  });
  // A slow machine takes longer than Playwright's 30 s.
  context.setDefaultTimeout(120_000);
  watch(context, [new URL(baseUrl).origin, ...(options.origins ?? [])], options.statuses ?? [], faults);
  const page = await context.newPage();
  if (latencyMs > 0) await slowDown(page, latencyMs);
  return { page, context, faults };
}

function watch(
  context: BrowserContext,
  origins: readonly string[],
  statuses: readonly number[],
  faults: string[],
): void {
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && !origins.includes(url.origin)) faults.push(`a request to ${url.origin}`);
  });
  context.on('console', (message) => {
    if (!isOfStatus(message, statuses) && !isOfFastTyping(message))
      faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => faults.push(`thrown: ${error.error().message}`));
}

function isOfStatus(message: ConsoleMessage, statuses: readonly number[]): boolean {
  const [, status] =
    /^Failed to load resource: the server responded with a status of (\d{3}) /.exec(message.text()) ?? [];
  return message.type() === 'error' && statuses.includes(Number(status));
}

/** A test may type into a field before the browser has come to focus it. */
const isOfFastTyping = (message: ConsoleMessage): boolean =>
  message.text() === 'Autofocus processing was blocked because a document already has a focused element.';

async function slowDown(page: Page, latencyMs: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
}
