/** Machines that share a store alone: each with a project folder, a home and a cache of its own. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { stringify } from 'yaml';
import { lastJson, tandem, type start } from './cli.ts';
import { GRADER, JUDGE } from './kind-grader.ts';
import { startPostgres, type PostgresServer } from './servers.ts';

export type Machine = { project: string; env: Record<string, string> };

/** For all tests of a file: a server, a folder with a project that has a scenario (`made`), and HTTP servers that are closed afterwards. */
export function useStoreServer(): { server: PostgresServer; root: string; made: string; https: Server[] } {
  const used = { https: [] as Server[] } as ReturnType<typeof useStoreServer>;
  beforeAll(async () => {
    used.server = await startPostgres();
    used.root = await mkdtemp(join(tmpdir(), 'tandem-machines-'));
    used.made = join(used.root, 'made');
    await mkdir(join(used.made, 'scenarios'), { recursive: true });
    expect((await tandem(used.made, ['init', 'small-desk'])).code).toBe(0);
  });
  afterAll(async () => {
    for (const one of used.https) {
      one.closeAllConnections();
      await new Promise((closed) => one.close(closed));
    }
    await used.server.stop();
    await rm(used.root, { recursive: true, force: true });
  });
  return used;
}

/** `made`: the project that each machine with a scenario begins with; `space`: the store of a test. */
export async function storeMachine(
  { root, made, server }: { root: string; made: string; server: Pick<PostgresServer, 'url'> },
  { space, user, hasScenario = true }: { space: string; user: string; hasScenario?: boolean },
): Promise<Machine> {
  const [project, home] = [join(root, space, user, 'project'), join(root, space, user, 'home')];
  await mkdir(home, { recursive: true });
  if (hasScenario) await cp(made, project, { recursive: true });
  else await mkdir(project);
  const store = `${server.url}?space=${space}`;
  return { project, env: { TANDEM_STORE: store, HOME: home, XDG_CACHE_HOME: join(home, 'cache'), USER: user } };
}

export const on = ({ project, env }: Machine, args: readonly string[], more: Record<string, string> = {}) =>
  tandem(project, args, { ...env, ...more });

export async function jsonOn<Value = Record<string, unknown>>(at: Machine, ...args: string[]): Promise<Value> {
  const done = await on(at, [...args, '--json']);
  expect(done, done.stderr).toMatchObject({ code: 0 });
  return lastJson(done) as Value;
}

export async function put({ project }: Pick<Machine, 'project'>, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(project, path)), { recursive: true });
  await writeFile(join(project, path), text);
}

/** `servers`: closed by the caller. */
export async function httpAt(servers: Server[], answer: (url: string, body: string) => 'taken' | 'never') {
  const http = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (answer(request.url ?? '', body) === 'taken') response.end('{}');
    });
  });
  servers.push(http);
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** With a grader among the files of the offline Execute, so that there is something to label. */
export async function graded(at: Pick<Machine, 'project'>): Promise<void> {
  const folder = 'scenarios/small-desk/simulation';
  await put(at, `${folder}/judge.yaml`, stringify(JUDGE));
  await put(at, `${folder}/files/graders/kind-refusal.yaml`, stringify(GRADER));
  const edit = async (file: string, from: string, to: string): Promise<void> => {
    const text = await readFile(join(at.project, folder, file), 'utf8');
    expect(text).toContain(from);
    await put(at, `${folder}/${file}`, text.replace(from, to));
  };
  const write = (name: string) =>
    `- { tool: write, input: { file_path: execution_outputs/iteration_1/${name} }, content_file: files/${name} }`;
  const known = write('checkers/renewed-as-allowed.mjs');
  await edit('execute.yaml', known, `${known}\n          ${write('graders/kind-refusal.yaml')}`);
  const list = '"checkers": ["loan-read-first", "renewed-as-allowed"]';
  await edit('files/samples/renew-reserved.json', list, `${list}, "graders": ["kind-refusal"]`);
}

/** Of `tandem serve --json`, as soon as it listens. */
export function portOf(page: ReturnType<typeof start>): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    page.stdout?.on('data', (more: string) => {
      text += more;
      if (text.includes('\n')) resolve((JSON.parse(text) as { port: number }).port);
    });
    page.done.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
}
