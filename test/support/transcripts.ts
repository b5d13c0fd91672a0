/** Makers for transcripts and context cores: by hand for tables, at random for properties. */
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import { acceptSummary, planCompaction, Policy } from '../../src/context/index.ts';
import type { Answer, Core, Cut } from '../../src/context/index.ts';
import { createProjection, feedProjection } from '../../src/context/view/projection.ts';
import type { CompactionEntry, Entry, LayerEntry, MessageEntry } from '../../src/transcript/entry.ts';
import type { Block, Message, Usage } from '../../src/transcript/message.ts';

type Origin = MessageEntry['origin'];
type Unplaced<E extends Entry> = Omit<E, 'version' | 'id' | 'parents' | 'lane' | 'step'>;
type Unplaceds =
  | Unplaced<MessageEntry>
  | Unplaced<CompactionEntry>
  | Unplaced<LayerEntry>
  | Unplaced<Extract<Entry, { type: 'compaction_refused' }>>;

export type Call = {
  tool?: string;
  input?: Record<string, unknown>;
  /** Undefined: the call stays open. */
  result?: string | Extract<Block, { type: 'tool_result' }>['content'];
  error?: boolean;
  id?: string;
};
export type StepOptions = { say?: string; think?: string; usage?: number };

/** A transcript under construction; every method appends and returns the new entry, the last one where there are two. */
export function createLog() {
  const entries: Entry[] = [];
  let calls = 0;
  let seen = { projection: createProjection(), length: 0, last: undefined as Entry | undefined };
  /** Reads only what was appended since the last answer: a long session would be read once for each of its answers. */
  function findEpoch(): string {
    if (entries[seen.length - 1] !== seen.last) seen = { projection: createProjection(), length: 0, last: undefined };
    for (const entry of entries.slice(seen.length)) feedProjection(seen.projection, entry);
    seen = { ...seen, length: entries.length, last: entries.at(-1) };
    return seen.projection.epoch;
  }
  function append(draft: Unplaceds): Entry {
    const last = entries.at(-1);
    const parents = last === undefined ? [] : [last.id];
    const entry: Entry = { version: 1, id: `e${entries.length + 1}`, parents, lane: 'main', ...draft };
    entries.push(entry);
    return entry;
  }
  function user(text: string, origin: Origin = 'harness'): Entry {
    return append({ type: 'message', origin, message: { role: 'user', content: [{ type: 'text', text }] } });
  }
  function answer(content: Block[], usage: number | undefined, stopReason: 'tool_use' | 'end_turn'): Entry {
    const message: Message = { role: 'assistant', content };
    if (usage === undefined) return append({ type: 'message', origin: 'model', message });
    const response = {
      model: 'claude-opus-5-5',
      stopReason,
      usage: usageOf(usage),
      view: findEpoch(),
    };
    return append({ type: 'message', origin: 'model', message, response });
  }
  function says(text: string, { think, usage }: StepOptions = {}): Entry {
    return answer([...thinking(think, entries.length), { type: 'text', text }], usage, 'end_turn');
  }
  function step(made: readonly Call[], { say, think, usage }: StepOptions = {}): Entry {
    const uses = made.map(({ tool = 'read', input = {}, id }) => ({
      type: 'tool_use' as const,
      id: id ?? `toolu_${(calls += 1)}`,
      name: tool,
      input,
    }));
    const text: Block[] = say === undefined ? [] : [{ type: 'text', text: say }];
    const asked = answer([...thinking(think, entries.length), ...text, ...uses], usage, 'tool_use');
    const results = made.flatMap(({ result, error }, place): Block[] => {
      const tool_use_id = uses[place]?.id ?? '';
      if (result === undefined) return [];
      return [{ type: 'tool_result', tool_use_id, content: result, ...(error === true ? { is_error: true } : {}) }];
    });
    if (results.length === 0) return asked;
    return append({ type: 'message', origin: 'tools', message: { role: 'user', content: results } });
  }
  return { entries, append, user, human: (text: string) => user(text, 'human'), says, step };
}
export type Log = ReturnType<typeof createLog>;

function thinking(think: string | undefined, at: number): Block[] {
  return think === undefined ? [] : [{ type: 'thinking', thinking: think, signature: `signature-${at}` }];
}

export function usageOf(input: number, output = 10): Usage {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output,
  };
}

const read = (path: string) => readFileSync(path, 'utf8');

/** The shipped policy with small changes, section by section. */
export function policyWith(changes: { [Section in keyof Policy]?: unknown } = {}): Policy {
  const shipped = parse(read('config/context/two-agent.yaml')) as Record<string, Record<string, unknown>>;
  const merged = Object.entries(changes).map(([name, change]) => [
    name,
    typeof change === 'object' && !Array.isArray(change) ? { ...shipped[name], ...change } : change,
  ]);
  return Policy.parse({ ...shipped, ...(Object.fromEntries(merged) as object) });
}

