import { fileURLToPath } from 'node:url';

/** What `node --cpu-prof` writes; times are microseconds of the monotonic clock, as `process.hrtime` counts it. */
export interface CpuProfile {
  readonly startTime: number;
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

export interface SelfTime {
  readonly name: string;
  readonly file: string;
  readonly milliseconds: number;
  /** Of all time in the window that was not idle. */
  readonly percent: number;
}

export interface ProfileSummary {
  readonly busyMilliseconds: number;
  readonly idlePercent: number;
  readonly functions: SelfTime[];
  /** The same by package or folder. */
  readonly packages: SelfTime[];
}

/** Self time between two moments of `process.hrtime`, in microseconds. */
export function summarizeProfile(profile: CpuProfile, fromUs: number, toUs: number, root: URL): ProfileSummary {
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const functions = new Map<string, number>();
  const packages = new Map<string, number>();
  let [atUs, idleUs, busyUs] = [profile.startTime, 0, 0];
  profile.samples.forEach((id, index) => {
    // A sample stands for the time until the next one.
    atUs += profile.timeDeltas[index] ?? 0;
    const lengthUs = profile.timeDeltas[index + 1] ?? 0;
    const frame = frames.get(id);
    if (frame === undefined || atUs < fromUs || atUs > toUs) return;
    if (frame.functionName === '(idle)') {
      idleUs += lengthUs;
      return;
    }
    busyUs += lengthUs;
    const file = shortName(frame.url, root);
    // Functions without a name are distinguished by their line; lines count from 0 here.
    const name = frame.functionName || `(anonymous, line ${frame.lineNumber + 1})`;
    add(functions, `${name}\t${file}`, lengthUs);
    add(packages, `${packageOf(file, frame.functionName)}\t`, lengthUs);
  });
  return {
    busyMilliseconds: busyUs / 1000,
    idlePercent: (idleUs / Math.max(1, idleUs + busyUs)) * 100,
    functions: longestFirst(functions, busyUs),
    packages: longestFirst(packages, busyUs),
  };
}

function shortName(url: string, root: URL): string {
  if (!url.startsWith('file:')) return url;
  const path = fileURLToPath(url);
  const rootPath = fileURLToPath(root);
  return path.startsWith(rootPath) ? path.slice(rootPath.length) : path;
}

function packageOf(file: string, functionName: string): string {
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  if (dependency) return dependency;
  if (file.startsWith('node:')) return 'node';
  if (file === '') return functionName.startsWith('(') ? functionName : 'V8 built-ins';
  return file.split('/').slice(0, 2).join('/');
}

function add(totals: Map<string, number>, key: string, lengthUs: number): void {
  totals.set(key, (totals.get(key) ?? 0) + lengthUs);
}

function longestFirst(totals: Map<string, number>, busyUs: number): SelfTime[] {
  return [...totals]
    .toSorted(([, left], [, right]) => right - left)
    .map(([key, lengthUs]) => {
      const [name = '', file = ''] = key.split('\t');
      return { name, file, milliseconds: lengthUs / 1000, percent: (lengthUs / Math.max(1, busyUs)) * 100 };
    });
}
