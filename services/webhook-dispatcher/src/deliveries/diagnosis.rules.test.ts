import { attemptResource } from '@app/contracts/webhook-deliveries';
import { expect, test } from 'vitest';
import { explainDiagnosis } from '../texts/diagnosis-texts.rules.ts';
import { type DiagnosedExchange, diagnose } from './diagnosis.rules.ts';

const url = 'https://maya.example/hooks/sales';
const answered = (statusCode: number, change: Partial<DiagnosedExchange> = {}): DiagnosedExchange => ({
  ...{ url, statusCode, error: null, stage: 'body', headers: {}, body: '' },
  ...change,
});
const failed = (code: string, stage: DiagnosedExchange['stage'], change: Partial<DiagnosedExchange> = {}) =>
  answered(0, { statusCode: null, error: Object.assign(new Error('x'), { code }), stage, headers: null, ...change });
const html = { 'content-type': 'text/html; charset=utf-8' };
const page = (inside: string) => `<!DOCTYPE html>\n<html><head>${inside}`;

test.each([
  [301, 'https://www.maya.example/hooks/sales', 'moved', 'https://www.maya.example/hooks/sales'],
  [308, '/new', 'moved', 'https://maya.example/new'],
  [302, '/wp-login.php?redirect_to=x', 'login_redirect', 'https://maya.example/wp-login.php?redirect_to=x'],
  [307, 'https://sso.example/login', 'login_redirect', 'https://sso.example/login'],
  [302, '/author/maya', 'moved', 'https://maya.example/author/maya'],
  [301, 'javascript:alert(1)', 'redirect_without_target', null],
  [301, undefined, 'redirect_without_target', null],
  [304, '/x', 'redirect_without_target', null],
])('a redirect (%i) to %s is reported as %s', (status, location, code, detail) => {
  const found = diagnose(answered(status, { headers: location === undefined ? {} : { location } }));
  expect(found).toEqual({ code, detail });
});

test.each([
  ['https://maya.example/hook', '/users/sign_in', 'login_redirect'],
  ['https://maya.example/hook', '/anmelden', 'login_redirect'],
  ['https://maya.example/auth/hook', '/login', 'login_redirect'],
  ['http://maya.example/auth/hook', 'https://maya.example/auth/hook', 'moved'],
  ['https://maya.example/live-session-paid', '/live-session-paid/', 'moved'],
  ['https://maya.example/login/hook', '/login', 'login_redirect'],
  ['https://maya.example/signin-hook', '/signin', 'login_redirect'],
  ['https://maya.example/login/hook', '/login/hook/', 'moved'],
  ['https://maya.example/hook', '/live-session/hook', 'moved'],
  ['https://maya.example/hook', '/connect/session', 'moved'],
  ['https://maya.example/hook', '/sessions/new', 'login_redirect'],
  ['https://maya.example/hook', '/oauth/authorize?client_id=1', 'login_redirect'],
  ['https://maya.example/hook', '/login;jsessionid=1', 'login_redirect'],
  ['https://maya.example/hook', '/iniciar-sesion', 'login_redirect'],
  ['https://maya.example/hook', '/iniciar-sesión', 'login_redirect'],
  ['https://maya.example/sessions/news', '/sessions/newsletter', 'moved'],
])('a redirect from %s to %s is reported as %s', (from, location, code) => {
  expect(diagnose(answered(302, { url: from, headers: { location } }))?.code).toBe(code);
});

const everyPageOfCloudflare = page('<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>');
const everyPageOfIncapsula = page('<script src="/_Incapsula_Resource?SWJIYLWA=719d34d3"></script>');
const blockPageOfIncapsula =
  '<html style="height:100%"><head></head><body><iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=24&xinfo=1">Request unsuccessful. Incapsula incident ID: 1</iframe>';
const pageOfApache =
  '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>403 Forbidden</title>\n</head><body>\n<h1>Forbidden</h1>';
const pageOfDjango = page(
  '<title>403 Forbidden</title></head><body><h1>Forbidden</h1><p>CSRF verification failed. Request aborted.</p>',
);

