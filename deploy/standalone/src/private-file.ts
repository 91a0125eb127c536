import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import type { z } from 'zod';

/**
 * Reads a file of ours; undefined when there is none.
 * @param help what to do when it is not as we wrote it
 * @throws Error naming the file and what is wrong with it, never what it holds
 */
export function readPrivate<S extends z.ZodType>(file: string, schema: S, help: string): z.output<S> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read (${message}). ${help}`);
  }
  const parsed = schema.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  const fields = [...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))].filter(Boolean);
  const fault = fields.length === 0 ? 'it is not the JSON object it was' : `wrong or missing: ${fields.join(', ')}`;
  throw new Error(`${file} is damaged (${fault}). ${help}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Written beside, to the disk, and renamed: a crash leaves the old file or the new one, never half of one. */
export function writePrivate(file: string, content: object): void {
  const fresh = `${file}.new`;
  const fd = openSync(fresh, 'w', 0o600);
  try {
    writeSync(fd, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
}
