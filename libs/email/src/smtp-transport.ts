import { Readable } from 'node:stream';
import { envelopeAddress, needsSmtpUtf8 } from '@app/contracts/email-key';
import type { NodemailerError } from 'nodemailer';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import { composeMessage } from './compose.ts';
import type { EmailTransport, Submission } from './email-transport.ts';

export interface SmtpLimits {
  /** To connect, and to be greeted. */
  readonly connectMs: number;
  /** One message, all of it. */
  readonly messageMs: number;
}

/** A server that checks a message before it takes it may need half a minute. */
const usualLimits: SmtpLimits = { connectMs: 10_000, messageMs: 60_000 };

/**
 * Sends each message over a connection of its own: a connection that is kept may end while a message is under way, and
 * whether to send it again would be decided by the library. The bytes are given to the server only after it is ready for them,
 * so that an end without a reply is `unreachable` before that and `unknown` after it.
 */
export function createSmtpTransport(url: string, fromAddress: string, limits = usualLimits): EmailTransport {
  const { options, auth } = connectionOf(url, limits);
  return {
    send: async (message) => {
      const bytes = await composeMessage(message, fromAddress).catch((err: Error) => err);
      if (bytes instanceof Error) return { outcome: 'refused', detail: bytes.message };
      const envelope = { from: envelopeAddress(fromAddress), to: envelopeAddress(message.to) };
      return await deliver({ options, auth, limits }, envelope, bytes);
    },
  };
}

interface Server {
  readonly options: SMTPConnectionOptions;
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
  readonly limits: SmtpLimits;
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;

function connectionOf(url: string, { connectMs, messageMs }: SmtpLimits): Pick<Server, 'options' | 'auth'> {
  const { auth: _auth, ...parsed } = parseConnectionUrl(url) as SMTPConnectionOptions & { auth?: unknown };
  const { username, password, hostname } = new URL(url);
  const auth = username === '' ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const options = {
    // A password goes over no connection that others can read.
    requireTLS: auth !== undefined && parsed.secure !== true && !loopback.test(hostname),
    ...parsed,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: messageMs,
    socketCloseTimeout: 0,
    logger: false as const,
  };
  return { options, auth };
}

/** What the connection's callbacks end with: an error may have the server's reply. */
type Ended = NodemailerError | null;

async function deliver(
  { options, auth, limits }: Server,
  envelope: { readonly from: string; readonly to: string },
  bytes: Buffer,
): Promise<Submission> {
  const connection = new SMTPConnection(options);
  let begun = false;
  const body = Readable.from(
    (function* () {
      begun = true;
      yield bytes;
    })(),
  );
  const broken = new Promise<Ended>((resolve) => connection.on('error', resolve));
  const late = Promise.withResolvers<Ended>();
  const timer = setTimeout(() => late.resolve(new Error('the mail server took too long')), limits.messageMs);
  /** The connection may end before the callback is called, or without it. */
  const step = (run: (done: (err?: Ended) => void) => void): Promise<Ended> =>
    Promise.race([new Promise<Ended>((resolve) => run((err) => resolve(err ?? null))), broken, late.promise]);
  try {
    const unconnected = await step((done) => connection.connect(done));
    // Its last response so far is that to EHLO: it lists what the server offers.
    const offersUtf8 = /^250[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse));
    const unopened = unconnected ?? (auth === undefined ? null : await step((done) => connection.login(auth, done)));
    if (unopened !== null) return { outcome: 'unreachable', ...wordsOf(unopened) };
    if (needsSmtpUtf8(envelope.to) && !offersUtf8) return asciiOnly;
    const unsent = await step((done) => connection.send(envelope, body, done));
    if (unsent === null) return { outcome: 'taken' };
    return { outcome: outcomeOf(unsent, begun), ...wordsOf(unsent) };
  } finally {
    clearTimeout(timer);
    body.destroy();
    connection.close();
  }
}

/** Such a server would read another address from the bytes (RFC 6531, 3.1), and says no for good, if it says anything. */
const asciiOnly: Submission = {
  outcome: 'refused',
  detail: 'the mail server takes addresses in ASCII alone: it does not offer SMTPUTF8',
};

/** Words alone: neither a host nor a port nor a path. */
const plainWords = /^[a-z ,’'-]+$/i;
const systemCode = /\bE[A-Z]{3,}\b/;

/** The server's reply as it is, and of other errors what names no machine. */
function wordsOf({ message, code, response, responseCode }: NodemailerError): { detail: string; cause?: string } {
  if (responseCode !== undefined) return { detail: response ?? message };
  if (ownRefusals.includes(code) || plainWords.test(message)) return { detail: message };
  const [named = String(code ?? 'no reply')] = systemCode.exec(message) ?? [];
  return { detail: `the mail server cannot be reached: ${named}`, cause: message };
}

/** What the library itself finds wrong with a recipient or a message, before it calls the server. */
const ownRefusals: readonly unknown[] = ['EENVELOPE', 'EMESSAGE'];
/** The server ends the session, whatever the command was (RFC 5321, 3.8). */
const closing = 421;

/** A no to the sender, or to the session, is none to this message: the next one would meet it too. */
function outcomeOf(
  { code, command, responseCode }: NodemailerError,
  begun: boolean,
): 'refused' | 'deferred' | 'unreachable' | 'unknown' {
  if (responseCode === closing || (responseCode !== undefined && command === 'MAIL FROM')) return 'unreachable';
  if (responseCode !== undefined) return responseCode < 500 ? 'deferred' : 'refused';
  if (ownRefusals.includes(code)) return 'refused';
  return begun ? 'unknown' : 'unreachable';
}
