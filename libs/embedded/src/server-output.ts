import type { ChildProcess } from 'node:child_process';

/** Enough for the reason of a failed start. */
const linesKept = 200;

export interface ServerOutput {
  /** The last lines. */
  lines(): string[];
}

/**
 * Reads what a server writes to standard error: the last lines for an error message, all of it for `sink`, which decides
 * how much of the disk it may take. Only whole lines are handed on.
 */
export function followOutput(
  child: ChildProcess,
  sink: ((text: string) => void) | undefined,
  onLine: (line: string) => void = () => {},
): ServerOutput {
  const kept: string[] = [];
  let rest = '';
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length === 0) return;
    kept.push(...lines);
    kept.splice(0, kept.length - linesKept);
    for (const line of lines) onLine(line);
    sink?.(`${lines.join('\n')}\n`);
  });
  return { lines: () => (rest === '' ? kept : [...kept, rest]) };
}
