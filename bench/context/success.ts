/** Tasks that can only be solved with what was said before a compaction: success beside cost, for our policies and the peers. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { MessageEntry } from '../../src/transcript/entry.ts';
import type { Message } from '../../src/transcript/message.ts';
import { allText } from '../../src/context-lab/replay/facts.ts';
import { seeded } from './random.ts';
import { createLog, code, type BenchScenario } from './scenarios.ts';

/** Small enough for three compactions in a conversation of this length. */
const SIZES = { window: 60_000, maxOutput: 8000, fixed: 4000 };
const LONG = 140_000;
const TASKS_PER_KIND = 2;

/** How what the task needs was said. */
export const KINDS = [
  'said by the person',
  'decided by the model',
  'read by a tool',
  'changed later',
  'two of them',
] as const;
type Kind = (typeof KINDS)[number];

export type SuccessTask = BenchScenario & { kind: string; solves: (request: readonly Message[]) => boolean };

function makeTasks(): SuccessTask[] {
  return KINDS.flatMap((kind, place) =>
    Array.from({ length: TASKS_PER_KIND }, (_, n) => makeTask(kind, 1 + place * TASKS_PER_KIND + n)),
  );
}

/** The tasks of a file in the shape of LongMemEval-S, else those of this bench. */
export function readTasks(file: string | undefined): SuccessTask[] {
  return file === undefined ? makeTasks() : readLongMemory(file);
}

function makeTask(kind: Kind, seed: number): SuccessTask {
  const random = seeded(seed);
  const log = createLog();
  const value = (n: number) => `v${seed}-${n}-${Math.floor(random() * 1e9).toString(36)}`;
  const [port, region, old] = [`PORT = ${value(0)}`, `REGION = ${value(1)}`, `PORT = ${value(2)}`];
  const saysFirst = kind === 'said by the person' || kind === 'two of them';
  const first = kind === 'changed later' ? ` We use ${old}.` : saysFirst ? ` We use ${port}.` : '';
  log.human(`Read the modules one by one.${first}`);
  for (let step = 1; log.tokens() < LONG; step += 1) {
    const text = code(random, 900 + Math.floor(random() * 1200));
    const isRead = (kind === 'read by a tool' && step === 3) || (kind === 'two of them' && step === 5);
    const found = kind === 'two of them' ? region : port;
    const call = { tool: 'read', input: { file_path: `src/m${step}.ts` }, result: isRead ? `${found}\n${text}` : text };
    log.step([call], kind === 'decided by the model' && step === 4 ? `Decision: ${port}.` : undefined);
    if (kind === 'changed later' && step === 6) log.human(`From now on ${port} instead.`);
  }
  log.says('All modules are read.');
  log.human('Write the command that deploys it, with the values that hold.');
  log.says('Done.');
  const needed = kind === 'two of them' ? [port, region] : [port];
  return {
    ...{ ...SIZES, name: `task ${seed}`, kind, messages: log.messages },
    facts: kind === 'changed later' ? [old, port] : needed,
    solves: (request) => needed.every((fact) => findLatest(request, fact) === fact),
  };
}

/** The script that solves a task: of each name it takes the value that stands last in the request, and knows nothing else. */
function findLatest(request: readonly Message[], fact: string): string | undefined {
  const [name = ''] = fact.split(' ');
  const values = request
    .map(allText)
    .join('\n')
    .match(new RegExp(`${name} = v\\d+-\\d-[a-z0-9]+`, 'g'));
  return values?.at(-1);
}

const LongMemory = z.array(
  z.looseObject({
    question_id: z.string(),
    question_type: z.string(),
    question: z.string(),
    answer: z.union([z.string(), z.number()]).transform(String),
    haystack_sessions: z.array(
      z.array(
        z.looseObject({ role: z.enum(['user', 'assistant']), content: z.string(), has_answer: z.boolean().optional() }),
      ),
    ),
  }),
);

/** Tasks in the shape of LongMemEval-S: solved where each turn that holds the answer, or the answer itself, is in the request. */
function readLongMemory(file: string): SuccessTask[] {
  return LongMemory.parse(JSON.parse(readFileSync(file, 'utf8'))).map((one) => {
    const log = createLog();
    const turns = one.haystack_sessions.flat();
    for (const { role, content } of turns) if (content.trim() !== '') log[role === 'user' ? 'human' : 'says'](content);
    log.human(one.question);
    log.says('Done.');
    const evidence = turns.flatMap(({ has_answer: holds, content }) => (holds === true ? [content] : []));
    return {
      ...{
        ...SIZES,
        name: one.question_id,
        kind: one.question_type,
        messages: startWithPerson(log.messages),
        facts: evidence,
      },
      solves: (request) => {
        const text = request.map(allText).join('\n');
        return text.includes(one.answer) || (evidence.length > 0 && evidence.every((turn) => text.includes(turn)));
      },
    };
  });
}

function startWithPerson(messages: readonly MessageEntry[]): MessageEntry[] {
  return messages.slice(messages.findIndex(({ origin }) => origin === 'human'));
}
