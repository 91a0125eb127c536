interface Declared {
  readonly name: string;
  /** Its first line, and the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Names of functions that a timeout calls again which they set, themselves or by others of their file: loops by hand. Where
 * a function ends, the indent of formatted code says.
 */
export function timerChains(text: string): string[] {
  const lines = text.split('\n');
  const all = lines.flatMap((line, from) => declaredAt(lines, line, from));
  const calledIn = (code: string): Declared[] =>
    all.filter(({ name }) => new RegExp(`(?<!\\w)${name}(?=[(,)])`).test(code));
  const reaches = (start: Declared, wanted: Declared, seen = new Set<Declared>()): boolean => {
    if (start === wanted) return true;
    if (seen.has(start)) return false;
    seen.add(start);
    return calledIn(start.text).some((next) => reaches(next, wanted, seen));
  };
  return lines.flatMap((line, at) => {
    if (!/(?<!\.)\bsetTimeout\(/.test(line)) return [];
    const setter = all.findLast(({ from, to }) => from <= at && at < to);
    const call = lines.slice(at, endOf(lines, at)).join('\n').split('setTimeout(')[1] ?? '';
    return setter !== undefined && calledIn(call).some((called) => reaches(called, setter)) ? [setter.name] : [];
  });
}

/** Loops with a sleep of Node between their rounds, in their own lines or in functions of the file that they call. */
export function sleepingLoops(text: string): string[] {
  const [, imported] = /import \{[^}]*\bsetTimeout(?: as (\w+))? \} from 'node:timers\/promises'/.exec(text) ?? [];
  if (imported === undefined) return [];
  const lines = text.split('\n');
  const all = lines.flatMap((line, from) => declaredAt(lines, line, from));
  const sleeps = (code: string, seen = new Set<Declared>()): boolean => {
    if (new RegExp(`(?<![\\w.])${imported}\\(`).test(code)) return true;
    const next = all.filter((one) => !seen.has(one) && new RegExp(`(?<!\\w)${one.name}\\(`).test(code));
    for (const one of next) seen.add(one);
    return next.some((one) => sleeps(one.text, seen));
  };
  return lines.flatMap((line, at) => {
    if (!/^ *(while \(|for \(;;\)|do \{)/.test(line)) return [];
    return sleeps(lines.slice(at, endOf(lines, at)).join('\n')) ? [line.trim()] : [];
  });
}

const declaration =
  /^ *(?:export |async )*(?:function (\w+)|(?:const|let) (\w+) = (?:async )?(?:\(|\w+ =>)|(?!(?:if|for|while|switch)\b)(#?\w+)\(.*(?<!=> )\{$)/;

function declaredAt(lines: readonly string[], line: string, from: number): Declared[] {
  const [, ...names] = declaration.exec(line) ?? [];
  const name = names.find((found) => found !== undefined);
  if (name === undefined) return [];
  const to = endOf(lines, from);
  return [{ name, from, to, text: lines.slice(from, to).join('\n') }];
}

/** The line after the last one of what begins in this one. */
function endOf(lines: readonly string[], from: number): number {
  const indentOf = (line: string): number => line.search(/\S/);
  const indent = indentOf(lines[from] ?? '');
  const isWithin = (line: string): boolean =>
    line === '' || indentOf(line) > indent || (indentOf(line) === indent && /^\s*[)\]}]/.test(line));
  let to = from + 1;
  while (to < lines.length && isWithin(lines[to] ?? '')) to += 1;
  return to;
}
