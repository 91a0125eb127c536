import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type ConfigData, HtmlValidate, type ResolvedConfig, StaticConfigLoader } from 'html-validate';
import type { Page } from 'playwright-core';

/** As much of an axe-core result as a person needs to mend it. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

let axe: Promise<string> | undefined;

/**
 * What axe-core finds wrong for people with disabilities, in light and in dark, one line for each element: all its rules, best
 * practices too. In dark it checks those of colour again.
 */
export async function findAccessViolations(page: Page): Promise<string[]> {
  axe ??= readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  // The debugger's scripts are under no content-security-policy. To read this one takes longer than to run it.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(await axe);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await run(page, {});
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await run(page, { runOnly: ['color-contrast', 'link-in-text-block'] });
  return [...light, ...dark.map((line) => `in dark, ${line}`)];
}

async function run(page: Page, options: object): Promise<string[]> {
  // The rule that wants style sheets loaded beforehand is experimental, and off. For a frame that runs no script, as the editor's
  // preview of a checkout, axe would wait a second in vain.
  const requested = JSON.stringify({ ...options, resultTypes: ['violations'], preload: false, iframes: false });
  // What passed stays in the page: to send and read it costs a fifth of the run.
  const script = `axe.run(document, ${requested}).then((result) => result.violations)`;
  const violations = (await page.evaluate(script)) as readonly Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary.replaceAll(/\s+/g, ' ')}`),
  );
}

/** Has one configuration for all documents. To make it anew for each takes longer than to validate most. */
class OneConfigLoader extends StaticConfigLoader {
  readonly #resolved: ResolvedConfig | Promise<ResolvedConfig>;

  constructor(config: ConfigData) {
    super(config);
    this.#resolved = super.getConfigFor('');
  }

  override getConfigFor(): ResolvedConfig | Promise<ResolvedConfig> {
    return this.#resolved;
  }
}

const config: ConfigData = {
  extends: ['html-validate:recommended'],
  rules: {
    // Questions of form: templates break lines where their parts begin, and the doctype is in small letters.
    'no-trailing-whitespace': 'off',
    'doctype-style': ['error', { style: 'lowercase' }],
    // Several may be ticked: a form sends each of them under their one name.
    'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'button', 'reset', 'submit'] }],
  },
};
const validator = new HtmlValidate(new OneConfigLoader(config));

/** What html-validate finds wrong in a document. */
export async function findMarkupFaults(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`),
  );
}
