/** Who may do what with a store: TLS that names its server, roles with the grants of docs/operations.md, and a project that names its store. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lastJson, tandem, type Finished } from '../support/cli.ts';
import { servedPage } from '../support/served-page.ts';
import { startPostgres, type PostgresServer } from '../support/servers.ts';

const RUN = 'r1';
const GATE = ['--profile', 'demo', '--on-gate'];

let server: PostgresServer;
let root: string;
let [project, home]: [string, string] = ['', ''];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tandem-access-'));
  for (const name of ['ours', 'other']) {
    await mkdir(join(root, name));
    openssl(['req', '-x509', ...KEY, '-days', '2', '-subj', `/CN=${name} CA`, ...files(name, 'ca')]);
  }
  await writeFile(join(root, 'names'), 'subjectAltName=DNS:localhost');
  openssl(['req', ...KEY, '-subj', '/CN=db', '-keyout', at('ours', 'key'), '-out', at('ours', 'csr')]);
  const by = ['-CA', at('ours', 'ca'), '-CAkey', at('ours', 'ca.key'), '-CAcreateserial', '-days', '2'];
  openssl([
    'x509',
    '-req',
    '-in',
    at('ours', 'csr'),
    ...by,
    '-extfile',
    join(root, 'names'),
    '-out',
    at('ours', 'cert'),
  ]);
  server = await startPostgres({ tls: { cert: at('ours', 'cert'), key: at('ours', 'key') } });
  [project, home] = [join(root, 'project'), join(root, 'home')];
  await mkdir(join(project, 'scenarios'), { recursive: true });
  expect((await tandem(project, ['init', 'small-desk'], { HOME: home })).code).toBe(0);
});
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

function at(who: string, what: string): string {
  return join(root, who, `${what}.pem`);
}

function files(who: string, what: string): string[] {
  return ['-keyout', at(who, `${what}.key`), '-out', at(who, what)];
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' });
}

function as(role: string, { host = 'localhost', ca = 'ours', space = 'tandem' } = {}): string {
  const tls = `sslmode=verify-full&sslrootcert=${encodeURIComponent(at(ca, 'ca'))}`;
  return `postgres://${role}@${host}:${server.port}/postgres?${tls}&space=${space}`;
}

function by(store: string, ...args: string[]): Promise<Finished> {
  return tandem(project, args, { TANDEM_STORE: store, HOME: home });
}

/** The statements of docs/operations.md, with the database that is here. */
async function grantsOf(page: string): Promise<string> {
  const text = await readFile(resolve(page), 'utf8');
  const sql = [...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, block]) => block ?? '').join('\n');
  expect(sql).toContain('GRANT');
  return sql.replaceAll('DATABASE tandem', 'DATABASE postgres');
}

test('a store is connected over TLS to the server that its CA names, and to no other', async () => {
  expect((await by(as('tandem', { space: 'tls' }), 'status', '--json')).code).toBe(0);
  const wrong = await by(as('tandem', { ca: 'other' }), 'status');
  expect(wrong, wrong.stderr).toMatchObject({ code: 2 });
  expect(wrong.stderr).toMatch(/TLS fails: .*(certificate|signed).* sslrootcert/);
  const elsewhere = await by(as('tandem', { host: '127.0.0.1' }), 'status');
  expect(elsewhere, elsewhere.stderr).toMatchObject({ code: 2 });
  expect(elsewhere.stderr).toContain('TLS fails');
  const none = await by(as('tandem', { ca: 'nobody' }), 'status');
  expect(none, none.stderr).toMatchObject({ code: 2 });
  expect(none.stderr).toContain('nobody');
  for (const { stderr } of [wrong, elsewhere, none]) expect(stderr).not.toMatch(/\n\s+at /);
}, 60_000);

