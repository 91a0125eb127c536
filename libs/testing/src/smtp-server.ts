import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { type Arrivals, createArrivals } from './arrivals.ts';

/** What the server does at one of the client's steps: a reply, nothing for ever, or it hangs up. */
type Behaviour = string | 'silent' | 'hang up';
type Step = 'greeting' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'message';

interface ReceivedEmail {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

type Behaviours = Partial<Record<Step, Behaviour | ((to: string) => Behaviour | Promise<Behaviour>)>>;

const usual: Record<Step, Behaviour> = {
  greeting: '220 ready',
  EHLO: '250 here',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  message: '250 taken',
};

/** As much of RFC 5321 as a client needs, on a port of its own. A test says what it does instead. */
export async function startSmtpServer() {
  const arrivals = createArrivals<ReceivedEmail>();
  const behaviour: Behaviours = {};
  const sockets = new Set<Socket>();
  let connections = 0;
  let openMost = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    openMost = Math.max(openMost, sockets.size);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    talk(socket, behaviour, arrivals);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received: arrivals.list,
    /** Resolves with the first `count` emails that match. */
    receivedEmails: (count: number, matches: (email: ReceivedEmail) => boolean = () => true) =>
      arrivals.wait(count, { what: 'emails', matches }),
    /** Forgets the emails so far. */
    forget: arrivals.clear,
    behaviour,
    connections: () => connections,
    openMost: () => openMost,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function talk(socket: Socket, behaviour: Behaviours, received: Arrivals<ReceivedEmail>): void {
  const mail = { from: '', to: '', text: '' };
  let inMessage = false;
  const react = async (step: Step): Promise<void> => {
    const chosen = behaviour[step] ?? usual[step];
    const reply = typeof chosen === 'function' ? await chosen(mail.to) : chosen;
    if (step === 'message' && (reply.startsWith('2') || reply === 'hang up')) received.push({ ...mail });
    inMessage = step === 'DATA' && reply.startsWith('3');
    if (reply === 'hang up') socket.destroy();
    else if (reply !== 'silent') socket.write(`${reply}\r\n`);
  };
  const takeCommand = (line: string): void => {
    const [, address = ''] = /<(.*?)>/.exec(line) ?? [];
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'MAIL') mail.from = address;
    if (verb === 'RCPT') mail.to = address;
    if (isStep(verb)) void react(verb);
    else socket.write(verb === 'QUIT' ? '221 bye\r\n' : '502 what\r\n');
  };
  const takeLine = (line: string): void => {
    if (!inMessage) takeCommand(line);
    else if (line === '.') void react('message');
    else mail.text += `${line.replace(/^\./, '')}\r\n`;
  };
  void react('greeting');
  let rest = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
  });
}

const isStep = (verb: string): verb is Step => ['EHLO', 'MAIL', 'RCPT', 'DATA'].includes(verb);
