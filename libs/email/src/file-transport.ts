import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { composeMessage } from './compose.ts';
import type { EmailMessage, EmailTransport, Submission } from './email-transport.ts';

/**
 * Writes each message as `<id>.eml`, readable by the user of this process alone: it holds a link that opens a checkout.
 * A file is complete as soon as it has its name. A message that is written again replaces its own file.
 */
export function createFileTransport(directory: string, fromAddress: string): EmailTransport {
  return {
    send: async (message): Promise<Submission> => {
      const bytes = await composeMessage(message, fromAddress).catch((err: Error) => err);
      if (bytes instanceof Error) return { outcome: 'refused', detail: bytes.message };
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeWhole(join(directory, fileNameOf(message)), bytes);
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