test('owner, worker and reader do what their grants say, and no more', async () => {
  const [before = '', after = ''] = (await grantsOf('docs/operations.md')).split('-- after the first command');
  await server.query(before);
  const early = await by(as('tandem_worker'), 'status');
  expect(early, early.stderr).toMatchObject({ code: 2 });
  expect(early.stderr).toContain('docs/operations.md lists the grants');
  expect((await by(as('tandem_owner'), 'status')).code).toBe(0);
  await server.query(after);

  const worker = as('tandem_worker');
  const waiting = await by(worker, 'run', 'small-desk', '--id', RUN, ...GATE, 'exit');
  expect(waiting, waiting.stderr).toMatchObject({ code: 4 });
  const reader = as('tandem_reader');
  const [gate] = JSON.parse((await by(reader, 'gates', 'list', '--json')).stdout) as { digest: string }[];
  const refused = await by(reader, 'gates', 'approve', RUN, '--digest', gate?.digest ?? '', '--accept');
  expect(refused, refused.stderr).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('docs/operations.md lists the grants');
  const done = await by(worker, 'resume', RUN, ...GATE, 'auto:demo', '--json');
  expect(lastJson(done), done.stderr).toMatchObject({ status: 'succeeded' });

  for (const args of [['status'], ['status', RUN], ['verify', RUN], ['context', 'show', RUN], ['gates', 'list']]) {
    const seen = await by(reader, ...args);
    expect(seen, `${args.join(' ')}: ${seen.stderr}`).toMatchObject({ code: 0 });
  }
  expect(await servedPage({ project, env: { TANDEM_STORE: reader, HOME: home } }, `/runs/${RUN}`)).toContain(
    'Target met',
  );
}, 120_000);

test('a migration by the owner sees older workers, whose role is another, and waits for them to go', async () => {
  await server.query(`
    CREATE SCHEMA old_runs AUTHORIZATION tandem_owner; SET ROLE tandem_owner;
    CREATE TABLE old_runs.meta (one boolean PRIMARY KEY DEFAULT true, version int NOT NULL);
    INSERT INTO old_runs.meta VALUES (true, 0)`);
  const owner = as('tandem_owner', { space: 'old' });
  expect((await by(owner, 'status')).stderr).toContain('tandem store migrate');
  const older = new Client({ connectionString: as('tandem_worker'), application_name: 'tandem-store v0' });
  await older.connect();
  const early = await by(owner, 'store', 'migrate');
  expect(early, early.stderr).toMatchObject({ code: 2 });
  expect(early.stderr).toContain('nothing was changed');
  await older.end();
  const migrated = await by(owner, 'store', 'migrate', '--json');
  expect(lastJson(migrated), migrated.stderr).toMatchObject({ from: 0 });
  expect((await by(owner, 'status')).code).toBe(0);
}, 60_000);

test('a project names its store, and the password is in no file', async () => {
  const secret = 'correct-horse-battery';
  const marker = await readFile(join(project, 'tandem.yaml'), 'utf8');
  const url = as('tandem', { space: 'own' });
  const named = `${marker}\nstore: { url: ${JSON.stringify(url)}, password_from: DESK_PASSWORD }\n`;
  await writeFile(join(project, 'tandem.yaml'), named);
  const env = { HOME: home, DESK_PASSWORD: secret };
  const ran = await tandem(project, ['run', 'small-desk', '--id', 'own', ...GATE, 'auto:demo'], env);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const [row] = (await server.query("SELECT count(*)::int AS runs FROM own_runs.run WHERE id NOT LIKE 'shared/%'")) as {
    runs: number;
  }[];
  expect(row).toEqual({ runs: 1 });
  expect(ran.stdout + ran.stderr).not.toContain(secret);
  for (const file of await readdir(root, { recursive: true, withFileTypes: true }))
    if (file.isFile())
      expect((await readFile(join(file.parentPath, file.name))).includes(secret), file.name).toBe(false);
  const [found] = (await server.query(
    `SELECT count(*)::int AS pieces FROM own_runs.piece WHERE position('${secret}'::bytea IN body) > 0`,
  )) as { pieces: number }[];
  expect(found).toEqual({ pieces: 0 });
  const unset = await tandem(project, ['status'], { HOME: home });
  expect(unset.stderr).toContain('DESK_PASSWORD');
  await writeFile(join(project, 'tandem.yaml'), marker);
}, 60_000);
