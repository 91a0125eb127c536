import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { print } from '../support/print.ts';
import { addProduct, call, type Seller, signUp } from '../support/seller.ts';
import { sharedPlatform } from '../support/shared-platform.ts';

/** Of 200 MB with what it needs: no dependency, but fetched into npm's cache by the first judge. */
const inspector = '@modelcontextprotocol/inspector@2.12.0';
const remote = 'mcp-remote@0.15.1';

let seller: Seller;
let baseUrl: string;
let url: string;
beforeAll(async () => {
  ({ baseUrl } = await sharedPlatform());
  url = `${baseUrl}/api/mcp`;
  seller = await signUp(baseUrl, 'Inspected Shop');
});

/** They keep catalogs, sessions and secrets below the home folder: they get one of their own. */
async function ownHome() {
  const home = await mkdtemp(join(tmpdir(), 'mcp-judge-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm');
  return { ...process.env, HOME: home, npm_config_cache: cache } as Record<string, string>;
}

async function inspect(era: string) {
  const args = [
    ...['exec', '--yes', `--package=${inspector}`, '--', 'mcp-inspector', '--cli', url, '--transport', 'http'],
    ...['--header', `Authorization: Bearer ${seller.apiKey}`, '--protocol-era', era],
    ...['--method', 'tools/list', '--strict', '--format', 'json'],
  ];
  return await promisify(execFile)('npm', args, { env: await ownHome() });
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

test('mcp-remote, by the line of the page, brings a client that starts a program to the account', async () => {
  const { text } = await call(baseUrl, 'GET', '/developers/mcp.md');
  const line = /^npx -y mcp-remote .*$/m.exec(text)?.[0] ?? '';
  // A version that is known, so that a run says something of us.
  const pinned = line.replace('npx -y mcp-remote ', `npm exec --yes --package=${remote} -- mcp-remote `);
  expect(pinned).not.toBe(line);
  const { slug } = await addProduct(seller);
  const client = new Client({ name: 'judge', version: '1' });
  const env = { ...(await ownHome()), KEY: seller.apiKey };
  await client.connect(new StdioClientTransport({ command: 'sh', args: ['-c', pinned], env, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  print(`mcp-remote: ${tools.length} tools`);
  expect(tools.map(({ name }) => name)).toContain('list_orders');
  expect((await client.callTool({ name: 'list_products', arguments: {} })).structuredContent).toMatchObject({
    data: [{ slug }],
  });
  expect((await client.listPrompts()).prompts).not.toEqual([]);
});