test.each([
  [204, {}, '', null],
  [200, { 'content-type': 'application/json' }, '{"html":"<html>"}', null],
  [200, html, 'OK', null],
  [200, html, page('<title>Thank you</title>'), 'web_page'],
  [200, html, page('<title>Log in to your account</title>'), 'login_page'],
  [201, html, page('</head><form><input name="pwd" type="password">'), 'login_page'],
  [202, html, '<html><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=x">', 'bot_challenge'],
  [400, {}, '', 'bad_request'],
  [400, {}, 'The plain HTTP request was sent to HTTPS port', 'plain_to_tls_port'],
  [401, {}, '', 'unauthorized'],
  [403, {}, '', 'forbidden'],
  [403, { 'cf-mitigated': 'challenge', server: 'cloudflare' }, '', 'bot_challenge'],
  [403, { server: 'cloudflare' }, page('<title>Attention Required! | Cloudflare</title>'), 'firewall'],
  [503, html, page('Your access has been limited. Wordfence'), 'firewall'],
  [403, { server: 'cloudflare', ...html }, page('</head><div id="cf-error-details" class="p-0">'), 'firewall'],
  [403, html, page('</head><p>The owner of this website used Cloudflare to restrict access.'), 'firewall'],
  [403, { server: 'cloudflare', ...html }, pageOfApache, 'forbidden'],
  [403, { server: 'cloudflare', ...html }, pageOfDjango, 'forbidden'],
  [403, { 'x-sucuri-id': '18005', ...html }, pageOfApache, 'forbidden'],
  [429, { server: 'cloudflare', ...html }, page('</head><div id="cf-error-details">'), 'too_many_requests'],
  [403, { server: 'cloudflare' }, 'error code: 1020', 'firewall'],
  [403, { 'x-sucuri-block': 'EXP01' }, '', 'firewall'],
  [403, { server: 'cloudflare', 'content-type': 'application/json' }, '{"error":"invalid signature"}', 'forbidden'],
  [403, { 'x-sucuri-id': '18005', ...html }, 'Forbidden', 'forbidden'],
  [403, { 'x-iinfo': '1-2-3' }, '', 'forbidden'],
  [
    503,
    html,
    page('<script src="/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=8"></script>'),
    'bot_challenge',
  ],
  [200, html, everyPageOfIncapsula, 'web_page'],
  [404, html, everyPageOfIncapsula, 'not_found'],
  [500, html, everyPageOfIncapsula, 'receiver_error'],
  [403, html, everyPageOfIncapsula, 'forbidden'],
  [200, html, blockPageOfIncapsula, 'bot_challenge'],
  [403, html, blockPageOfIncapsula, 'bot_challenge'],
  [200, html, everyPageOfCloudflare, 'web_page'],
  [404, html, everyPageOfCloudflare, 'not_found'],
  [410, html, everyPageOfCloudflare, 'gone'],
  [500, html, everyPageOfCloudflare, 'receiver_error'],
  [406, {}, '', 'firewall'],
  [404, {}, '', 'not_found'],
  [405, {}, '', 'method_not_allowed'],
  [410, {}, '', 'gone'],
  [413, {}, '', 'body_too_large'],
  [415, {}, '', 'body_refused'],
  [422, {}, '', 'body_refused'],
  [418, {}, '', 'refused'],
  [500, {}, '', 'receiver_error'],
  [599, {}, '', 'receiver_error'],
  [999, {}, '', 'refused'],
  [502, {}, '', 'receiver_down'],
  [504, {}, '', 'receiver_slow'],
  [526, {}, '', 'proxy_tls'],
])('an answer of %i with %j and %j is reported as %s', (status, headers, body, code) => {
  expect(diagnose(answered(status, { headers, body }))?.code ?? null).toBe(code);
});

