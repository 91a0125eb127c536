import { expect, test } from 'vitest';
import { ignoredVariables, loopbackWarning, readConfig, settingWarnings } from './config.ts';

const allowed = (env: Record<string, string>) => readConfig(env).WEBHOOKS_ALLOW_LOOPBACK;

test.each([
  {},
  { HOST: 'localhost' },
  { HOST: '::1', PUBLIC_URL: 'http://[::1]:3000' },
  { PUBLIC_URL: 'http://127.0.0.1:8080' },
  { HOST: '127.0.0.2', PUBLIC_URL: 'http://LOCALHOST' },
])('webhooks to loopback addresses are allowed while only this machine reaches the platform: %o', (env) => {
  expect(allowed(env)).toBe('enabled');
  expect(loopbackWarning(readConfig(env))).toBeUndefined();
});

test.each([
  { HOST: '0.0.0.0' },
  { HOST: '::' },
  { HOST: '192.168.1.5' },
  { HOST: 'shop.example' },
  { PUBLIC_URL: 'https://shop.example' },
  { HOST: '0.0.0.0', PUBLIC_URL: 'http://127.0.0.1:3000' },
  { HOST: '127.0.0.1', PUBLIC_URL: 'https://127.0.0.1.shop.example' },
])('webhooks to loopback addresses are refused where other machines may sign up: %o', (env) => {
  expect(allowed(env)).toBe('disabled');
});

test('the setting decides where it is given, and the start says what it opens', () => {
  expect(allowed({ WEBHOOKS_ALLOW_LOOPBACK: 'disabled' })).toBe('disabled');
  const open = readConfig({ HOST: '0.0.0.0', WEBHOOKS_ALLOW_LOOPBACK: 'enabled' });
  expect(open.WEBHOOKS_ALLOW_LOOPBACK).toBe('enabled');
  expect(loopbackWarning(open)).toMatch(/every account .* can send requests to every port of this machine/);
});

test.each([
  [1, { PUBLIC_URL: 'https://shop.example' }],
  [0, {}],
  [0, { PUBLIC_URL: 'http://localhost:8080' }],
  [0, { PUBLIC_URL: 'https://shop.example', HOST: '0.0.0.0' }],
  [2, { PUBLIC_URL: 'https://shop.example', TRUST_PROXY: '2' }],
  [0, { PUBLIC_URL: 'https://shop.example', TRUST_PROXY: '0' }],
] as const)(
  '%i proxies are trusted with %o: one where only a proxy of this machine can bring in other machines',
  (hops, env) => {
    expect(readConfig(env).TRUST_PROXY).toBe(hops);
  },
);

test('a shop that others reach says that test cards pay at accounts without a processor, until it is set otherwise', () => {
  const said = (env: Record<string, string>) => settingWarnings(readConfig(env)).join();
  expect(said({ PUBLIC_URL: 'https://shop.example' })).toMatch(/SIMULATED_PROCESSOR=enabled/);
  expect(said({ HOST: '0.0.0.0' })).toMatch(/SIMULATED_PROCESSOR=enabled/);
  for (const env of [{}, { PUBLIC_URL: 'http://localhost:8080' }]) expect(said(env)).toBe('');
  for (const mode of ['enabled', 'disabled'])
    expect(said({ PUBLIC_URL: 'https://shop.example', SIMULATED_PROCESSOR: mode })).toBe('');
});

test('variables that npm start makes itself are named, without their values', () => {
  expect(ignoredVariables(readConfig({ MAX_CONNECTIONS: '10' }))).toBeUndefined();
  const said = ignoredVariables(readConfig({ DATABASE_URL: 'postgres://u:secret@h/d', KEY_PEPPER: 'secret' }));
  expect(said).toMatch(/^DATABASE_URL, KEY_PEPPER: ignored/);
  expect(said).not.toContain('secret');
});
