import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findChromium } from '@app/testing/browser/chromium';

/** Of 176 MB with what it needs: no dependency, but fetched into npm's cache by the first judge. */
const lighthouse = 'lighthouse@13.5.0';

/** Each from 0 to 100. */
interface Scores {
  readonly accessibility: number;
  readonly 'best-practices': number;
  readonly seo: number;
  readonly performance: number;
}

interface Report {
  readonly categories: Record<
    keyof Scores,
    { readonly score: number; readonly auditRefs: readonly { readonly id: string; readonly weight: number }[] }
  >;
  readonly audits: Record<string, { readonly score: number | null }>;
}

export interface Judgement {
  readonly scores: Scores;
  /** What is not perfect, performance aside. */
  readonly faults: readonly string[];
}

/**
 * What Lighthouse says of a page, on the slow phone that it pretends to be.
 * @param cookie of the one reader whom the page is for: search engines may not list it, and need no description
 */
export async function judge(url: string, cookie?: string): Promise<Judgement> {
  const { executablePath, env } = await findChromium();
  const folder = await mkdtemp(join(tmpdir(), 'lighthouse-'));
  const report = join(folder, 'report.json');
  try {
    const args = [
      ...['exec', '--yes', `--package=${lighthouse}`, '--', 'lighthouse', url, '--quiet', '--output=json'],
      ...[`--output-path=${report}`, '--only-categories=accessibility,best-practices,seo,performance'],
      // It fetches robots.txt as the page, which the policy of a page without script forbids.
      `--skip-audits=robots-txt${cookie === undefined ? '' : ',is-crawlable,meta-description'}`,
      ...(cookie === undefined ? [] : [`--extra-headers=${JSON.stringify({ cookie })}`]),
      '--chrome-flags=--headless=new --no-sandbox',
    ];
    await promisify(execFile)('npm', args, { env: { ...process.env, ...env, CHROME_PATH: executablePath } });
    return judgementOf(JSON.parse(await readFile(report, 'utf8')) as Report);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function judgementOf({ categories, audits }: Report): Judgement {
  const scoreOf = (category: keyof Scores) => Math.round(categories[category].score * 100);
  const counted = (['accessibility', 'best-practices', 'seo'] as const).flatMap((name) => categories[name].auditRefs);
  return {
    scores: {
      accessibility: scoreOf('accessibility'),
      'best-practices': scoreOf('best-practices'),
      seo: scoreOf('seo'),
      performance: scoreOf('performance'),
    },
    faults: counted.map(({ id }) => id).filter((id) => audits[id]?.score !== null && (audits[id]?.score ?? 1) < 1),
  };
}
