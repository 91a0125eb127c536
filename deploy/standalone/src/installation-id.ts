import { hash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';

/** Of systemd, and of D-Bus where that is missing. Containers have none, and only the directory counts. */
const machineFiles = ['/etc/machine-id', '/var/lib/dbus/machine-id'];

/**
 * What a copied DATA_DIR does not carry: the machine, and where the directory is on it. Another one starts as a copy, which sends nothing.
 * @param dataDir exists
 */
export function installationIdOf(dataDir: string, machine: string = machineId()): string {
  return hash('sha256', `${machine}\n${realpathSync(dataDir)}`, 'base64url').slice(0, 22);
}

function machineId(): string {
  for (const file of machineFiles) {
    try {
      const id = readFileSync(file, 'utf8').trim();
      if (id !== '') return id;
    } catch {
      // The next one.
    }
  }
  return '';
}
