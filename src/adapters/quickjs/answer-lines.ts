/** Inside bubblewrap QuickJS has a process instead of a thread, which speaks the lines of the other hosts. */
import type { HostCall } from '../sandbox/host-process.ts';
import type { HostRequest } from '../sandbox/host.ts';
import { cacheValue } from '../sandbox/cached-values.mts';
import type { WorkerAnswer, WorkerData, WorkerQuestion } from './worker-messages.ts';

/** Node's type declarations leave this global out. */
declare const WebAssembly: { Module: new (bytes: Uint8Array) => object };

/** The settings as the argument of the process has them: `engine` is the path of the engine's file. */
export type ProcessSettings = Omit<WorkerData, 'engine'> & { engine: string };

export function readSettings(): WorkerData {
  const settings = JSON.parse(process.argv[2] ?? '') as ProcessSettings;
  const bytes = process.getBuiltinModule('node:fs').readFileSync(settings.engine);
  return { ...settings, engine: new WebAssembly.Module(bytes) };
}

/** Answers until standard input ends. Time is kept outside, where the process is killed when it is over. */
export async function answerLines(answer: (question: WorkerQuestion) => WorkerAnswer): Promise<void> {
  const { readLine, writeChannel } = await import('../sandbox/line-channel.mts');
  writeChannel('{"ready":true}');
  for (let line = readLine(); line !== undefined; line = readLine()) {
    const {
      token,
      keep,
      drop,
      args = [],
      same = [],
      kept = [],
      ...call
    } = JSON.parse(line) as HostRequest & Pick<HostCall, 'source'>;
    const reply = (spent: boolean, answers: string): void =>
      writeChannel(`{"token":"${token}","spent":${spent},"answers":${answers}}`);
    if (keep !== undefined) {
      reply(false, `[${cacheValue(line, keep, drop)}]`);
      continue;
    }
    const places = JSON.stringify({ same, kept }).slice(1, -1);
    const question = { ...call, given: { args: JSON.stringify(args), places }, keeps: [], times: 1 };
    const { over, answers } = answer({ ...question, timeoutMs: Number.POSITIVE_INFINITY });
    if (over === undefined) reply(false, answers);
    else reply(true, JSON.stringify([{ ok: false, ...over }]));
  }
}
