import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { composeMessage } from './compose.ts';
import type { EmailMessage, EmailTransport, Submission } from './email-transport.ts';

/** So many files stay in the folder, the newest: 60 MB of receipts. */
export const keptFilesMax = 5_000;
/** Emails from one removal of older files to the next: the folder has as many more, for each process that writes there. */
const removedEvery = 100;

/**
 * Writes each message as `<id>.eml`, readable by the user of this process alone: it holds a link that opens a checkout.
 * A file is complete as soon as it has its name. A message that is written again replaces its own file, and the oldest files make room.
 */
export function createFileTransport(directory: string, fromAddress: string): EmailTransport {
  let written = 0;
  return {
    send: async (message): Promise<Submission> => {
      const bytes = await composeMessage(message, fromAddress).catch((err: Error) => err);
      if (bytes instanceof Error) return { outcome: 'refused', detail: bytes.message };
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeWhole(join(directory, fileNameOf(message)), bytes);
        written += 1;
        // What cannot be removed now is so after the next ones, and no email is the worse for it.
        if (written % removedEvery === 1) await removeOldest(directory).catch(() => undefined);
        return { outcome: 'taken' };
      } catch (err) {
        const { code = 'unknown error', message: cause } = err as NodeJS.ErrnoException;
        return { outcome: 'unreachable', detail: `the file could not be written: ${code}`, cause };
      }
    },
  };
}

const fileNameOf = ({ id }: EmailMessage): string => `${id.replaceAll(/[^\w-]/g, '-')}.eml`;

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const temporary = `${path}.part`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (err) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw err;
  }
}

/** Emails, and what a process that was killed left of one. */
const isEmail = (name: string): boolean => /\.eml(?:\.part)?$/.test(name);

/** Other processes may write and remove there at the same time. */
async function removeOldest(directory: string): Promise<void> {
  const paths = (await readdir(directory)).filter(isEmail).map((name) => join(directory, name));
  if (paths.length <= keptFilesMax) return;
  const files = await Promise.all(
    paths.map(async (path) => ({
      path,
      atMs: await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    })),
  );
  const oldest = files.toSorted((one, other) => other.atMs - one.atMs).slice(keptFilesMax);
  for (const { path } of oldest) await rm(path, { force: true });
}
