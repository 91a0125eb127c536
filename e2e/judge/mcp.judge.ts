import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { print } from '../support/print.ts';
import { type Seller, signUp } from '../support/seller.ts';
import { sharedPlatform } from '../support/shared-platform.ts';

/** Of 200 MB with what it needs: no dependency, but fetched into npm's cache by the first judge. */
const inspector = '@modelcontextprotocol/inspector@2.12.0';

let seller: Seller;
let url: string;
beforeAll(async () => {
  const { baseUrl } = await sharedPlatform();
  url = `${baseUrl}/api/mcp`;
  seller = await signUp(baseUrl, 'Inspected Shop');
});

/** It keeps a catalog and secrets below the home folder: it gets one of its own. */
async function inspect(era: string) {
  const home = await mkdtemp(join(tmpdir(), 'inspector-'));
  const args = [
    ...['exec', '--yes', `--package=${inspector}`, '--', 'mcp-inspector', '--cli', url, '--transport', 'http'],
    ...['--header', `Authorization: Bearer ${seller.apiKey}`, '--protocol-era', era],
    ...['--method', 'tools/list', '--strict', '--format', 'json'],
  ];
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm');
  try {
    return await promisify(execFile)('npm', args, { env: { ...process.env, HOME: home, npm_config_cache: cache } });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

test.each(['legacy', 'modern', 'auto'])(
  'Inspector, strictly, has nothing to say of the tools in the era %s',
  async (era) => {
    const { stdout, stderr } = await inspect(era);
    const findings = stderr.split('\n').filter((line) => /^(?:Error|Warning|Schema|\d+ errors?)/.test(line));
    print(`inspector, ${era}: ${findings.join('; ') || 'nothing'}`);
    expect(findings).toEqual([]);
    expect(stdout).toContain('list_orders');
  },
);
