import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openVisit } from './visit.ts';

/** Ignored by git. */
const folder = fileURLToPath(new URL('../../../../.shots/', import.meta.url));

export interface Pictured {
  /** Of the files. */
  readonly name: string;
  readonly path: string;
}

/**
 * Saves each page from top to bottom as `.shots/{name}-{size}-{scheme}.png`: phone and desktop, light and dark.
 * @param cookies what the browser keeps already
 */
export async function takePictures(
  baseUrl: string,
  pages: readonly Pictured[],
  cookies: readonly { readonly name: string; readonly value: string; readonly url: string }[] = [],
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const size of ['phone', 'desktop'] as const) {
    const { page, context, faults } = await openVisit(baseUrl, { size, statuses: [404] });
    await context.addCookies(cookies);
    for (const { name, path } of pages) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(path, { waitUntil: 'networkidle' });
        await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), fullPage: true });
      }
      if (faults.length > 0) throw new Error(`${path}: ${faults.join(', ')}`);
    }
  }
}