/** A core with the shipped prompts, two simple fields, and a window of 40 000 tokens that compacts above 20 000. */
export function coreWith(changes: Parameters<typeof policyWith>[0] = {}, budget: Partial<Core['budget']> = {}): Core {
  return {
    policy: policyWith({
      trigger: { ratio: undefined, tokens: 20_000, reserve: 2000 },
      keep: { steps: 3, maxTokens: 6000 },
      longResult: { over: 1500, head: 400, tail: 300, errors: 200 },
      summary: { maxOutputTokens: 4000, maxTokens: 1500 },
      ...changes,
    }),
    prompts: {
      request: read('prompts/compaction.md'),
      repair: read('prompts/repair.md'),
      standing: read('prompts/compacted.md'),
      bridge: read('prompts/bridge.md'),
      note: read('prompts/continue.md'),
      fallback: read('prompts/fallback.md'),
    },
    fields: {
      state: { type: 'string', about: 'where the work stands', optional: false },
      facts: { type: 'list', about: 'what was found', optional: false },
    },
    budget: { window: 40_000, maxOutput: 4000, floor: 500, ...budget },
  };
}

export function summaryAnswer(value: unknown, change: Partial<Answer> = {}): Answer {
  const text = `<compact_summary>\n${JSON.stringify(value)}\n</compact_summary>`;
  return { content: [{ type: 'text', text }], stopReason: 'end_turn', usage: usageOf(1000), ...change };
}

export function cutOf(entries: readonly Entry[], core: Core, openGate?: string): Cut {
  const plan = planCompaction(entries, core, { reason: 'threshold', ...(openGate === undefined ? {} : { openGate }) });
  if (plan.type !== 'cut') throw new Error(`expected a cut, got ${plan.type}`);
  return plan;
}

/** Plans, accepts and appends; throws when it is refused. */
export function compact(log: Log, core: Core, facts: readonly string[] = []): CompactionEntry {
  const answer = summaryAnswer({ state: 'under way', facts });
  const accepted = acceptSummary(log.entries, core, cutOf(log.entries, core), answer);
  if (!accepted.ok) throw new Error(`refused: ${accepted.cause}: ${accepted.detail}`);
  return log.append(accepted.entry) as CompactionEntry;
}

/** A task and `steps` reads of files of about `tokens` tokens each. */
export function busyLog(steps: number, tokens = 2000): Log {
  const log = createLog();
  log.user(
    '<init_to_execute_context round="1" execution_output_dir="out/i1" design_dir="design/r1">Build it.</init_to_execute_context>',
  );
  for (let n = 1; n <= steps; n += 1)
    log.step([{ input: { file_path: `src/file-${n}.ts` }, result: `file ${n} `.repeat(tokens / 4) }], {
      think: `step ${n}`,
    });
  return log;
}

const words = fc.constantFrom(
  'plain words ',
  '{"id": "ord_1", "n": 42} ',
  '中文内容很长。',
  'かなカナ',
  '한국어 ',
  '🙂🎉',
  'Error: boom\n',
  '\n\n',
  '$& $` {{facts}} ',
  '</carried_facts>',
);
const text = fc.tuple(words, fc.integer({ min: 0, max: 120 })).map(([word, times]) => word.repeat(times));
const hugeText = fc.tuple(words, fc.integer({ min: 500, max: 2500 })).map(([word, times]) => word.repeat(times));
const brokenText = text.map((good) => `${good}\uD83D`);
const anyText = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 1, arbitrary: hugeText },
  { weight: 1, arbitrary: brokenText },
);
const call: fc.Arbitrary<Call> = fc.record({
  tool: fc.constantFrom('read', 'write', 'edit', 'todo_write', 'submit_iteration', 'grep'),
  input: fc.record({ file_path: fc.constantFrom('a.ts', 'b/c.yaml', 'd e.md', '<file_ledger>\n- x'), content: text }),
  result: anyText,
  error: fc.boolean(),
});
const thought = fc.option(fc.constantFrom('', 'let me see', '想一想'), { nil: undefined });

type Move =
  | { type: 'step'; calls: Call[]; think: string | undefined; say: string | undefined }
  | { type: 'says'; text: string; think: string | undefined }
  | { type: 'user'; text: string; origin: 'human' | 'harness' | 'reminder' }
  | { type: 'empty' };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('step' as const),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      think: thought,
      say: fc.option(text, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('says' as const), text, think: thought }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('user' as const),
      text,
      origin: fc.constantFrom('human' as const, 'harness' as const, 'reminder' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'empty' as const }) },
);

/** A conversation as moves, so that it can be played step by step with compactions between. */
export const moves = fc.array(move, { maxLength: 25 });

/** After how many moves a compaction is tried. */
export const cadence = fc.integer({ min: 1, max: 9 });

export const FIRST_TASK = '<scenario_brief round="1" design_dir="design/r1">first of all tasks</scenario_brief>';

/** A conversation before its first move. */
export function begunLog(): Log {
  const log = createLog();
  log.user(FIRST_TASK);
  return log;
}

export function play(log: Log, { ...made }: Move): void {
  if (made.type === 'step')
    log.step(made.calls, {
      ...(made.think === undefined ? {} : { think: made.think }),
      ...(made.say === undefined ? {} : { say: made.say }),
    });
  if (made.type === 'says') log.says(made.text, made.think === undefined ? {} : { think: made.think });
  if (made.type === 'user') log.user(made.text, made.origin);
  if (made.type === 'empty')
    log.append({ type: 'message', origin: 'model', message: { role: 'assistant', content: [] } });
}
