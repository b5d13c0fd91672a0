/** Converts a task of a tau2-bench domain to a sample. */
import { z } from 'zod';
import type { Call, PatchOperation, Sample } from '../../../scenario/sample.ts';
import { CriteriaShape, requiredWords } from '../runs/criteria-tau2.ts';
import type { JsonObject } from '../../../scenario/json/json-value.ts';

export type PlayedTask = {
  start: JsonObject;
  /** Changes from the domain's world to the start of the task. */
  startPatch: PatchOperation[];
  gold: Call[];
  /** Changes from the start to the end of the gold path. */
  endPatch: PatchOperation[];
  /** Sentences about missing or odd parts. */
  gaps: string[];
};

const Instructions = z.object({
  reason_for_call: z.string().default(''),
  known_info: z.string().nullish(),
  unknown_info: z.string().nullish(),
  task_instructions: z.string().nullish(),
});

export const Tau2Task = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  description: z
    .object({ purpose: z.string().nullish(), relevant_policies: z.string().nullish(), notes: z.string().nullish() })
    .nullish(),
  user_scenario: z.object({ instructions: z.union([z.string(), Instructions]) }),
  initial_state: z
    .object({
      initialization_data: z
        .object({
          agent_data: z.record(z.string(), z.unknown()).nullish(),
          user_data: z.record(z.string(), z.unknown()).nullish(),
        })
        .nullish(),
      initialization_actions: z.array(z.unknown()).nullish(),
      message_history: z.array(z.unknown()).nullish(),
    })
    .nullish(),
  evaluation_criteria: CriteriaShape.nullish(),
});
export type Tau2Task = z.infer<typeof Tau2Task>;

type TaskContext = {
  id: string;
  category: string;
  covers: readonly string[];
  played: PlayedTask;
  /** A path that must fail. */
  wrong: Call[];
  checkers: string[];
  /** Names of the user's tools. */
  userTools: ReadonlySet<string>;
  /** True when only predicates judge the end state. */
  endIsFree: boolean;
};

export function sampleOfTask(task: Tau2Task, context: TaskContext): Sample {
  const { id, category, covers, played, wrong, checkers, userTools, endIsFree } = context;
  const { instructions } = task.user_scenario;
  const known: Partial<z.infer<typeof Instructions>> =
    typeof instructions === 'string' ? { reason_for_call: instructions } : instructions;
  const words = requiredWords(task.evaluation_criteria);
  const acts = played.gold.filter(({ tool }) => userTools.has(tool)).map(toUserAct);
  return {
    id,
    title: task.description?.purpose ?? `${category} task ${task.id}`,
    category,
    covers: [...covers],
    start: { base: 'db', patch: played.startPatch },
    user: {
      says_first: known.reason_for_call?.trim() || 'Hello.',
      knows: parseKnownFacts(known.known_info ?? ''),
      does_not_know: known.unknown_info ? [known.unknown_info.trim()] : [],
      stops_when: known.task_instructions ?? 'the agent has finished',
      ...(acts.length === 0 ? {} : { acts }),
    },
    expect: {
      end_state: endIsFree ? 'any' : played.endPatch.length === 0 ? 'unchanged' : { patch: played.endPatch },
      must_say: words.map((word) => ({ any: listSpellings(word) })),
      must_not_call: [],
    },
    gold: played.gold,
    gold_says: words.join(' ') || 'It is done.',
    wrong,
    wrong_says: 'There is nothing I can do.',
    checkers,
    limits: {},
  };
}

/** The texts from which the covered rules are guessed. */
export function requiredWordsOfTask({ description, user_scenario: { instructions } }: Tau2Task): string {
  const reason = typeof instructions === 'string' ? instructions : instructions.reason_for_call;
  const about = [description?.purpose, description?.relevant_policies, description?.notes, reason];
  return about.filter(Boolean).join(' ');
}

/** The words of the subject on which the user makes the call. */
export function toTriggerPhrase(tool: string): string {
  return tool.replaceAll('_', ' ');
}

function toUserAct({ tool, args }: Call): NonNullable<Sample['user']['acts']>[number] {
  return { when: toTriggerPhrase(tool), calls: [{ tool, args }], says: `I did that: ${toTriggerPhrase(tool)}.` };
}

/** The benchmark removes commas from the text of the subject, so `1628` also matches "1,628". */
function listSpellings(word: string): string[] {
  if (!/^\d{4,}$/.test(word)) return [word];
  return [word, word.replaceAll(/\B(?=(\d{3})+$)/g, ',')];
}

/** `Your user id is sophia_7557.` becomes the user's answer to a question for the user id. */
function parseKnownFacts(text: string): Record<string, string> {
  const sentences = text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((part) => part.trim())
    .filter(Boolean);
  return Object.fromEntries(
    sentences.map((sentence, index) => {
      const match = /^your ([\w -]{2,40}?) (?:is|are) (.+?)\.?$/i.exec(sentence);
      if (match !== null) return [match[1]?.toLowerCase() ?? '', match[2] ?? ''];
      const name = /^you are (.+?)\.?$/i.exec(sentence);
      return name === null ? [`known ${index + 1}`, sentence] : ['name', name[1] ?? ''];
    }),
  );
}
