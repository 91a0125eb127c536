import fastify from 'fastify';
import { expect, test } from 'vitest';
import { SentParts, takeFiles } from './sent-parts.ts';

const limit = 1_000;

function server() {
  const pages = fastify();
  takeFiles(pages, limit);
  pages.post('/', async ({ body }) => {
    if (!(body instanceof SentParts)) return null;
    return { form: [...body.form], files: [...body.files] };
  });
  return pages;
}

async function send(form: FormData) {
  const request = new Request('http://localhost/', { method: 'POST', body: form });
  return await server().inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': request.headers.get('content-type') ?? '' },
    payload: Buffer.from(await request.arrayBuffer()),
  });
}

test('a form with a file is read as its fields and the bytes of its file', async () => {
  const form = new FormData();
  form.append('key', 'a key');
  form.append('picture', new File([Uint8Array.of(0, 255, 13, 10)], 'x.png', { type: 'image/png' }));
  form.append('other', new File([], ''));
  expect((await send(form)).json()).toEqual({
    form: [
      ['key', 'a key'],
      ['other', ''],
    ],
    files: [['picture', 'AP8NCg==']],
  });
});

test('a form that is too large, cut off or without its boundary is refused', async () => {
  const form = new FormData();
  form.append('picture', new File([Buffer.alloc(limit)], 'x.png'));
  expect((await send(form)).statusCode).toBe(413);
  for (const type of ['multipart/form-data; boundary=x', 'multipart/form-data']) {
    const headers = { 'content-type': type };
    const answer = await server().inject({ method: 'POST', url: '/', headers, payload: '--x\r\nContent-Disp' });
    expect(answer.json()).toMatchObject({ message: 'The form is malformed.' });
  }
});
