import { execFile, execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import {
  goCheck,
  libraryCheck,
  nodeCheck,
  phpCheck,
  pythonCheck,
  rubyCheck,
  vector,
} from '@app/pages/developers/samples';
import { afterAll, expect, test } from 'vitest';

/** Guarantee: the checks of signatures on the developer pages take what we sign and nothing else, in every language that this machine has. */
const folder = mkdtempSync(join(tmpdir(), 'signature-checks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Headers = Record<string, string>;
const secret = vector.secret;
const keyOf = (text: string): Buffer => Buffer.from(text.replace('whsec_', ''), 'base64');
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

function signed(body: string, timestamp = String(nowSeconds())): Headers {
  const signature = createHmac('sha256', keyOf(secret)).update(`${vector.id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': vector.id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

test('the delivery that the page shows is one of ours: its signature is right for its secret, id, time and body', () => {
  expect(signed(vector.body, vector.timestamp)['webhook-signature']).toBe(vector.signature);
  expect(Math.floor(Date.parse(JSON.parse(vector.body).sentAt) / 1000)).toBe(Number(vector.timestamp));
});

const body = '{"event":"order.paid","name":"Åsa"}';
const good = signed(body);
/** What a check says of each of these, in order. */
const cases: readonly (readonly [headers: Headers, body: string, genuine: boolean])[] = [
  [good, body, true],
  [{ ...good, 'webhook-signature': `v1,AAAA ${good['webhook-signature']}` }, body, true],
  [signed(vector.body), vector.body, true],
  [good, `${body} `, false],
  [{ ...good, 'webhook-id': 'evt_other' }, body, false],
  [{ ...good, 'webhook-signature': 'v1,AAAA' }, body, false],
  [signed(body, String(nowSeconds() - 600)), body, false],
];

const programOf = (sample: string) => import(`data:text/javascript,${encodeURIComponent(sample)}`);

test('the check in Node.js takes what we sign and nothing else', async () => {
  const { isGenuine } = await programOf(nodeCheck);
  expect(cases.map(([headers, text]) => isGenuine(headers, Buffer.from(text), secret))).toEqual(
    cases.map(([, , is]) => is),
  );
  expect(isGenuine({}, body, secret)).toBe(false);
});

test.each(['standardwebhooks', 'svix'])('the check with %s reads what we sign and nothing else', async (library) => {
  const found = pathToFileURL(createRequire(import.meta.url).resolve(library)).href;
  const { readEvent } = await programOf(libraryCheck.replace('standardwebhooks', found));
  expect(readEvent(good, body, secret)).toEqual(JSON.parse(body));
  for (const [headers, text, genuine] of cases) if (!genuine) expect(() => readEvent(headers, text, secret)).toThrow();
});

/** Each reads the cases as JSON from its standard input, and prints a line of `true` or `false` for each. */
const languages = [
  {
    name: 'Python',
    command: 'python3',
    file: 'check.py',
    program: `${pythonCheck}
import json, sys
for each in json.load(sys.stdin):
    print(str(is_genuine(each["headers"], each["body"].encode(), each["secret"])).lower())
`,
  },
  {
    name: 'PHP',
    command: 'php',
    file: 'check.php',
    program: `<?php
${phpCheck}
foreach (json_decode(file_get_contents('php://stdin'), true) as $each)
  echo isGenuine($each['headers'], $each['body'], $each['secret']) ? "true\n" : "false\n";
`,
  },
  {
    name: 'Ruby',
    command: 'ruby',
    file: 'check.rb',
    program: `${rubyCheck}
require "json"
JSON.parse($stdin.read).each { |each| puts genuine?(each["headers"], each["body"], each["secret"]) }
`,
  },
  {
    name: 'Go',
    command: 'go',
    args: ['run'],
    file: 'check.go',
    program: `${goCheck.replace('package webhook', 'package main').replace('import (', 'import (\n\t"encoding/json"\n\t"fmt"\n\t"os"')}
func main() {
	var cases []struct{ Headers map[string]string; Body, Secret string }
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	for _, each := range cases {
		headers := http.Header{}
		for name, value := range each.Headers {
			headers.Set(name, value)
		}
		fmt.Println(IsGenuine(headers, []byte(each.Body), each.Secret))
	}
}
`,
  },
];

function isInstalled(command: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

for (const { name, command, args = [], file, program } of languages) {
  test.runIf(isInstalled(command))(`the check in ${name} takes what we sign and nothing else`, async () => {
    const path = join(folder, file);
    writeFileSync(path, program);
    const env = { ...process.env, GOCACHE: join(folder, 'go-cache'), GO111MODULE: 'off' };
    const running = promisify(execFile)(command, [...args, path], { env });
    running.child.stdin?.end(JSON.stringify(cases.map(([headers, text]) => ({ headers, body: text, secret }))));
    const { stdout } = await running;
    expect(stdout.trim().split('\n')).toEqual(cases.map(([, , genuine]) => String(genuine)));
  });
}
