import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isLong } from '@app/testing/long';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { beforeAll, expect, test } from 'vitest';

/**
 * Guarantee: the two linters of OpenAPI documents that people use find nothing in the published one, by their recommended rules. Their
 * engines run in this process, because their commands bring a server and a client of other formats along.
 */
const path = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));
const published = readFileSync(path, 'utf8');

/** The document with faults that each of them has a rule for. */
function faulty(): string {
  const document = JSON.parse(published);
  delete document.info.contact;
  document.paths['/api/v1/orders'].get.operationId = 'list orders';
  document.paths['/api/v1/orders'].get.responses[200].content['application/json'].examples.one.value.data = 'none';
  return JSON.stringify(document);
}

const spectral = new Spectral();
beforeAll(() =>
  spectral.setRuleset({
    extends: oas as RulesetDefinition,
    rules: {
      // Operations name the scopes that a key needs, as OpenAPI 3.1 has it for every scheme; the rule knows scopes of OAuth alone.
      'oas3-operation-security-defined': 'off',
      // Six seconds of eight. openapi.test.ts and Redocly hold every example against its schema; Spectral does so with `npm run test:long`.
      ...(isLong ? {} : { 'oas3-valid-media-example': 'off' as const }),
    },
  }),
);

async function spectralFindings(source: string): Promise<string[]> {
  const findings = await spectral.run(JSON.parse(source));
  return findings.map(({ code, path: at }) => `${code} ${at.join('.')}`);
}

async function redoclyFindings(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      // `/api/checkout/sellers/{handle}` beside `/api/checkout/{checkoutId}/pay`: ids of checkouts begin `cko_`, so no address is both.
      'no-ambiguous-paths': 'off',
    },
  });
  const findings = await lintFromString({ source, absoluteRef: path, config });
  return findings.map(({ ruleId, message }) => `${ruleId} ${message}`);
}

test('Spectral finds nothing in the published document, and finds what is wrong with another', async () => {
  expect(await spectralFindings(published)).toEqual([]);
  const found = (await spectralFindings(faulty())).map((finding) => finding.split(' ')[0]);
  expect(found).toEqual(expect.arrayContaining(['info-contact', 'operation-operationId-valid-in-url']));
});

test('Redocly finds nothing in it, and finds what is wrong with another', async () => {
  expect(await redoclyFindings(published)).toEqual([]);
  const found = (await redoclyFindings(faulty())).map((finding) => finding.split(' ')[0]);
  expect(found).toEqual(expect.arrayContaining(['operation-operationId-url-safe', 'no-invalid-media-type-examples']));
});
