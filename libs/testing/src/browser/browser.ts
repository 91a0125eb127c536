import { type Browser, chromium } from 'playwright-core';
import { findChromium } from './chromium.ts';

let started: Promise<Browser> | undefined;

/** The browser that the test files of this worker share, started by the first. It ends with the worker. */
export function sharedBrowser(): Promise<Browser> {
  started ??= startBrowser();
  return started;
}

/**
 * Without a display, and without a way to any host but this machine.
 * @param env where the program is searched for
 */
export async function startBrowser(env: NodeJS.ProcessEnv = process.env): Promise<Browser> {
  const found = await findChromium(env);
  return await chromium.launch({
    executablePath: found.executablePath,
    env: { ...(process.env as Record<string, string>), ...found.env },
    // Containers run as root, which Chromium's sandbox refuses; what the tests open is the platform's own.
    chromiumSandbox: false,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost', '--disable-gpu'],
  });
}
