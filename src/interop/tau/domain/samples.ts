/** All tasks of a tau2-bench domain as samples, each played on the copied toolkit, and the checkers that judge them. */
import { stringify } from 'yaml';
import type { BusinessRule } from '../../../scenario/design.ts';
import type { Call, Sample } from '../../../scenario/sample.ts';
import type { GraderSpec } from '../../../scenario/grader.ts';
import { criteriaChecker } from './criteria-checker.ts';
import { createSlugs, type ImportedFiles } from '../../imported-files.ts';
import { findNearestRules } from './policy-rules.ts';
import { assertionsChecker } from './shims.ts';
import { violatesAssertion, changesSomething, playTask, wrongPath, type PlayContext } from './play-task.ts';
import { sampleOfTask, requiredWordsOfTask, type PlayedTask, type Tau2Task } from './task.ts';

export type TaskSet = {
  tasks: readonly Tau2Task[];
  rules: readonly BusinessRule[];
  category: string;
  playing: PlayContext;
};

type PreparedTask = { task: Tau2Task; id: string; covers: string[]; played: PlayedTask };

export async function samplesOfTasks(
  set: TaskSet,
  signal: AbortSignal,
): Promise<{ samples: Sample[]; checkers: ImportedFiles['files']; gaps: string[] }> {
  const { tasks, rules, category, playing } = set;
  const slug = createSlugs('task');
  const covers = findNearestRules(tasks.map(requiredWordsOfTask), rules);
  const made: PreparedTask[] = [];
  for (const [index, task] of tasks.entries()) {
    const id = slug(task.id.startsWith(category) ? task.id : `${category}-${task.id}`);
    made.push({ task, id, covers: covers[index] ?? [], played: await playTask(task, playing, signal) });
  }
  const gaps = made.flatMap(({ id, task, played }) =>
    [...played.gaps, ...describeGaps(task)].map((gap) => `samples/${id}.json: ${gap}`),
  );
  const samples: Sample[] = [];
  const graders = gradersOfStatements(made);
  const candidates = likelyMistakes(made, playing);
  for (const one of made) {
    const { wrong, gap } = await findWrongPath(one, { playing, candidates }, signal);
    const sample = toSample(one, category, { wrong, userTools: playing.stage.userTools ?? new Set() });
    const ids = graders.idsOf(one.task);
    samples.push(ids.length === 0 ? sample : { ...sample, graders: ids });
    if (gap !== undefined) gaps.push(gap);
  }
  gaps.push(
    'covers of each sample was guessed from shared words: review it',
    'user.says_first is the task’s reason for the call, told to the user in the second person: put it into the user’s own words',
  );
  return { samples, checkers: [...checkersFor(made, rules), ...graders.files], gaps };
}

function toSample(
  { task, id, covers, played }: PreparedTask,
  category: string,
  { wrong, userTools }: { wrong: Call[]; userTools: ReadonlySet<string> },
): Sample {
  const checkers = ['criteria', ...(listAssertions(task).length === 0 ? [] : ['assertions'])];
  const endIsFree = !isJudgedByEnd(task);
  return sampleOfTask(task, { id, category, covers, played, wrong, checkers, userTools, endIsFree });
}

/** Returns no calls when doing nothing fails: the gold path changes the world, or a predicate is false at the start. */
async function findWrongPath(
  { task, id, played: { start, endPatch } }: PreparedTask,
  { playing, candidates }: { playing: PlayContext; candidates: readonly Call[] },
  signal: AbortSignal,
): Promise<{ wrong: Call[]; gap?: string }> {
  const byEnd = isJudgedByEnd(task);
  const isWrong = byEnd ? changesSomething : violatesAssertion(listAssertions(task), playing, signal);
  const isIdleWrong = byEnd ? endPatch.length > 0 : demandsCalls(task) || (await isWrong(start, start));
  const wrong = isIdleWrong ? [] : await wrongPath(playing.stage, { start, candidates, isWrong }, signal);
  if (isIdleWrong || wrong.length > 0) return { wrong };
  return {
    wrong,
    gap: `samples/${id}.json: no path was found that ends wrong; write one into "wrong", or it proves nothing`,
  };
}

