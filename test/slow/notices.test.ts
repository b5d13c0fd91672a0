/** Notices in bad weather: senders are killed, receivers stumble and hang, and everybody hears everything once. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listNotices } from '../../src/app/notices/list-notices.ts';
import { findHome } from '../../src/config/home.ts';
import { loadReviewers } from '../../src/config/reviewers.ts';
import { readBook } from '../../src/gate/notices/notice-book.ts';
import { workersFolder } from '../../src/worker/presence.ts';
import { portIn } from '../support/chaos.ts';
import { start } from '../support/cli.ts';
import { scratch } from '../support/scratch.ts';
import { startRedis } from '../support/servers.ts';
import { openDesk, type Desk } from '../web/desk.ts';

const CHILD = fileURLToPath(new URL('../support/notices-child.ts', import.meta.url));
const FULL = process.env['TANDEM_STORMS'] === 'full';
const [RUNS, KILLS, WORKERS] = FULL ? [120, 40, 4] : [10, 5, 3];
/** Two that hang, three that stumble over every fifth message. */
const NAMES = ['one', 'two', 'three', 'hangs', 'hangs-too'];

type Receiver = { server: Server; url: string; taken: string[]; asked: number };

async function receiver(hangs: boolean): Promise<Receiver> {
  const seen = new Set<string>();
  const taken: string[] = [];
  const server = createServer((request, response) => {
    const id = String(request.headers['idempotency-key']);
    one.asked += 1;
    request.resume();
    if (hangs) return;
    const stumbles = one.asked % 5 === 0 && !seen.has(id);
    seen.add(id);
    if (!stumbles) taken.push(id);
    response.writeHead(stumbles ? 503 : 200).end();
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const one: Receiver = { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, taken, asked: 0 };
  return one;
}

let desk: Desk;
let receivers: Receiver[];
const children = new Set<ChildProcess>();

beforeEach(async () => {
  desk = await openDesk();
  receivers = await Promise.all(NAMES.map((name) => receiver(name.startsWith('hangs'))));
  const notices = NAMES.map((name, index) => `  - { kind: slack, name: ${name}, url_env: HOOK_${index} }`);
  await mkdir(join(desk.root, 'config'), { recursive: true });
  await mkdir(join(desk.root, 'scenarios'), { recursive: true });
  await writeFile(join(desk.root, 'config/reviewers.yaml'), `version: 1\nnotices:\n${notices.join('\n')}\n`);
});
afterEach(async () => {
  for (const child of children) await end(child);
  for (const { server } of receivers) {
    server.closeAllConnections();
    await new Promise<void>((settle) => server.close(() => settle()));
  }
  await desk.remove();
});

/** `aheadMs`: by how much its clock is ahead of that of this machine. */
function work(aheadMs = 0): ChildProcess {
  const hooks = Object.fromEntries(receivers.map(({ url }, index) => [`HOOK_${index}`, url]));
  const child = spawn(process.execPath, [CHILD, desk.root, String(aheadMs)], {
    env: { ...process.env, ...hooks },
    stdio: 'ignore',
  });
  children.add(child);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  children.delete(child);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test(
  'every receiver that is there gets every notice once, however often the sender is killed',
  async () => {
    for (let index = 0; index < WORKERS; index += 1) work();
    const ids: string[] = [];
    const perKill = RUNS / KILLS;
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (let more = 0; more < perKill; more += 1) ids.push((await desk.waiting(`run-${ids.length}`)).id);
      const heard = receivers[0]?.taken.length ?? 0;
      // Whoever sends now: it has said something since the last kill.
      await expect
        .poll(() => receivers[0]?.taken.length ?? 0, { timeout: 60_000, interval: 20 })
        .toBeGreaterThan(heard);
      const held = JSON.parse(await readFile(join(desk.root, 'scenarios/.keeper.json'), 'utf8')) as { holder: string };
      expect(held.holder).not.toBe('');
      for (const child of [...children].slice(0, WORKERS - 1)) await end(child);
      for (let index = 1; index < WORKERS; index += 1) work();
    }
    const expected = ids.map((id) => `${id}.HITL-1.r1.opened`).toSorted();
    const [one, two, three, hangs, hangsToo] = receivers;
    for (const { taken } of [one, two, three].filter((each) => each !== undefined)) {
      await expect.poll(() => [...new Set(taken)].toSorted(), { timeout: 90_000, interval: 100 }).toEqual(expected);
      // What was on its way at a kill goes out again under its id; nothing else does.
      expect(taken.length - expected.length).toBeLessThanOrEqual(4 * KILLS);
    }
    expect([hangs?.taken, hangsToo?.taken]).toEqual([[], []]);
    const read = { ...desk.read, clock: { now: () => new Date() } };
    const list = async () => listNotices(await loadReviewers(findHome(desk.root)), read);
    const failing = async () => (await list()).channels.filter(({ fault }) => fault !== undefined);
    await expect
      .poll(async () => (await failing()).map(({ name }) => name), { timeout: 60_000 })
      .toEqual(NAMES.slice(3));
    expect((await failing()).map(({ fault }) => fault?.why)).toEqual([
      expect.stringContaining('The hangs took no notice: it did not answer within 2.5 s. Mend the address in '),
      expect.stringContaining('The hangs-too took no notice: it did not answer within 2.5 s. Mend the address in '),
    ]);
    await expect.poll(async () => (await list()).undelivered.length, { timeout: 60_000 }).toBe(2 * RUNS);
    // Somebody new reads everything again, and sends what is new alone.
    for (const child of children) await end(child);
    const before = [one, two, three].map((each) => each?.taken.length ?? 0);
    work();
    await desk.waiting('last');
    const isThere = () => [one, two, three].every((each) => each?.taken.includes('last.HITL-1.r1.opened'));
    await expect.poll(isThere, { timeout: 60_000 }).toBe(true);
    expect([one, two, three].map((each) => each?.taken.length)).toEqual(before.map((count) => count + 1));
  },
  FULL ? 900_000 : 240_000,
);

test('a worker that was killed is said to be lost once, whichever sender says it; one that stopped in order is not', async () => {
  const redis = await startRedis();
  try {
    const env = { TANDEM_QUEUE: redis.url, ANTHROPIC_API_KEY: 'offline' };
    const healthy = receivers.slice(0, 3);
    const lost = ({ taken }: Receiver) => taken.filter((id) => id.endsWith('.lost'));
    const sends = async (name: string, aheadMs: number) => {
      for (let index = 0; index < WORKERS; index += 1) work(aheadMs);
      await desk.waiting(name);
      const heard = () => healthy.every(({ taken }) => taken.includes(`${name}.HITL-1.r1.opened`));
      await expect.poll(heard, { timeout: 60_000 }).toBe(true);
    };
    const endAll = async () => {
      for (const child of children) await end(child);
    };
    await sends('first', 0);
    // No channel of theirs has an address: the senders of this test are the only ones.
    const [killed, stopped] = [await present(desk.root, env), await present(desk.root, env)];
    killed.process.kill('SIGKILL');
    stopped.process.kill('SIGTERM');
    expect((await killed.process.done).signal).toBe('SIGKILL');
    expect((await stopped.process.done).code).toBe(143);
    await endAll();
    await sends('silent-for-seconds', 0);
    expect(healthy.map(lost)).toEqual([[], [], []]);
    await endAll();
    // Three minutes later, by the clock of those who look; then by others, who find it on record.
    for (const name of ['silent-for-minutes', 'again']) {
      await sends(name, 180_000);
      const book = { files: desk.read.shared, path: `scenarios/.workers/${killed.name}/notices.json` };
      const sent = async () => ((await readBook(book)) ?? []).filter(({ state }) => state === 'sent').length;
      await expect.poll(sent, { timeout: 60_000 }).toBe(3);
      await endAll();
    }
    const [first = ''] = healthy.flatMap(lost);
    expect(first).toMatch(new RegExp(`^worker\\.${killed.name}\\..+\\.lost$`));
    expect(healthy.map(lost)).toEqual([[first], [first], [first]]);
  } finally {
    await redis.stop();
  }
}, 180_000);

/** A real worker that has said that it is here. */
async function present(project: string, env: Record<string, string>) {
  const folder = workersFolder(project);
  const portFile = join(project, `port-${randomUUID()}`);
  const process = start(project, ['worker', '--listen', '127.0.0.1:0', '--port-file', portFile], env);
  await portIn(portFile);
  const name = (await readdir(folder)).find((one) => one.endsWith(`-${process.pid}`)) ?? '';
  expect(name).not.toBe('');
  return { process, name };
}

const run = promisify(execFile);
const snippet = async (language: string): Promise<string> =>
  new RegExp('```' + language + '\\n([\\s\\S]*?)```').exec(await readFile('docs/notices.md', 'utf8'))?.[1] ?? '';
const body = '{"version":1,"text":"ünïcode"}';
const now = 1_795_168_800;
const signed = (seconds: number, secret = 's3cret') =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
/** What a receiver must say to each: true to the first alone. */
const HEADERS = [
  signed(now),
  signed(now, 'other'),
  signed(now - 301),
  signed(now + 301),
  '',
  'v1=00',
  `${signed(now)}0`,
];
const ANSWERS = HEADERS.map((_, index) => index === 0);

test('the snippets of the webhook page take what is signed, and nothing else', async () => {
  const dir = await scratch();
  const given = JSON.stringify({ headers: HEADERS, body, now });
  const node = `${await snippet('js')}
const { headers, body, now } = ${given};
console.log(JSON.stringify(headers.map((one) => isFromTandem(one, body, 's3cret', now))));`;
  const python = `import json
${await snippet('python')}
given = json.loads(r'''${given}''')
print(json.dumps([is_from_tandem(one, given["body"].encode(), "s3cret", given["now"]) for one in given["headers"]]))`;
  await writeFile(join(dir, 'check.mjs'), node);
  await writeFile(join(dir, 'check.py'), python);
  expect(JSON.parse((await run(process.execPath, [join(dir, 'check.mjs')])).stdout)).toEqual(ANSWERS);
  expect(JSON.parse((await run('python3', [join(dir, 'check.py')])).stdout)).toEqual(ANSWERS);
  expect(await inGo(dir, given)).toEqual(ANSWERS);
});

/** By the compiler where there is one; else by what the snippet says: its pattern, its limits and what it signs, in its order. */
async function inGo(dir: string, given: string): Promise<unknown> {
  const go = await snippet('go');
  if ((process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'go')))) {
    const imports = [
      'crypto/hmac',
      'crypto/sha256',
      'encoding/hex',
      'encoding/json',
      'fmt',
      'regexp',
      'strconv',
      'time',
    ];
    const program = `package main
import (${imports.map((name) => `"${name}"`).join('; ')})
${go}
func main() {
	var given struct { Headers []string; Body string; Now int64 }
	if err := json.Unmarshal([]byte(${JSON.stringify(given)}), &given); err != nil { panic(err) }
	answers := []bool{}
	for _, one := range given.Headers {
		answers = append(answers, isFromTandem(one, []byte(given.Body), "s3cret", time.Unix(given.Now, 0)))
	}
	out, _ := json.Marshal(answers)
	fmt.Println(string(out))
}`;
    await writeFile(join(dir, 'check.go'), program);
    const env = { ...process.env, GOCACHE: join(dir, 'go-cache'), GO111MODULE: 'off' };
    return JSON.parse((await run('go', ['run', join(dir, 'check.go')], { env })).stdout);
  }
  const pattern = new RegExp(/MustCompile\(`(.+)`\)/.exec(go)?.[1] ?? 'none');
  const [, late, early] = /now\.Unix\(\) - seconds; age > (\d+) \|\| age < -(\d+)/.exec(go) ?? [];
  const written = [...go.matchAll(/mac\.Write\((.+)\)\n/g)].map(([, what]) => what);
  expect(written).toEqual(['[]byte(found[1] + ".")', 'body']);
  expect(go).toMatch(
    /hmac\.New\(sha256\.New, \[\]byte\(secret\)\)[^]*hex\.DecodeString\(found\[2\]\)[^]*hmac\.Equal\(/,
  );
  return HEADERS.map((header) => {
    const found = pattern.exec(header);
    const age = now - Number(found?.[1]);
    if (found === null || age > Number(late) || age < -Number(early)) return false;
    return createHmac('sha256', 's3cret').update(`${found[1]}.`).update(body).digest('hex') === found[2];
  });
}
