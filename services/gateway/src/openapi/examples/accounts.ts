const accountId = 'acc_01kaf2m4j3m5p7r9t1v3x5z7bd';
const sessionId = 'ses_01kahv7v0zc3k6n9q2s5w8a1ef';

const settings = {
  handle: 'maya-paints',
  businessName: 'Maya Paints',
  supportEmail: 'help@mayapaints.example',
  supportEmailVerified: true,
  email: 'maya@mayapaints.example',
  emailVerified: true,
  defaultCurrency: 'usd',
  testMode: false,
  holdDecisionMinutes: 60,
  nudgeAfterMinutes: 60,
  commissionHoldDays: 30,
  cancellationNotices: false,
  dailyChargeLimit: 3,
  checkoutUrl: null,
  accentColor: '#0b5f4f',
  termsUrl: 'https://mayapaints.example/terms',
  refundPolicyUrl: 'https://mayapaints.example/refunds',
  portalCancel: true,
  portalPause: true,
  withdrawalDays: 14,
  immediateAccessConsent: false,
  statementSuffix: null,
  supportEmailPending: null,
  logoUrl: null,
  version: 4,
};

const apiKey = {
  id: 'key_01kaf2m4k4n6q8s0v2w4y6a8ce',
  name: 'Course platform',
  prefix: 'fnl_7Hq2',
  last_four: 'k9Zt',
  scopes: ['read', 'write'],
  created_at: '2026-11-01T08:00:00.000Z',
  expires_at: null,
  last_used_at: '2026-11-29T06:12:00.000Z',
  revoked_at: null,
};
/** Its checksum is wrong, so that no scanner takes it for a real one. */
const key = 'fnl_7Hq2XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXk9Zt';
const replacement = { ...apiKey, id: 'key_01kb5q7s9v1x3z5b7d9f1h3j5k', created_at: '2026-11-29T07:00:00.000Z' };

const passkey = {
  id: 'psk_01kaf2m4m5p7r9t1w3x5z7b9df',
  name: 'Phone',
  created_at: '2026-11-02T08:00:00.000Z',
  last_used_at: null,
};
const backupCodes = [
  ...['7k2m-9q4r-x3w8-5t1v', 'b6n0-8h2j-d4f9-3s7z', 'm1p5-6c8g-q2v7-0k4x', 'r8t3-1w6b-h5j9-7n2d'],
  ...['s4z0-9f3m-g6c1-2p8q', 'k3x7-4b9t-w0n5-6m2v', 'z8d1-7r4c-j2q6-9h5f', 'p4t9-0s3k-v7g2-1x8n'],
  ...['c5w2-8j6b-f9m4-3d7h', 'n0q3-5z1x-t6k8-2r9s'],
];
const challenge = '5vQm2Zk8Wq0xT3nB7yL1cJ4hR6sD9fGaKePoUiMtVwE';
const proof = {
  id: 'a2V5LW9mLW1heWE',
  rawId: 'a2V5LW9mLW1heWE',
  type: 'public-key',
} as const;
const clientDataJSON =
  'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiNXZRbTJaazgiLCJvcmlnaW4iOiJodHRwczovL3Nob3AuZXhhbXBsZSJ9';

const token = 'b7Vd2kP9sX4mQ1wZ8nR5tC0hL3yG6jUf_aE-oI2eTqA';
const password = 'wet-on-wet, twice';
const opened = { ok: true, accountId };

/** Of the account, its keys, and how its user logs in, by operation. */
export const accountExamples = {
  getSettings: { response: settings },
  updateSettings: {
    body: { holdDecisionMinutes: 30, supportEmail: 'hello@mayapaints.example' },
    response: { ...settings, holdDecisionMinutes: 30, supportEmailPending: 'hello@mayapaints.example', version: 5 },
  },
  listApiKeys: { response: { data: [apiKey] } },
  createApiKey: {
    body: { name: apiKey.name, scopes: apiKey.scopes },
    response: { ...apiKey, last_used_at: null, key },
  },
  rotateApiKey: { body: { overlapHours: 24 }, response: { ...replacement, last_used_at: null, key } },
  listAuditEntries: {
    response: {
      data: [
        {
          id: 'aud_01kahv7x2ke5m8q2r6t9y0b4cd',
          kind: 'refund',
          operation: 'refundOrder',
          object_id: 'ord_01kahv7w3xe5m8q2r6t9y0b4cd',
          outcome: 'done',
          code: null,
          count: 1,
          actor: { kind: 'session', id: sessionId, name: settings.email },
          address: '203.0.113.7',
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
          created_at: '2026-11-29T07:04:51.223Z',
          last_at: '2026-11-29T07:04:51.223Z',
        },
      ],
    },
  },
  signUp: { body: { email: settings.email, password, name: settings.businessName }, response: opened },
  logIn: { body: { email: settings.email, password }, response: opened },
  logInByLink: { body: { token }, response: opened },
  logInWithFactor: { body: { code: '492039' }, response: opened },
  getMe: {
    response: {
      accountId,
      email: settings.email,
      emailVerified: true,
      name: settings.businessName,
      handle: settings.handle,
      isCopy: false,
      emailFolder: null,
    },
  },
  confirm: { body: { password }, response: { ok: true, confirmedUntil: '2026-11-29T07:20:00.000Z' } },
  changePassword: { body: { password, newPassword: 'dry brush on cold press' } },
  listSessions: {
    response: {
      data: [
        {
          id: sessionId,
          current: true,
          address: '203.0.113.7',
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
          factor: 'passkey',
          created_at: '2026-11-29T06:58:02.114Z',
          last_used_at: '2026-11-29T07:04:00.000Z',
          expires_at: '2026-12-29T06:58:02.114Z',
        },
      ],
    },
  },
  createPasskeyChallenge: {
    response: { challenge, rpId: 'shop.example', timeout: 300_000, userVerification: 'required' },
  },
  getFactors: { response: { codes: false, backupCodesLeft: 10, passkeys: [passkey], passkeysOffered: true } },
  createPasskeyOptions: {
    response: {
      challenge,
      rp: { id: 'shop.example', name: 'Funnelry' },
      user: { id: 'dXNyXzAx', name: settings.email, displayName: settings.email },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      timeout: 300_000,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    },
  },
  createPasskey: {
    body: {
      name: passkey.name,
      credential: {
        ...proof,
        response: {
          clientDataJSON,
          attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVik',
          transports: ['internal'],
        },
      },
    },
    response: { ...passkey, backupCodes },
  },
  renamePasskey: { body: { name: 'Work laptop' }, response: { ...passkey, name: 'Work laptop' } },
  setUpCodes: {
    response: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/Funnelry:maya%40mayapaints.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Funnelry',
    },
  },
  activateCodes: { body: { code: '492039' }, response: { ok: true, backupCodes } },
  createBackupCodes: { response: { ok: true, backupCodes } },
  readLetter: {
    body: { token },
    response: {
      purpose: 'verification',
      email: settings.email,
      account: { name: settings.businessName, created_at: '2026-11-01T08:00:00.000Z' },
      password_due: true,
      set_up: { api_keys: 1, webhook_hosts: ['mayapaints.example'], automations: 0, payment_processor: 'stripe' },
    },
  },
  confirmSupportEmail: { body: { token } },
  verifyEmail: { body: { token, password } },
  changeEmail: { body: { email: 'maya@studio.example', password } },
  confirmEmail: { body: { token, password } },
  requestPasswordReset: { body: { email: settings.email } },
  resetPassword: { body: { token, password: 'dry brush on cold press' } },
};
