import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pollSystem } from './poll-system.ts';

/** What receivers do, the healthy ones first; the path of an endpoint begins with it. */
export const behaviours = {
  healthy: ['ok', 'slow'],
  bad: ['error', 'busy', 'hang', 'drip', 'reset', 'moved', 'gone'],
} as const;
export type Behaviour = (typeof behaviours)['healthy' | 'bad'][number];

/** Receivers of every kind on one port, which remember what came whole. */
export interface MixedReceiver {
  urlOf(behaviour: Behaviour, number: number): string;
  /** How often each webhook-id came. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** From now on healthy receivers answer nothing, and then all that waits. */
  hold(): void;
  answerHeld(): void;
  readonly held: number;
  /** Waits until all that a killed sender had sent is read. */
  untilSilent(): Promise<void>;
  close(): Promise<void>;
}

const slowMs = 300;
const dripEveryMs = 100;

const answers: Record<Behaviour, (response: ServerResponse) => void> = {
  ok: (response) => void response.writeHead(200).end('{"ok":true}'),
  slow: (response) => void setTimeout(() => response.writeHead(202).end(), slowMs),
  error: (response) => void response.writeHead(500).end('it broke'),
  busy: (response) => void response.writeHead(429, { 'retry-after': '3600' }).end(),
  hang: () => undefined,
  drip: (response) => {
    const timer = setInterval(() => response.write('.'), dripEveryMs);
    response.once('close', () => clearInterval(timer));
  },
  reset: (response) => void response.req.socket.resetAndDestroy(),
  moved: (response) => void response.writeHead(301, { location: 'https://example.com/' }).end(),
  gone: (response) => void response.writeHead(410).end(),
};

export async function startMixedReceiver(): Promise<MixedReceiver> {
  const arrivals = new Map<string, number>();
  let held: (() => void)[] | undefined;
  const server = createServer((request, response) => {
    const behaviour = request.url?.split('/')[1] as Behaviour;
    const id = String(request.headers['webhook-id']);
    const isHealthy = behaviours.healthy.some((name) => name === behaviour);
    request.resume().once('end', () => {
      arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
      const answer = (): void => answers[behaviour](response);
      if (held === undefined || !isHealthy) answer();
      else held.push(answer);
    });
  });
  // A connection that the receiver closed would cost its sender an attempt.
  server.keepAliveTimeout = 600_000;
  const countConnections = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((err, count) => (err ? reject(err) : resolve(count)));
    });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (behaviour, number) => `http://127.0.0.1:${port}/${behaviour}/${number}`,
    arrivals,
    hold: () => {
      held = [];
    },
    answerHeld: () => {
      for (const answer of held ?? []) answer();
      held = undefined;
    },
    get held() {
      return held?.length ?? 0;
    },
    untilSilent: async () => void (await pollSystem('no connection', async () => (await countConnections()) === 0)),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
