/** The figures on a process's page of metrics. */
export interface Page {
  /** The sum over all series of a name that have these labels; undefined when there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
  /** The values of one label. */
  labels(label: string): Set<string>;
}

interface Series {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly value: number;
}

export async function readPage(healthPort: number): Promise<Page> {
  const response = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
  if (response.status !== 200) throw new Error(`the page of metrics answered ${response.status}`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const series = lines.map(parse);
  return {
    value: (name, labels = {}) => {
      const wanted = Object.entries(labels);
      const found = series.filter(
        (it) => it.name === name && wanted.every(([label, text]) => it.labels[label] === text),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
    labels: (label) => new Set(series.flatMap(({ labels }) => labels[label] ?? [])),
  };
}

function parse(line: string): Series {
  const [, name, labels, value] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
  if (name === undefined || labels === undefined) throw new Error(`not a line of the text format: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
