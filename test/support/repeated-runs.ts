/** A run of so many equal lines, white space and thin lines aside, stands twice. */
const runLength = 6;

/**
 * Locations whose run of lines stands somewhere else too, each with where it stood first; runs that overlap are one. Imports,
 * comments, migrations and lone punctuation do not count.
 * @param files texts by their paths
 */
export function repeatedRuns(files: ReadonlyMap<string, string>): string[] {
  const seen = new Map<string, string>();
  const found: string[] = [];
  for (const [path, text] of files) {
    if (path.includes('/migrations/')) continue;
    const code = text
      .replaceAll(/^import [^;]*;$/gm, '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /\w{2}/.test(line) && !/^(\/?\*|\/\/)/.test(line));
    for (let at = 0; at + runLength <= code.length; at += 1) {
      const run = code.slice(at, at + runLength).join('\n');
      const first = seen.get(run);
      if (first === undefined) seen.set(run, path);
      else {
        found.push(`${path} repeats ${first}: ${code[at]}`);
        at += runLength - 1;
      }
    }
  }
  return found;
}
