import type { Logger } from '@app/service-kit/logger';
import type { NatsClient } from './connect.ts';

const checkEveryMs = 500;
/** What is shorter is the event loop's own work. */
const pauseFromMs = 1_000;

/**
 * How old a message may be that is read now. What was sent to a process that paused (it was stopped, its container was paused, its
 * machine was suspended) is read when it goes on, as if it had been sent then.
 */
export interface ProcessPauses {
  /** In milliseconds: 0 unless this process paused since it has read all that came before. */
  maxAgeMs(): number;
  close(): void;
}

/**
 * A pause is time in which this process had no turn, by either clock: in a suspended machine the one may stand still, and the other
 * one is set right afterwards. It counts until all is read that was sent before its end.
 */
export function watchPauses({ connection }: Pick<NatsClient, 'connection'>, logger: Logger): ProcessPauses {
  let [monotonicMs, systemMs] = [performance.now(), Date.now()];
  /** By `performance.now()`: when the pauses began of which messages may be unread yet. */
  const begunMs: number[] = [];
  const check = (): number => {
    const [nowMs, systemNowMs] = [performance.now(), Date.now()];
    const goneMs = Math.max(nowMs - monotonicMs, systemNowMs - systemMs);
    [monotonicMs, systemMs] = [nowMs, systemNowMs];
    if (goneMs >= pauseFromMs) begin(goneMs, nowMs - goneMs);
    return nowMs;
  };
  const begin = (pausedMs: number, beganMs: number): void => {
    begunMs.push(beganMs);
    const end = (): void => void begunMs.shift();
    // nats-server answers in turn: what comes after its answer was sent after the pause, if during a later one. What it has kept
    // for a connection that ends is lost.
    connection.flush().then(end, end);
    const fields = { pausedMs: Math.round(pausedMs) };
    logger.warn(fields, 'process paused; requests that their callers may have given up are dropped');
  };
  const timer = setInterval(check, checkEveryMs).unref();
  const close = (): void => clearInterval(timer);
  void connection.closed().then(close);
  return { maxAgeMs: () => Math.max(0, check() - Math.min(...begunMs)), close };
}
