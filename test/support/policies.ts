/** The shipped policies on a small window, and what the agent would do with them, without a model. */
import {
  acceptBlock,
  acceptSummary,
  checkBreaker,
  createIncrementalView,
  fallback,
  fieldsOf,
  limitsOf,
  planCompaction,
  Policy,
  serverRequest,
  summaryRequest,
} from '../../src/context/index.ts';
import type { Acceptance, Answer, Core, Cut, IncrementalView, Plan } from '../../src/context/index.ts';
import type { SummaryFields, SummaryValue } from '../../src/context/index.ts';
import { findHome, listNames } from '../../src/config/home.ts';
import { loadContextPrompts, loadPolicy } from '../../src/config/load-agent.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import { findFault } from '../../src/transcript/protocol.ts';
import { expect } from 'vitest';
import { view } from '../../src/context/index.ts';
import { usageOf } from './transcripts.ts';
import type { Log } from './transcripts.ts';

const home = findHome('.');
/** Every file of config/context, so that a new policy is tested without an edit; `demo` is `two-agent` with small numbers. */
export const POLICY_NAMES: readonly string[] = listNames(home, 'config/context')
  .flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? [])
  .filter((name) => name !== 'demo');
export type PolicyName = string;

type Changes = { [Section in keyof Policy]?: unknown };

/** Of one prompt and few fields, a window of 40 000 tokens, compacting above 20 000. */
const SMALL: Changes = {
  trigger: { ratio: undefined, tokens: 20_000, reserve: 2000 },
  target: { steps: undefined },
  keep: { maxTokens: 6000 },
  longResult: { over: 1500, head: 400, tail: 300, errors: 200 },
  summary: { maxOutputTokens: 4000, maxTokens: 1500 },
};

const shipped = new Map(
  await Promise.all(POLICY_NAMES.map(async (name) => [name, await loadPolicy(home, name)] as const)),
);
const prompts = new Map(
  await Promise.all(
    [...shipped].map(async ([name, policy]) => [name, await loadContextPrompts(home, policy)] as const),
  ),
);

export function shippedPolicy(name: PolicyName): Policy {
  const policy = shipped.get(name);
  if (policy === undefined) throw new Error(name);
  return policy;
}

/** A small limit for a policy that limits messages. */
export function fewMessages(name: PolicyName): { messages?: number } {
  return shippedPolicy(name).trigger.messages === undefined ? {} : { messages: 16 };
}

function merge(policy: Policy, changes: Changes): Policy {
  const merged = Object.entries(changes).map(([key, change]) => {
    const old = policy[key as keyof Policy];
    const section =
      typeof old === 'object' && !Array.isArray(old) && typeof change === 'object' && !Array.isArray(change);
    return [key, section ? { ...old, ...change } : change];
  });
  return Policy.parse({ ...policy, ...(Object.fromEntries(merged) as object) });
}

export function smallCore(
  name: PolicyName,
  changes: Changes = {},
  more: Partial<Omit<Core, 'policy' | 'budget'>> & { budget?: Partial<Core['budget']> } = {},
): Core {
  const archive = shippedPolicy(name).summary.archive === undefined ? {} : { summary: { archive: 4000 } };
  const { budget, ...rest } = more;
  const texts = prompts.get(name);
  if (texts === undefined) throw new Error(name);
  return {
    policy: merge(merge(merge(shippedPolicy(name), SMALL), archive), changes),
    prompts: texts,
    fields: {
      state: { type: 'string', about: 'where the work stands', optional: false },
      facts: { type: 'list', about: 'what was found', optional: false },
    },
    budget: { window: 40_000, maxOutput: 4000, floor: 500, ...budget },
    ...rest,
  };
}

/** A valid answer for these fields, with every line in the first list. */
export function answerFor(core: Core, lines: readonly string[], change: Partial<Answer> = {}): Answer {
  const text = `<compact_summary>\n${JSON.stringify(valueFor(fieldsOf(core), [...lines]))}\n</compact_summary>`;
  return { content: [{ type: 'text', text }], stopReason: 'end_turn', usage: usageOf(1000), ...change };
}

function valueFor(fields: SummaryFields, lines: string[]): SummaryValue {
  let left = lines;
  return Object.fromEntries(
    Object.entries(fields).map(([name, { type, fields: inner }]): [string, SummaryValue] => {
      if (type === 'string') return [name, 'under way'];
      const said = left;
      left = [];
      return [name, type === 'list' ? said : valueFor(inner ?? {}, said)];
    }),
  );
}

export function blockFor(lines: readonly string[]): Answer {
  const content = ['Under way.', ...lines.map((line) => `- ${line}`)].join('\n');
  const block = {
    type: 'compaction' as const,
    content,
    encrypted_content: 'sealed',
    signature: 'signed',
    tool_changes: [],
  };
  return { content: [block], stopReason: 'compaction', usage: usageOf(1000) };
}

export function faultOf(entries: readonly Entry[]) {
  const { messages, rewrittenThrough } = view(entries);
  return findFault(messages, { boundThinking: true, prefill: false, rewrittenThrough });
}

/**
 * Tokens that a view may have after this plan: the target of the policy, and more only with a large message or step that the
 * model has not read yet (docs/internals/compaction-cases.md T16).
 */
export function mostAfter({ entries }: Log, core: Core, plan: Plan): number {
  const { target, trigger } = limitsOf(core.policy, core.budget);
  if (plan.type !== 'cut' || plan.pressure.target <= target) return target;
  expect(plan.pressure.target).toBeLessThan(trigger);
  const last = entries.findLast((entry) => entry.type === 'message');
  expect(last).toMatchObject({ message: { role: 'user' } });
  return plan.pressure.target;
}

export type Round = { plan: Plan; accepted?: Acceptance };

/** One compaction as the agent makes it, with a summariser that says `lines`, or with none. */
export function compactBy(log: Log, core: Core, lines: readonly string[] | undefined, reason = 'threshold'): Round {
  const plan = planCompaction(followLog(log, core).snapshot(log.entries), core, { reason });
  if (plan.type !== 'cut') return { plan };
  const accepted = acceptBy(log, core, plan, lines);
  if (accepted.ok) log.append(accepted.entry);
  return { plan, accepted };
}

const followed = new WeakMap<Log, { core: Core; view: IncrementalView }>();

/** As the agent does it: only the entries that are new are read, where a test asks after every step. */
function followLog(log: Log, core: Core): IncrementalView {
  const known = followed.get(log);
  if (known?.core === core) return known.view;
  const view = createIncrementalView(core);
  followed.set(log, { core, view });
  return view;
}

function acceptBy({ entries }: Log, core: Core, cut: Cut, lines: readonly string[] | undefined): Acceptance {
  if (lines === undefined || cut.by === 'code') return fallback(entries, core, cut, 'timeout');
  if (cut.by === 'server' && serverRequest(entries, core, cut) !== undefined)
    return acceptBlock(entries, core, cut, blockFor(lines));
  const request = summaryRequest(entries, core, cut);
  if (request === undefined) return fallback(entries, core, cut, 'request_too_large');
  return acceptSummary(entries, core, cut, answerFor(core, lines));
}

/** Compacts when it is due, as before every model call; says what came of it. */
export function fit(log: Log, core: Core, lines: readonly string[] | undefined): Round | 'stuck' | undefined {
  if (!followLog(log, core).pressure(log.entries).due) return undefined;
  if (checkBreaker(log.entries, core.policy).state === 'stuck') return 'stuck';
  return compactBy(log, core, lines);
}
