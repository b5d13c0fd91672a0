/** A subject that is a program: one process per trial, one line of JSON per input and per answer. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { omitUndefined } from '../../omit-undefined.ts';
import type {
  CommandSubjectOptions,
  Conversation,
  ConversationStart,
  SubjectHost,
  SubjectTurn,
} from '../../ports/subject.ts';
import { collectTail, killGroup } from '../mcp/program-transport.ts';
import { createSecretRedactor, MAX_ANSWER_CHARS, parseTurn, stoppedTurn } from './subject-answer.ts';

const KILL_MS = 1000;

export function commandSubject({ command, cwd, env }: CommandSubjectOptions): SubjectHost {
  const [file = '', ...args] = command;
  const names = ['PATH', 'HOME', 'LANG', ...env];
  return {
    open: async ({ prompt, tools, onExchange }) => {
      const own = omitUndefined(Object.fromEntries(names.map((name) => [name, process.env[name]])));
      const child = spawn(file, args, { cwd, env: own, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
      const secrets = env.flatMap((name) => (SECRET_NAME.test(name) ? (process.env[name] ?? []) : []));
      const talk = { onExchange, clean: createSecretRedactor(secrets) };
      return talkTo(child, { type: 'open', version: 1, prompt, tools }, talk);
    },
  };
}

/** Names of variables that hold a secret; the values of others may appear in outputs. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

type TalkOptions = { onExchange: ConversationStart['onExchange']; clean: (text: string) => string };

function talkTo(child: ChildProcess, opening: unknown, { onExchange, clean }: TalkOptions): Conversation {
  const stderr = collectTail(child.stderr, TAIL_CHARS);
  const over = new Promise<{ started: boolean; detail: string }>((resolve) => {
    child.once('error', (error) => resolve({ started: false, detail: error.message }));
    child.once('close', (code, killedBy) => {
      const how = killedBy ?? `exit code ${code}`;
      resolve({ started: true, detail: `its process ended (${how}) ${clean(stderr()).slice(-500).trim()}`.trim() });
    });
  });
  const nextLine = lineReader(child.stdout);
  // The end of the process reports a broken pipe.
  child.stdin?.on('error', () => undefined);
  let sent = '';
  const send = (value: unknown): void => {
    const line = `${JSON.stringify(value)}\n`;
    sent += line;
    child.stdin?.write(line);
  };
  send(opening);
  let turns = 0;
  return {
    async next(input, leftMs, signal): Promise<SubjectTurn> {
      signal.throwIfAborted();
      turns += 1;
      send(input ?? { type: 'continue' });
      const late = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
      const line = await Promise.race([nextLine().then(clean), over, waitForAbort(AbortSignal.any([signal, late]))]);
      onExchange?.({ request: sent, answer: Buffer.from(typeof line === 'object' || line === 'aborted' ? '' : line) });
      sent = '';
      signal.throwIfAborted();
      if (line === 'aborted') return stoppedTurn('seconds', 'the program did not answer in time');
      if (typeof line === 'object') return stoppedTurn(line.started ? 'crashed' : 'infrastructure', line.detail);
      return parseTurn(line, turns);
    },
    async close() {
      killGroup(child, 'SIGKILL');
      await Promise.race([over, delay(KILL_MS, undefined, { ref: false })]);
    },
  };
}

async function waitForAbort(signal: AbortSignal): Promise<'aborted'> {
  if (!signal.aborted) await once(signal, 'abort');
  return 'aborted';
}

/** Returns one line per call; extra lines are kept for later calls. */
function lineReader(stream: Readable | null): () => Promise<string> {
  const lines: PromiseWithResolvers<string>[] = [];
  const openLine = (index: number) => (lines[index] ??= Promise.withResolvers<string>());
  let [written, asked, partial] = [0, 0, ''];
  const take = (line: string): void => openLine((written += 1)).resolve(line);
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const parts = (partial + chunk).split('\n');
    partial = parts.pop() ?? '';
    for (const line of parts) if (line.trim() !== '') take(line);
    if (partial.length <= MAX_ANSWER_CHARS) return;
    // A line that is too long is passed on in order to be refused, and its rest is dropped.
    take(partial);
    stream.destroy();
  });
  return () => openLine((asked += 1)).promise;
}

/** Longer than the excerpt that is shown, so that it never begins with a part of a secret. */
const TAIL_CHARS = 5000;
