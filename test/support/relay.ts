/** A relay before the offline model: it passes requests on, or answers them itself as a test says. */
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import type { Finished } from './cli.ts';
import { initScenario, start, tandem } from './cli.ts';
import type { Reply } from './scripted-server.ts';

export type Who = 'init' | 'execute' | 'subject' | 'other';
/** `number`: among the calls of this one that came so far, from 1. `at`: when it came, in milliseconds. */
export type Passing = {
  path: string;
  who: Who;
  number: number;
  at: number;
  body: { model?: string; messages?: Message[] };
};
type Message = { role: string; content: string | { type: string }[] };

/** Undefined passes the request on; a promise holds it until then. */
export type Meddle = (passing: Passing) => Reply | undefined | Promise<undefined>;

export type RelayedDesk = {
  project: string;
  url: string;
  seen: Passing[];
  /** The answers of the model that are under way, and the most there were at once; a test may set them back. */
  underWay: { now: number; most: number };
  /** Replaces what the relay does from now on. */
  meddle: (by: Meddle) => void;
  tandem: (args: readonly string[], more?: Record<string, string>) => Promise<Finished>;
  start: (args: readonly string[], more?: Record<string, string>) => ReturnType<typeof start>;
  close: () => Promise<void>;
};

/** A project with the starter scenario `desk`, short waits, and a relay before its offline model. */
export async function relayedDesk(
  meddle: Meddle = () => undefined,
  /** Changes the project before the offline model reads its scripts. */
  prepare: (project: string) => Promise<void> = async () => undefined,
  /** Holds each request back for so long, so that calls which may overlap do. */
  latencyMs = 0,
): Promise<RelayedDesk> {
  const project = await mkdtemp(join(tmpdir(), 'tandem-relay-'));
  await mkdir(join(project, 'scenarios'));
  await initScenario(project, 'desk');
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  await writeFile(join(project, 'config/profiles/fast.yaml'), PROFILE);
  await prepare(project);
  const simulator = await startSimulator({ simulationDir: join(project, 'scenarios/desk/simulation') });
  const seen: Passing[] = [];
  let now = meddle;
  const underWay = { now: 0, most: 0 };
  const server = createServer((incoming, outgoing) => {
    void readAll(incoming).then(async (text) => {
      const passing = passingOf(incoming.url ?? '', text, seen);
      seen.push(passing);
      if (passing.path === '/v1/messages') countUntilAnswered(underWay, outgoing);
      await sleep(latencyMs);
      const reply = await now(passing);
      if (reply === undefined) passOn(simulator.url, incoming, { text, outgoing });
      else reply(outgoing);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'offline-key' };
  return {
    ...{ project, url, seen, underWay },
    meddle: (by) => (now = by),
    start: (args, more = {}) => start(project, args, { ...env, ...more }),
    tandem: (args, more = {}) => tandem(project, args, { ...env, ...more }),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await simulator.close();
    },
  };
}

function countUntilAnswered(underWay: RelayedDesk['underWay'], outgoing: ServerResponse): void {
  underWay.now += 1;
  underWay.most = Math.max(underWay.most, underWay.now);
  outgoing.once('close', () => (underWay.now -= 1));
}

const PROFILE = `version: 1
retry: { call_tries: 2, step_tries: 2, min_delay_ms: 5, max_delay_ms: 20 }
agents: { init: { keep_steps: 1 } }
`;

const NAMES: readonly [string, Who][] = [
  ['You are Init, the design agent', 'init'],
  ['You are Execute, the building agent', 'execute'],
  ['You work at the desk of a small library', 'subject'],
];

function passingOf(path: string, text: string, seen: readonly Passing[]): Passing {
  const body = (text === '' ? {} : JSON.parse(text)) as Passing['body'] & { system?: unknown };
  const system = JSON.stringify(body.system ?? '');
  const who = NAMES.find(([words]) => system.includes(words))?.[1] ?? 'other';
  const number = seen.filter((one) => one.who === who && one.path === path).length + 1;
  return { path, who, number, at: performance.now(), body };
}

export async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

type Exchange = { text: string; outgoing: ServerResponse };

export function passOn(target: string, { method, url, headers }: IncomingMessage, { text, outgoing }: Exchange): void {
  const { host: _host, ...rest } = headers;
  const asked = send(`${target}${url}`, { method, headers: rest }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  asked.on('error', () => outgoing.destroy());
  asked.end(text);
}
