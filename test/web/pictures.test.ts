/** Images of a conversation on its page (S3.10): those that its transcript names, as what it says they are, and nothing else. */
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { sealSignIn } from '../../src/web/guard/sign-in-session.ts';
import { createSigner } from '../../src/web/guard/signer.ts';
import { cookieName } from '../../src/web/routes/request.ts';
import { hashOf, png, say, stored } from '../support/pictures.ts';
import { signedIn, stranger, type Client } from './client.ts';
import { HOST } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();
let run: RunFolder;
let client: Client;
beforeEach(async () => {
  run = await desk.waiting('run-1');
  client = await signedIn(desk.review());
});

const TALK = '/runs/run-1/transcripts/init';
const PNG = png(3, 2, [[200, 0, 0]]);
const at = (hash: string, talk = TALK) => `${talk}/images/${hash}`;
const fileOf = (hash: string) => join(run.dir, 'transcripts/images', hash);

describe('an image that the transcript names', () => {
  test('stands in the page, in a message and in a tool’s result, and its bytes come as what they are', async () => {
    const image = await stored(run, PNG);
    await say(run, 'init', [image]);
    const page = await client.get(TALK);
    expect(page.text.match(new RegExp(`<img src="${at(hashOf(image))}" alt="Picture in e900[02]"`, 'g'))).toHaveLength(
      2,
    );
    expect(page.text).toContain('image/png, ');
    expect(page.text).not.toContain('(image)');
    const body = await client.get(at(hashOf(image)));
    expect(body.status).toBe(200);
    expect(
      Object.fromEntries(
        ['content-type', 'x-content-type-options', 'content-disposition', 'cache-control'].map((name) => [
          name,
          body.headers.get(name),
        ]),
      ),
    ).toEqual({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-disposition': `inline; filename="${hashOf(image).slice(0, 12)}.png"`,
      'cache-control': 'no-store',
    });
    expect(body.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(body.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  test('comes byte for byte', async () => {
    const image = await stored(run, PNG);
    await say(run, 'init', [image]);
    const { app } = desk.review();
    const response = await app.request(`http://${HOST}${at(hashOf(image))}`, {
      headers: { host: HOST, cookie: client.cookie() },
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG);
  });

  test('is allowed by that page’s policy, and by no other’s', async () => {
    await say(run, 'init', [await stored(run, PNG)]);
    const policyOf = async (path: string) => (await client.get(path)).headers.get('content-security-policy');
    expect(await policyOf(TALK)).toContain("; img-src 'self' data:; ");
    for (const path of ['/', '/runs/run-1', '/runs/run-1/gates/HITL-1.r1'])
      expect(await policyOf(path), path).toContain('; img-src data:; ');
  });

  test('is shown too where an older transcript holds its bytes', async () => {
    const data = PNG.toString('base64');
    const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data } };
    await say(run, 'init', [image]);
    const [, address = ''] = /<img src="([^"]+)"/.exec((await client.get(TALK)).text) ?? [];
    expect((await client.get(address)).headers.get('content-type')).toBe('image/png');
  });

  test('that was named after the first look is found', async () => {
    const first = await stored(run, PNG);
    await say(run, 'init', [first]);
    expect((await client.get(at(hashOf(first)))).status).toBe(200);
    const second = await stored(run, png(2, 2, [[0, 0, 9]]));
    expect((await client.get(at(hashOf(second)))).status).toBe(404);
    await say(run, 'init', [second], 9100);
    expect((await client.get(at(hashOf(second)))).status).toBe(200);
  });
});

describe('nothing else is served', () => {
  test.each([
    '0'.repeat(64),
    '..%2f..%2fevents%2f000000.json',
    '../init.jsonl',
    '%2e%2e/%2e%2e/scenario/scenario.yaml',
    `${'a'.repeat(64)}%00.png`,
    `${'a'.repeat(64)}/../../init.jsonl`,
    'A'.repeat(64),
    '',
  ])('%j is no picture', async (name) => {
    await say(run, 'init', [await stored(run, PNG)]);
    const page = await client.reach(at(name));
    expect(page.status).toBe(404);
    expect(page.text).not.toContain('run.created');
  });

  test('no image of another agent, another run, or of nobody, though its file is there', async () => {
    const [mine, others, nobodys] = [
      await stored(run, PNG),
      await stored(run, png(1, 2, [[1, 2, 3]])),
      await stored(run, png(2, 1, [[9, 9, 9]])),
    ];
    await say(run, 'init', [mine]);
    await say(run, 'chat', [others]);
    const elsewhere = await desk.waiting('run-2');
    await stored(elsewhere, PNG);
    await say(elsewhere, 'init', [await stored(elsewhere, png(5, 5, [[0, 0, 0]]))]);
    const asked = [
      at(hashOf(others)),
      at(hashOf(nobodys)),
      at(hashOf(mine), '/runs/run-2/transcripts/init'),
      at(hashOf(mine), '/runs/run-1/transcripts/images'),
      at(hashOf(mine), '/runs/run-1/transcripts/execute'),
    ];
    expect(await Promise.all(asked.map(async (path) => (await client.get(path)).status))).toEqual([
      404, 404, 404, 404, 404,
    ]);
    expect((await client.get(at(hashOf(others), '/runs/run-1/transcripts/chat'))).status).toBe(200);
  });

  test.each([
    [
      'image/svg+xml',
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'Images of type image/svg+xml are not shown here.',
    ],
    ['text/html', '<script>alert(1)</script>', 'Images of type text/html are not shown here.'],
    ['image/png', '<script>alert(1)</script>', 'The file is no image/png, whatever it is called.'],
    ['image/jpeg', '\x89PNG\r\n\x1a\n', 'The file is no image/jpeg, whatever it is called.'],
    ['image/png\r\nset-cookie: x=y', 'x', 'are not shown here.'],
    ['__proto__', 'x', 'are not shown here.'],
  ])('a %j that is none: the page says so, and the address has nothing', async (type, bytes, told) => {
    const image = await stored(run, Buffer.from(bytes, 'latin1'), type);
    await say(run, 'init', [image]);
    const page = await client.get(TALK);
    expect(page.text).toContain(told);
    expect(page.text).not.toContain('<img');
    const answer = await client.get(at(hashOf(image)));
    expect([answer.status, answer.headers.get('content-type')?.startsWith('text/html')]).toEqual([404, true]);
    expect(answer.text).not.toContain('<script>alert');
  });

  test('one hash under two types comes as the one that may be shown', async () => {
    const image = await stored(run, PNG);
    await say(run, 'init', [await stored(run, PNG, 'image/svg+xml'), image]);
    expect((await client.get(at(hashOf(image)))).headers.get('content-type')).toBe('image/png');
  });
});

describe('a file that is not what it was', () => {
  test.each([
    ['gone', (path: string) => rm(path), 'it is not there'],
    ['changed', (path: string) => writeFile(path, png(3, 2, [[0, 200, 0]])), 'it holds other bytes than it did'],
    ['a link', async (path: string) => (await rm(path), await symlink('/etc/hostname', path)), 'is a symbolic link'],
  ])('%s: is told in words at its place, and not served', async (_what, harm, told) => {
    const [image, whole] = [await stored(run, PNG), await stored(run, png(1, 1, [[1, 1, 1]]))];
    await say(run, 'init', [image, whole]);
    await harm(fileOf(hashOf(image)));
    const page = await client.get(TALK);
    expect(page.text).toMatch(new RegExp(`Look at picture 1\\.</p>\\s*<p class="picture-gone">[\\s\\S]*?${told}`));
    expect(page.text).not.toContain(desk.root);
    expect(page.text).toContain(`<img src="${at(hashOf(whole))}"`);
    const answer = await client.get(at(hashOf(image)));
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain(desk.root);
  });
});

test('who may not read the page may not see its pictures: strangers, and links that open another run', async () => {
  const image = await stored(run, PNG);
  await say(run, 'init', [image]);
  const review = desk.review();
  expect((await stranger(review).get(at(hashOf(image)))).status).toBe(401);
  const linked = async (gate: string) => {
    const until = desk.clock.now().getTime() + 60_000;
    const session = { id: 'a-session-of-a-link', name: 'bob', only: { gate, digest: 'x' }, until };
    const signer = createSigner('a secret of the test');
    const cookie = `${cookieName({ secure: false, signer })}=${sealSignIn(session, signer)}`;
    return (await stranger(review).get(at(hashOf(image)), { cookie })).status;
  };
  expect([await linked('run-2.HITL-1.r1'), await linked('run-1.HITL-1.r1')]).toEqual([403, 200]);
});
