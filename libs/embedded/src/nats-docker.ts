import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';

/** Before the image in what `findNatsServer` answers when only Docker has a nats-server. */
export const dockerPrefix = 'docker:';

export interface DockerCommand {
  file: string;
  args: string[];
  /** The container's name: a killed docker client leaves it running. */
  container: string;
}

export function removeContainer(name: string): void {
  try {
    execFileSync('docker', ['rm', '--force', name], { stdio: 'ignore' });
  } catch {
    // not there any more
  }
}

/** The server in the foreground of the docker client, which passes our signals on to it. */
export function dockerCommand(
  image: string,
  options: { port: number; dataDir: string; configFile: string },
): DockerCommand {
  const name = `funnelry-nats-${process.pid}-${options.port}`;
  const { port } = options;
  const mounts = ['-v', `${options.dataDir}:${options.dataDir}`, '-v', `${dirname(options.configFile)}:/config:ro`];
  const config = `/config/${options.configFile.slice(dirname(options.configFile).length + 1)}`;
  const server = ['--config', config, '--port', String(port), '--jetstream', '--store_dir', options.dataDir];
  return {
    file: 'docker',
    args: ['run', '--rm', '--name', name, '-p', `127.0.0.1:${port}:${port}`, ...mounts, image, ...server],
    container: name,
  };
}
