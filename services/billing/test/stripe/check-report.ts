/** What became of one test of the check. */
export interface CheckedTest {
  /** With the groups that it is in. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped, line by line. */
  readonly said: readonly string[];
}

interface About {
  readonly at: Date;
  readonly node: string;
  readonly stripe: string;
  readonly api: string;
}

const groups = [
  { state: 'failed', title: 'Did not hold' },
  { state: 'skipped', title: 'Could not be checked' },
  { state: 'passed', title: 'Held' },
] as const;

/** The check as a text that a seller may send: it has no key, no client secret and no address of a person. */
export function reportOf({ at, node, stripe, api }: About, tests: readonly CheckedTest[]): string {
  const of = (state: CheckedTest['state']) => tests.filter((each) => each.state === state);
  const parts = groups.flatMap(({ state, title }) => {
    const found = of(state);
    return found.length === 0 ? [] : [`${title}\n${found.map(linesOf).join('')}`];
  });
  const counts = `${of('passed').length} held, ${of('failed').length} did not, ${of('skipped').length} could not be checked`;
  const head = `Check of the platform at Stripe, by npm run stripe:check
${at.toISOString()}, Node ${node}, package stripe ${stripe}, API ${api}
${counts}
`;
  return [head, ...(parts.length === 0 ? ['Nothing was checked.\n'] : parts)].join('\n');
}

const linesOf = ({ name, said }: CheckedTest): string =>
  `- ${cleaned(name)}\n${said.map((line) => `    ${cleaned(line)}\n`).join('')}`;

/** What must not be sent on, and what stands in its place. */
const secrets: readonly (readonly [found: RegExp, shown: string])[] = [
  [/\b([a-z]{2})_(test|live)_\w+/g, '$1_$2_…'],
  [/\bwhsec_\w+/g, 'whsec_…'],
  [/_secret_\w+/g, '_secret_…'],
  [/\b(postgres(?:ql)?|nats):\/\/\S+/g, '$1://…'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '…@…'],
];

const cleaned = (text: string): string => secrets.reduce((rest, [found, shown]) => rest.replaceAll(found, shown), text);
