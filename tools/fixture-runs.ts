/** The trials of an iteration of ours in the shapes of tau-bench and tau2-bench: rows, and whole result files. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readNamedTrace } from '../src/evaluation/trial/read-trace.ts';
import { isJsonObject } from '../src/scenario/json/json-value.ts';
import { applyPatch, diffJson } from '../src/scenario/json/patch.ts';
import { Results, type TrialResult } from '../src/scenario/result.ts';
import { listCalls, Sample, type PatchOperation } from '../src/scenario/sample.ts';
import type { TraceLine } from '../src/scenario/trace.ts';

type Fields = Record<string, unknown>;
/** One trial of ours, with what the other benchmarks record of it. */
type Played = {
  source: string;
  sample: Sample;
  trace: TraceLine[];
  mustSay: string[];
  finalDiff: PatchOperation[];
  goldDiff: PatchOperation[];
  /** What our own evaluation found: the end state, and the words. */
  found: { DB: number; COMMUNICATE: number };
};

const DOMAIN = 'refund-desk';
const STOP = '###STOP###';

export async function playedIn(folder: string, iteration: number): Promise<Played[]> {
  const results = Results.parse(JSON.parse(await readFile(join(folder, 'results.json'), 'utf8')));
  return Promise.all(
    results.samples.flatMap(({ id, trials }) =>
      trials.map(async (trial): Promise<Played> => {
        const sample = Sample.parse(JSON.parse(await readFile(join(folder, `samples/${id}.json`), 'utf8')));
        const trace = await readNamedTrace(folder, trial.trace);
        return { source: `iteration ${iteration}, ${trial.trace}`, sample, trace, ...judged(sample, trace, trial) };
      }),
    ),
  );
}

function judged(sample: Sample, trace: readonly TraceLine[], trial: TrialResult) {
  const start = trace.find(({ type }) => type === 'start');
  const end = trace.find(({ type }) => type === 'end');
  const { end_state, must_say } = sample.expect;
  if (start?.type !== 'start' || end?.type !== 'end' || !isJsonObject(start.world))
    throw new Error(`${sample.id}: its trace holds no whole world.`);
  const wanted = typeof end_state === 'object' && 'patch' in end_state ? end_state.patch : [];
  const gold = applyPatch(start.world, wanted);
  if (!gold.ok) throw new Error(`${sample.id}: ${gold.fault}`);
  const evidence = trial.verdicts.find(({ checker }) => checker === 'expect')?.evidence ?? [];
  return {
    // These benchmarks know one wording each: that of the right path.
    mustSay: must_say.map(({ any }) => any.find((words) => sample.gold_says.includes(words)) ?? ''),
    finalDiff: diffJson(start.world, end.world),
    goldDiff: diffJson(start.world, gold.world),
    found: {
      DB: Number((trial.stateDiff ?? []).length === 0),
      COMMUNICATE: Number(!evidence.some((line) => line.startsWith('never said'))),
    },
  };
}

const reward = ({ found }: Played): number => found.DB * found.COMMUNICATE;

export function tau1Row(played: Played, trial: number): Fields {
  return {
    source: played.source,
    domain: DOMAIN,
    model: modelOf(played),
    task_id: played.sample.id,
    trial,
    termination: 'stop',
    messages: tau1Messages(played),
    gold_actions: tau1Gold(played),
    gold_action_errors: [],
    must_communicate: played.mustSay,
    instruction: played.sample.user.says_first,
    final_db_diff: played.finalDiff,
    gold_db_diff: played.goldDiff,
    recorded: { reward: reward(played), pass: reward(played) },
  };
}

