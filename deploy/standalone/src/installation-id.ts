import { hash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Of systemd, and of D-Bus where that is missing. Containers have none, and only the directory counts. */
const machineFiles = ['/etc/machine-id', '/var/lib/dbus/machine-id'];

/** In a DATA_DIR that was made of a backup: what tells it from the one that was backed up, also in the same place. */
export const restoredFile = 'restored';

interface Place {
  /** It exists. */
  readonly DATA_DIR: string;
  /** What the operator has set goes before. */
  readonly INSTALLATION_ID?: string | undefined;
}

/** What a copied DATA_DIR does not carry: the machine, and where the directory is on it. Another one starts as a copy, which sends nothing. */
export function installationIdOf(
  { DATA_DIR: dataDir, INSTALLATION_ID: given }: Place,
  machine: string = machineId(),
): string {
  if (given !== undefined) return given;
  return hash(
    'sha256',
    `${machine}\n${realpathSync(dataDir)}${textOf(join(dataDir, restoredFile))}`,
    'base64url',
  ).slice(0, 22);
}

function machineId(): string {
  return machineFiles.map(textOf).find((id) => id !== '') ?? '';
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
