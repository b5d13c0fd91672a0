/** Tries tools by relations between two calls: what must be alike and what must differ needs no expected answer. */
import pLimit from 'p-limit';
import { createProblem, type ProblemCode } from '../../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../../scenario/result.ts';
import { listUserTools, type Design } from '../../../scenario/design.ts';
import type { OpenSandbox } from '../../../ports/sandbox.ts';
import { stageFor } from '../../components/call-tool.ts';
import { getComponentPath, type Components } from '../../components/components.ts';
import type { SampleProof } from '../verify-sample.ts';
import { findFirst, observeCalls, type ObservedCall, type Relation } from './observed-calls.ts';
import { findFixedAnswer, findForgottenFilter, findKeyOrder, findLeak } from './read-relations.ts';
import {
  findEmptySuccess,
  findOverwriting,
  findRefusalWrites,
  findUnbookedArgument,
  findUntrueAnswer,
} from './write-relations.ts';
import { findLooseIdentity } from './loose-identity.ts';
import { findUnlikeTools } from './shared-guards.ts';
import { findMisplacedGuards } from './guard-neighbours.ts';
import { findUntrueReading } from './read-by-table.ts';
import { findUnlikeUse } from './used-numbers.ts';
import { findRefusedOffers } from './refused-offers.ts';

type NamedRelation = { code: ProblemCode; relation: Relation };

const READING: readonly NamedRelation[] = [
  { code: 'tool-answer-fixed', relation: findFixedAnswer },
  { code: 'tool-lists-others', relation: findForgottenFilter },
];
const WRITING: readonly NamedRelation[] = [
  { code: 'tool-identity-loose', relation: findLooseIdentity },
  { code: 'tool-refusal-writes', relation: findRefusalWrites },
  { code: 'tool-success-empty', relation: findEmptySuccess },
  { code: 'tool-overwrites', relation: findOverwriting },
  { code: 'tool-books-fixed', relation: findUnbookedArgument },
];
const ALL: readonly NamedRelation[] = [
  { code: 'tool-leaks-records', relation: findLeak },
  { code: 'tool-key-order', relation: findKeyOrder },
  { code: 'tool-answer-untrue', relation: findUntrueAnswer },
];

const AT_ONCE = 4;

type RelatingInput = {
  components: Components;
  design: Design;
  proofs: readonly Pick<SampleProof, 'loaded' | 'gold'>[];
  /** Tools that change nothing, by the design. */
  readOnly: ReadonlySet<string>;
};

/** Begins with the calls of gold paths alone, because a tool need not bear a call that nobody makes. */
export async function relateTools(
  { components, design, proofs, readOnly }: RelatingInput,
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<Problem[]> {
  const { paths } = components;
  const { format } = design;
  const samples = new Map(proofs.map(({ loaded: { sample } }) => [sample.id, sample]));
  const golds = proofs.map(({ loaded, gold: { sample, gold } }) => {
    return { sample, gold, stage: stageFor(loaded, components, { format, session }) };
  });
  const observed = observeCalls(golds);
  const limit = pLimit(AT_ONCE);
  // What a user calls is a button of an app: nobody types its arguments.
  const typed = new Map([...observed].filter(([tool]) => !listUserTools(format).has(tool)));
  const writing = [...typed.values()].flat();
  const tryRelations = ([tool, seen]: [string, ObservedCall[]]): Promise<Problem[]>[] => {
    const report = (code: ProblemCode, text: string | undefined): Problem[] =>
      text === undefined ? [] : [createProblem(code, tool, `${getComponentPath(paths, 'tools', tool)}: ${text}`)];
    const isReading = readOnly.has(tool);
    const calls = seen.map((one) => ({ observed: one, stated: samples.get(one.sample) ?? {} }));
    return [
      ...[...ALL, ...(isReading ? READING : WRITING)].map(({ code, relation }) =>
        limit(async () => report(code, await findFirst(relation, seen, signal))),
      ),
      ...(isReading ? [Promise.resolve(report('tool-answer-untrue', findUnlikeUse(tool, golds)))] : []),
      limit(async () => report('tool-against-table', await findUntrueReading({ calls, design }, signal))),
      limit(async () => {
        if (isReading)
          return report('tool-offers-refused', await findRefusedOffers({ seen, writing, readOnly }, signal));
        const found = await findMisplacedGuards({ calls, design }, signal);
        return found === undefined ? [] : report(found.code, found.text);
      }),
    ];
  };
  const related = await Promise.all([...observed].flatMap(tryRelations));
  return [...related.flat(), ...(await findUnlikeTools(typed, paths, signal))];
}
