import { isAlive } from '@app/embedded/processes';

const checkEveryMs = 250;

/**
 * npm runs a script in a shell. A signal to npm alone goes on to that shell, which ends without passing it on (dash;
 * cmd.exe knows no signals): the process would stay behind with its port. Calls `leave` once the parent has ended.
 */
export function followParent(leave: () => void): void {
  // A user who starts Node by hand may close the terminal and let it run.
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(parent)) return;
    clearInterval(timer);
    leave();
  }, checkEveryMs);
  timer.unref();
}