/** A record of the list that tau-bench writes: it keeps its verdict, and no world. */
export function tau1Record(played: Played): Fields {
  const { DB, COMMUNICATE } = played.found;
  const info =
    played.mustSay.length === 0
      ? { r_actions: DB }
      : { r_outputs: COMMUNICATE, outputs: Object.fromEntries(played.mustSay.map((words) => [words, true])) };
  return {
    task_id: played.sample.id,
    trial: 0,
    reward: reward(played),
    info: {
      task: {
        user_id: played.sample.id,
        instruction: played.sample.user.says_first,
        actions: tau1Gold(played),
        outputs: played.mustSay,
      },
      reward_info: { reward: reward(played), info, actions: tau1Gold(played) },
    },
    traj: tau1Messages(played),
  };
}

function tau1Gold({ sample }: Played): Fields[] {
  return listCalls(sample.gold).map(({ tool, args }) => ({ name: tool, kwargs: args }));
}

/** As the Chat Completions API writes them. */
function tau1Messages({ trace }: Played): Fields[] {
  const messages = trace.flatMap((line, index): Fields[] => {
    if (line.type === 'user') return [{ role: 'user', content: line.text }];
    if (line.type === 'says') return [{ role: 'assistant', content: line.text }];
    if (line.type !== 'call') return [];
    const call = { name: line.tool, arguments: JSON.stringify(line.input) };
    const id = `call_${index}`;
    return [
      { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] },
      { role: 'tool', tool_call_id: id, name: line.tool, content: outputText(line.output) },
    ];
  });
  return [...messages, { role: 'user', content: STOP }];
}

export function tau2Row(played: Played): Fields {
  return {
    source: played.source,
    domain: DOMAIN,
    model: modelOf(played),
    task_id: played.sample.id,
    trial: 0,
    termination: 'user_stop',
    messages: tau2Messages(played),
    evaluation_criteria: criteriaOf(played),
    gold_action_errors: [],
    final_db_diff: played.finalDiff,
    gold_db_diff: played.goldDiff,
    env_assertion_results: [],
    recorded: { reward: reward(played), breakdown: played.found },
  };
}

/** The one file that tau2-bench writes: tasks, and the simulations that name them. */
export function tau2Results(all: readonly Played[]): Fields {
  const [first] = all;
  return {
    info: {
      git_commit: 'fixture',
      agent_info: { llm: first === undefined ? '' : modelOf(first) },
      environment_info: { domain_name: DOMAIN },
    },
    tasks: all.map((played) => ({ id: played.sample.id, evaluation_criteria: criteriaOf(played) })),
    simulations: all.map((played, index) => ({
      id: `s${index}`,
      task_id: played.sample.id,
      trial: 0,
      termination_reason: 'user_stop',
      messages: tau2Messages(played),
      reward_info: {
        reward: reward(played),
        reward_breakdown: played.found,
        db_check: { db_match: played.found.DB === 1, db_reward: played.found.DB },
        action_checks: criteriaOf(played).actions.map((action) => ({ action, action_match: true })),
      },
    })),
  };
}

function criteriaOf({ sample, mustSay }: Played) {
  return {
    actions: listCalls(sample.gold).map(({ tool, args }, index) => ({
      action_id: `${sample.id}_${index}`,
      requestor: 'assistant',
      name: tool,
      arguments: args,
      compare_args: null,
    })),
    env_assertions: null,
    communicate_info: mustSay,
    nl_assertions: null,
    reward_basis: ['DB', 'COMMUNICATE'],
  };
}

function tau2Messages({ trace }: Played): Fields[] {
  return trace.flatMap((line, index): Fields[] => {
    if (line.type === 'user') return [{ role: 'user', content: line.text, tool_calls: null }];
    if (line.type === 'says') return [{ role: 'assistant', content: line.text, tool_calls: null, cost: 0.001 }];
    if (line.type !== 'call') return [];
    const id = `call_${index}`;
    const call = { id, name: line.tool, arguments: line.input, requestor: 'assistant' };
    return [
      { role: 'assistant', content: null, tool_calls: [call], cost: 0.001 },
      { id, role: 'tool', content: outputText(line.output), requestor: 'assistant', error: line.is_error },
    ];
  });
}

function outputText(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function modelOf({ trace }: Played): string {
  const [start] = trace;
  return start?.type === 'start' ? start.model : '';
}