/** Lists the agent's calls of all gold paths, each once, and changing tools first, since one of those nearly always ends wrong. */
function likelyMistakes(made: readonly PreparedTask[], { shims }: PlayContext): Call[] {
  const changing = new Map(
    shims.map(({ name, side, method }) => [name, side === 'assistant' ? method.changes : undefined]),
  );
  const calls = made.flatMap(({ played }) => played.gold).filter(({ tool }) => changing.get(tool) !== undefined);
  const each = [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
  return [true, false].flatMap((changes) => each.filter(({ tool }) => changing.get(tool) === changes));
}

function demandsCalls({ evaluation_criteria: criteria }: Tau2Task): boolean {
  const isAsked = criteria?.reward_basis?.includes('ACTION') === true;
  return isAsked && (criteria.actions ?? []).some(({ requestor }) => requestor !== 'user');
}

/** The world is compared with the end of the gold path only if the reward basis says so. */
function isJudgedByEnd({ evaluation_criteria: criteria }: Tau2Task): boolean {
  return criteria?.reward_basis?.includes('DB') !== false;
}

/** Describes demands of the benchmark that our samples cannot express. */
function describeGaps(task: Tau2Task): string[] {
  const { initial_state: initial, evaluation_criteria: criteria } = task;
  const counted = countedStatements(task).length > 0;
  const basis = criteria?.reward_basis ?? ['DB'];
  const judging = ['DB', 'ENV_ASSERTION', 'COMMUNICATE', 'ACTION', 'NL_ASSERTION'] as const;
  return [
    ...((initial?.message_history ?? []).length > 0
      ? ['the words of its message_history were left out; what its calls did is in its start world']
      : []),
    ...((criteria?.nl_assertions ?? []).length === 0
      ? []
      : counted
        ? [
            'its nl_assertions became graders: write gold_says and wrong_says so that they can prove themselves; offline, a script must play them (docs/simulation.md)',
          ]
        : ['its nl_assertions are no part of its reward_basis: they were left out, as they count for nothing there']),
    ...(judging.some((part) => basis.includes(part))
      ? []
      : [`it is judged by ${basis.join(', ')} alone: nothing is left that could fail`]),
  ];
}

function listAssertions({ evaluation_criteria: criteria }: Tau2Task): object[] {
  const isAsked = criteria?.reward_basis?.includes('ENV_ASSERTION') === true;
  return isAsked ? (criteria.env_assertions ?? []) : [];
}

function checkersFor(made: readonly PreparedTask[], rules: readonly BusinessRule[]): ImportedFiles['files'] {
  const ids = rules.map(({ id }) => id);
  const criteria = Object.fromEntries(made.map(({ id, task }) => [id, task.evaluation_criteria ?? {}]));
  const asserted = made.filter(({ task }) => listAssertions(task).length > 0);
  const files = [{ path: 'checkers/criteria.mjs', content: criteriaChecker(criteria, ids) }];
  if (asserted.length === 0) return files;
  const table = Object.fromEntries(asserted.map(({ id, task }) => [id, listAssertions(task)]));
  const covered = [...new Set(asserted.flatMap(({ covers }) => covers))];
  return [...files, { path: 'checkers/assertions.py', content: assertionsChecker(table, covered) }];
}

/** In tau2-bench, statements count only when the task's basis names them. */
function countedStatements({ evaluation_criteria: criteria }: Pick<Tau2Task, 'evaluation_criteria'>): string[] {
  const isCounted = criteria?.reward_basis?.includes('NL_ASSERTION') === true;
  return isCounted ? (criteria.nl_assertions ?? []) : [];
}

type JudgedTask = { task: Pick<Tau2Task, 'evaluation_criteria'>; covers: readonly string[] };

export function gradersOfStatements(judged: readonly JudgedTask[]): {
  files: ImportedFiles['files'];
  idsOf: (task: JudgedTask['task']) => string[];
} {
  const graders = new Map<string, GraderSpec>();
  for (const { task, covers } of judged)
    for (const statement of countedStatements(task)) {
      const known = graders.get(statement);
      graders.set(statement, {
        id: known?.id ?? `statement-${graders.size + 1}`,
        question: `Is this true of the conversation? ${statement}`,
        rules: [...new Set([...(known?.rules ?? []), ...covers])],
        pass_when: `It is true: ${statement}`,
        fail_when: 'It is not true, or nothing in the record shows it.',
      });
    }
  return {
    files: [...graders.values()].map((one) => ({ path: `graders/${one.id}.yaml`, content: stringify(one) })),
    idsOf: (task) => [...new Set(countedStatements(task).flatMap((statement) => graders.get(statement)?.id ?? []))],
  };
}
