import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs one of our programs to its end, or kills it with -9 when it has said so much. */
export async function runScript(
  script: string,
  args: readonly string[],
  env: Record<string, string>,
  { killAt }: { readonly killAt?: RegExp } = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, ...env } });
  let output = '';
  const read = (data: Buffer): void => {
    output += data;
    if (killAt?.test(output)) child.kill('SIGKILL');
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
