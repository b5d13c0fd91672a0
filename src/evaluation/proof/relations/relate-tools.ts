/** Tries tools by relations between two calls: what must be alike and what must differ needs no expected answer. */
import pLimit from 'p-limit';
import { createProblem, type ProblemCode } from '../../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../../scenario/result.ts';
import { getComponentPath, type ComponentPaths } from '../../components/components.ts';
import { observeCalls, type ObservedCall, type PlayedGold } from './observed-calls.ts';
import { findFixedAnswer, findKeyOrder, findLeak, type Relation } from './read-relations.ts';
import {
  findEmptySuccess,
  findLooseIdentity,
  findOverwriting,
  findRefusalWrites,
  findUntrueAnswer,
} from './write-relations.ts';
import { findUnlikeGuards } from './shared-guards.ts';

type NamedRelation = { code: ProblemCode; relation: Relation };

const READING: readonly NamedRelation[] = [{ code: 'tool-answer-fixed', relation: findFixedAnswer }];
const WRITING: readonly NamedRelation[] = [
  { code: 'tool-identity-loose', relation: findLooseIdentity },
  { code: 'tool-refusal-writes', relation: findRefusalWrites },
  { code: 'tool-success-empty', relation: findEmptySuccess },
  { code: 'tool-overwrites', relation: findOverwriting },
  { code: 'tool-answer-untrue', relation: findUntrueAnswer },
];
const ALL: readonly NamedRelation[] = [
  { code: 'tool-leaks-records', relation: findLeak },
  { code: 'tool-key-order', relation: findKeyOrder },
];

const AT_ONCE = 4;

type RelatingInput = { golds: readonly PlayedGold[]; readOnly: ReadonlySet<string>; paths: ComponentPaths | undefined };

/** Holds for gold paths alone, because a tool need not bear a call that nobody makes. */
export async function relateTools({ golds, readOnly, paths }: RelatingInput, signal: AbortSignal): Promise<Problem[]> {
  const observed = observeCalls(golds);
  const limit = pLimit(AT_ONCE);
  const found = await Promise.all(
    [...observed].flatMap(([tool, calls]) =>
      [...ALL, ...(readOnly.has(tool) ? READING : WRITING)].map(({ code, relation }) =>
        limit(async () => {
          const text = await findFirst(relation, calls, signal);
          const at = getComponentPath(paths, 'tools', tool);
          return text === undefined ? [] : [createProblem(code, tool, `${at}: ${text}`)];
        }),
      ),
    ),
  );
  return [...found.flat(), ...(await findUnlikeGuards(observed, paths, signal))];
}

async function findFirst(
  relation: Relation,
  calls: readonly ObservedCall[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const call of calls) {
    const text = await relation(call, signal);
    if (text !== undefined) return text;
  }
  return undefined;
}
