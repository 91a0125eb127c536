/*
 * Runs scripts of package.json beside each other and prints what each said when it has ended: the checks, of which most have one thread.
 * Ends with 1 when one of them failed.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

async function run(script: string): Promise<boolean> {
  const started = performance.now();
  const command = scripts[script];
  if (command === undefined) throw new Error(`package.json has no script ${script}`);
  // Not by npm, which would start once more for each: the npm that started this has put the commands on the PATH.
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`${said}${script} ${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s\n`);
  return code === 0;
}

const passed = await Promise.all(process.argv.slice(2).map(run));
process.exitCode = passed.every(Boolean) ? 0 : 1;