test.each([
  ['ATTEMPT_TIMEOUT', 'lookup', 'timeout_lookup'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect', 'timeout_connect'],
  ['ATTEMPT_TIMEOUT', 'tls', 'timeout_tls'],
  ['ATTEMPT_TIMEOUT', 'answer', 'timeout_answer'],
  ['ATTEMPT_TIMEOUT', 'body', 'timeout_body'],
  ['ENOTFOUND', 'lookup', 'dns'],
  ['ENODATA', 'lookup', 'dns_no_address'],
  ['ESERVFAIL', 'lookup', 'dns_failed'],
  ['ECONNREFUSED', 'lookup', 'dns_failed'],
  ['ETIMEOUT', 'lookup', 'timeout_lookup'],
  ['ADDRESS_REFUSED', 'lookup', 'address_refused'],
  ['ADDRESS_REFUSED', 'connect', 'address_refused'],
  ['ECONNREFUSED', 'connect', 'connection_refused'],
  ['EHOSTUNREACH', 'connect', 'unreachable'],
  ['ECONNRESET', 'tls', 'tls_failed'],
  ['UND_ERR_SOCKET', 'answer', 'connection_reset'],
  ['CERT_HAS_EXPIRED', 'tls', 'certificate_expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'certificate_name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', 'certificate_self_signed'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', 'certificate_chain'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'tls_to_plain_port'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls', 'tls_failed'],
  ['UND_ERR_HEADERS_OVERFLOW', 'answer', 'headers_too_large'],
  ['UNHEARD_OF', 'answer', 'other'],
] as const)('%s during %s is reported as %s', (code, stage, shown) => {
  expect(diagnose(failed(code, stage))).toEqual({ code: shown, detail: null });
});

test('an answer that breaks off has a name of its own', () => {
  expect(diagnose(failed('ECONNRESET', 'body', { statusCode: 200 }))?.code).toBe('answer_cut');
});

test('what is wrong with a name is reported without the port', () => {
  const about = { url: 'https://maya.example:8443/hook', statusCode: null, detail: null };
  for (const code of ['dns', 'dns_no_address', 'dns_failed', 'timeout_lookup'])
    expect(explainDiagnosis(code, about)?.explanation).toMatch(/ maya\.example /);
});

test('the texts say which URL to use, how long to wait and which path to let through', () => {
  const say = (status: number, headers: Record<string, string>) => {
    const found = diagnose(answered(status, { headers }));
    return explainDiagnosis(found?.code ?? null, { url, statusCode: status, detail: found?.detail ?? null });
  };
  expect(say(301, { location: 'https://new.example/hook' })?.advice).toBe(
    'Use this URL for the webhook: https://new.example/hook',
  );
  expect(say(429, { 'retry-after': '120' })?.explanation).toContain('wait 120 s');
  expect(say(429, { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' })?.explanation).toBe(
    'The receiver wants fewer requests (429).',
  );
  expect(say(403, { 'cf-mitigated': 'challenge' })?.advice).toContain('the path /hooks/sales');
  expect(say(200, {})).toBeNull();
});

test('a code of another version of the service is shown all the same', () => {
  for (const code of ['later', 'constructor'])
    expect(explainDiagnosis(code, { url, statusCode: null, detail: null })).toMatchObject({
      code,
      explanation: 'The exchange ended with an error.',
    });
});

test('foreign text stays on one line, and a target too long to quote whole is not quoted', () => {
  const to = (location: string) => diagnose(answered(301, { headers: { location } }))?.detail;
  expect(to('https://a.example/\u001b[2J\u2028x')).not.toMatch(/[\p{Cc}\p{Zl}]/u);
  expect(to(`https://a.example/${'x'.repeat(3_000)}`)).toBeNull();
});

test('each code that the published description names is reported in words of its own', () => {
  const about = { url, statusCode: null, detail: null };
  const description = attemptResource.shape.diagnosis.unwrap().shape.code.description ?? '';
  const named = [...description.matchAll(/`(\w+)`/g)].map(([, code]) => code as string);
  expect(named.length).toBeGreaterThan(3);
  const unknown = explainDiagnosis('later', about)?.explanation;
  for (const code of named) expect([code, explainDiagnosis(code, about)?.explanation]).not.toEqual([code, unknown]);
});
