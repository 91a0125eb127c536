/** What the texts of a diagnosis speak of. */
export interface DiagnosedAttempt {
  readonly url: string;
  readonly statusCode: number | null;
  /** Where a redirect leads, or the seconds that the receiver wants us to wait; null when it said nothing. */
  readonly detail: string | null;
}

interface Texts {
  readonly explanation: string | ((about: DiagnosedAttempt) => string);
  readonly advice: string | ((about: DiagnosedAttempt) => string);
}

const host = ({ url }: DiagnosedAttempt): string => URL.parse(url)?.host ?? url;
/** Without the port, which has no part in a look-up. */
const hostName = ({ url }: DiagnosedAttempt): string => URL.parse(url)?.hostname ?? url;
/** The other side's own words. */
const quoted = (detail: string | null): string => (detail === null ? '' : `: “${detail}”`);
const retried = 'Nothing is lost: it is tried again by itself.';
const resetAdvice = `${retried} If it stays so, read the log of your server.`;

/** Plain words for each code: what happened, and what to do. A code never changes its meaning. */
const texts = {
  moved: {
    explanation: ({ statusCode, detail }) =>
      `The address has moved: the server answered ${statusCode} and sent us on${detail === null ? '' : ` to ${detail}`}. Redirects are not followed, because the receiver of a payment notice must be the one you named.`,
    advice: ({ detail }) =>
      detail === null ? 'Connect the address that it leads to.' : `Use this URL for the webhook: ${detail}`,
  },
  login_redirect: {
    explanation: ({ detail }) =>
      `The server requires a login${detail === null ? '' : `: it sent us to ${detail}`}. A webhook cannot sign in.`,
    advice: 'Take the webhook’s address out of the protected part of the site. The signature protects it.',
  },
  redirect_without_target: {
    explanation: ({ statusCode }) => `The server answered ${statusCode}, a redirect that leads nowhere.`,
    advice: 'Check the server’s redirects, or ask your host.',
  },
  login_page: {
    explanation:
      'The server answered with a login page. It counts as delivered, but your code has probably not seen it.',
    advice:
      'Take the webhook’s address out of the protected part of the site, and send a test. The signature protects it.',
  },
  web_page: {
    explanation:
      'The server answered with a web page. It counts as delivered, but it looks like a page for people, not like code that takes webhooks.',
    advice: 'Check that the URL is that of your webhook code. If it is, let it answer without a page.',
  },
  bot_challenge: {
    explanation:
      'A bot protection in front of the server answered with a check that only a person in a browser can pass. Your code has not seen the webhook.',
    advice: ({ url }) =>
      `Switch the bot protection off for the path ${URL.parse(url)?.pathname ?? '/'} (at Cloudflare: a WAF rule that skips it), or ask your host to.`,
  },
  firewall: {
    explanation: ({ statusCode }) =>
      `A firewall in front of the server refused the request (${statusCode}). Your code has not seen the webhook.`,
    advice: ({ url }) =>
      `Allow POST requests to ${URL.parse(url)?.pathname ?? '/'} in the firewall or the security plugin, or ask your host to.`,
  },
  unauthorized: {
    explanation: 'The receiver requires a login or a key (401).',
    advice:
      'Take the password protection off the address, or give the endpoint the header that the receiver expects. If your own code answers 401, it refused the signature: check the secret.',
  },
  forbidden: {
    explanation:
      'The receiver refused the request (403): a security plugin, a rule of the host, or your own check of the signature.',
    advice: 'Allow POST requests to this address. If your own code answers 403, check the signing secret.',
  },
  not_found: {
    explanation: 'The server answers, but nothing is at this address (404).',
    advice:
      'Compare the URL with the one that your tool shows, letter by letter. If the workflow there was switched off, switch it on.',
  },
  method_not_allowed: {
    explanation: 'The address does not take POST requests (405).',
    advice: 'Check the URL: it is probably that of a page. A missing or an extra slash at its end does this as well.',
  },
  gone: {
    explanation: 'The receiver says that this address is gone for good (410).',
    advice:
      'Connect the new URL of the receiver: a webhook endpoint is then on again and is sent what was held, for up to 30 days.',
  },
  bad_request: {
    explanation: 'The receiver did not accept the request (400). Its answer may say why.',
    advice:
      'Read its answer. Often the signature does not match: check the signing secret, and that the code checks the body exactly as it came.',
  },
  body_too_large: {
    explanation: 'The receiver refused the body as too large (413).',
    advice: 'Raise the limit for bodies at the receiver: 256 KB are enough for every event.',
  },
  body_refused: {
    explanation: ({ statusCode }) =>
      `The receiver refused the body (${statusCode}): it expects another form or other fields.`,
    advice:
      'Let it take JSON (`application/json`) and ignore fields that it does not know. Its answer may say which field.',
  },
  too_many_requests: {
    explanation: ({ detail }) =>
      `The receiver wants fewer requests (429)${detail === null ? '' : ` and to wait ${detail} s`}.`,
    advice: `${retried} If it happens often, raise the limit at the receiver.`,
  },
  refused: {
    explanation: ({ statusCode }) => `The receiver refused the request (${statusCode}).`,
    advice: 'Its answer may say why.',
  },
  receiver_error: {
    explanation: ({ statusCode }) => `The receiver’s own code failed (${statusCode}).`,
    advice: `Read the log of your server at this time. ${retried}`,
  },
  receiver_down: {
    explanation: ({ statusCode }) => `The server behind the address is down or being changed (${statusCode}).`,
    advice: `${retried} If it stays so, ask your host.`,
  },
  receiver_slow: {
    explanation: ({ statusCode }) =>
      `The server behind the address did not answer its own front in time (${statusCode}).`,
    advice: 'Let your code answer at once and do its work afterwards.',
  },
  proxy_tls: {
    explanation: ({ statusCode }) => `Cloudflare could not make a secure connection to your server (${statusCode}).`,
    advice: 'Renew the certificate of the server behind Cloudflare, or correct the SSL mode there.',
  },
  timeout_lookup: {
    explanation: (about) => `The name servers of ${hostName(about)} did not answer in time.`,
    advice: `${retried} If it stays so, check the domain’s name servers.`,
  },
  timeout_connect: {
    explanation: (about) =>
      `No connection to ${host(about)} in time: nothing answers there, or a firewall drops our requests.`,
    advice:
      'Check that the server runs, that the port is right and that its firewall lets requests from the internet in.',
  },
  timeout_tls: {
    explanation: (about) => `${host(about)} took the connection, but did not secure it in time.`,
    advice: `${retried} If it stays so, the server is overloaded, or the port is not one for https.`,
  },
  timeout_answer: {
    explanation: 'The receiver got the request and did not answer in time.',
    advice:
      'Let your code answer at once and do its work afterwards. The same event may come again: its `webhook-id` says so.',
  },
  timeout_body: {
    explanation: 'The receiver began to answer and did not finish in time.',
    advice: 'Let your code answer with an empty body, at once.',
  },
  dns: {
    explanation: (about) => `The name ${hostName(about)} does not exist: the domain has expired, or it is misspelt.`,
    advice: 'Check the spelling, and that the domain is still paid for.',
  },
  dns_no_address: {
    explanation: (about) => `The name ${hostName(about)} has no address.`,
    advice: 'Add an A or AAAA record for it at your domain’s provider.',
  },
  dns_failed: {
    explanation: (about) => `The name ${hostName(about)} could not be looked up: its name servers do not work.`,
    advice: `${retried} If it stays so, check the domain’s name servers.`,
  },
  address_refused: {
    explanation: (about) =>
      `${hostName(about)} leads to a private or reserved address. Webhooks go to public addresses only.`,
    advice: 'Use an address that can be reached from the internet. For a server on your computer, use a tunnel.',
  },
  connection_refused: {
    explanation: (about) => `${host(about)} refused the connection: nothing listens there.`,
    advice: 'Check that the server runs and that the port in the URL is right.',
  },
  unreachable: {
    explanation: (about) => `${host(about)} cannot be reached.`,
    advice: `${retried} If it stays so, ask your host.`,
  },
  connection_reset: {
    explanation:
      'The connection was closed before an answer came: the server restarted, crashed, or a firewall cut it.',
    advice: ({ url }) =>
      /^http:/i.test(url)
        ? `If the server speaks https there, let the URL begin with https://. ${resetAdvice}`
        : resetAdvice,
  },
  answer_cut: {
    explanation: 'The connection broke off in the middle of the answer.',
    advice: resetAdvice,
  },
  headers_too_large: {
    explanation: 'The receiver answered with headers of more than 16 KB, which are not read.',
    advice: 'Let your code answer with few headers: cookies are often what makes them long.',
  },
  certificate_expired: {
    explanation: (about) => `The certificate of ${host(about)} has expired, or is not valid yet.`,
    advice: 'Renew the certificate, or ask your host to.',
  },
  certificate_name: {
    explanation: (about) => `The certificate is for another name than ${host(about)}.`,
    advice: 'Use the name in the certificate for the URL, or get a certificate for this name.',
  },
  certificate_self_signed: {
    explanation: (about) => `The certificate of ${host(about)} is signed by itself, so it is not known who answers.`,
    advice: 'Get a certificate of a public authority; Let’s Encrypt gives them for nothing.',
  },
  certificate_chain: {
    explanation: (about) =>
      `${host(about)} does not send its intermediate certificate. Browsers often help themselves; servers cannot.`,
    advice: 'Install the whole chain (often named `fullchain.pem`) on the server, or ask your host to.',
  },
  certificate_revoked: {
    explanation: (about) => `The certificate of ${host(about)} was revoked.`,
    advice: 'Get a new certificate, or ask your host to.',
  },
  tls_to_plain_port: {
    explanation: 'The URL begins with https, but what answers there does not speak it.',
    advice: 'Correct the port in the URL, or switch https on at the server.',
  },
  plain_to_tls_port: {
    explanation: 'The URL begins with http, but the server speaks https there.',
    advice: 'Let the URL begin with https.',
  },
  tls_failed: {
    explanation: (about) => `No secure connection to ${host(about)}: its encryption is too old or wrongly set up.`,
    advice: 'Switch TLS 1.2 or newer on at the server, or ask your host to.',
  },
  not_http: {
    explanation: 'What answered is not a web server, or its answer is broken.',
    advice: 'Check the port in the URL. If it is right, the server breaks the rules of HTTP in its answer.',
  },
  email_refused: {
    explanation: ({ detail }) => `The mail server refused the email for good${quoted(detail)}.`,
    advice: 'Check the address: often it does not exist. The email is not tried again by itself.',
  },
  email_deferred: {
    explanation: ({ detail }) => `The mail server did not take the email now${quoted(detail)}.`,
    advice: retried,
  },
  email_unreachable: {
    explanation: ({ detail }) => `The mail server of this deployment did not take emails${quoted(detail)}.`,
    advice: `${retried} If it stays so, notify the operator of this deployment.`,
  },
  email_unknown: {
    explanation: 'The mail server got the email and did not confirm it: it may have arrived.',
    advice: 'It is not sent again by itself, so that no recipient gets it twice. If it is missing, redeliver it.',
  },
  other: {
    explanation: 'The exchange ended with an error.',
    advice: `${retried} The error says more.`,
  },
} as const satisfies Record<string, Texts>;

export type DiagnosisCode = keyof typeof texts;

export interface Diagnosis {
  readonly code: string;
  readonly explanation: string;
  readonly advice: string;
}

/** The texts of a stored code; null for null. A code of another version of the service is reported as `other`. */
export function explainDiagnosis(code: string | null, about: DiagnosedAttempt): Diagnosis | null {
  if (code === null) return null;
  const { explanation, advice }: Texts = Object.hasOwn(texts, code) ? texts[code as DiagnosisCode] : texts.other;
  const say = (text: Texts['advice']): string => (typeof text === 'string' ? text : text(about));
  return { code, explanation: say(explanation), advice: say(advice) };
}
