/** Finds checkers that do not mind when what every gold path does last comes first. */
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import { createOracle } from '../../scenario/cases/judge-by-table.ts';
import type { Problem } from '../../scenario/result.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { getComponentPath } from '../components/components.ts';
import { moveEvent, type TrialRecord } from '../components/trial-record.ts';
import { createAsker, type WordsInput } from './prove-consent-rules.ts';

/** Fewer gold paths show no custom, and more need not be tried. */
const [LEAST_GOLDS, MOST_TRIED] = [4, 4];

/** A call that ends every gold path, and stands nowhere else in any, is meant to come last: some judge must mind its place. */
export async function findUnheardEnds(
  { components, design, golds }: WordsInput,
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<Problem[]> {
  const { checkers, paths } = components;
  const oracle = createOracle(design.format.cases, design.rules.rules);
  const tool = golds[0]?.gold.calls.at(-1)?.tool;
  const isCustom = golds.every(
    ({ gold: { calls } }) => calls.findIndex((call) => call.tool === tool) === calls.length - 1,
  );
  const about = design.rules.rules.filter(({ applies_to: tools }) => tool !== undefined && tools.includes(tool));
  const [rule] = about.toSorted((a, b) => a.applies_to.length - b.applies_to.length);
  const own = checkers.filter(({ rules }) => rule !== undefined && rules.includes(rule.id)).map(({ id }) => id);
  const tried = golds.filter(
    ({ loaded, gold }) => gold.calls.length > 1 && own.some((id) => loaded.sample.checkers.includes(id)),
  );
  const [checker] = own;
  if (!isCustom || rule === undefined || checker === undefined || tried.length < LEAST_GOLDS) return [];
  const ask = createAsker(components, session, signal);
  for (const one of tried.slice(0, MOST_TRIED)) {
    const { sample } = one.loaded;
    const played = moveEnd(one.gold);
    if (oracle?.(sample, played).some(({ says }) => says === 'not met') === true) return [];
    for (const listed of checkers.filter(({ id }) => sample.checkers.includes(id)))
      if (await ask(listed, one, played)) return [];
  }
  const message = `${getComponentPath(paths, 'checkers', checker)}: it names ${rule.id}; every gold path ends with ${tool}, and no checker minds when that comes first: does a rule say that it comes last?`;
  return [createProblem('checker-ignores-order', checker, message)];
}

function moveEnd(gold: TrialRecord): TrialRecord {
  const kinds = (gold.events ?? []).map(({ type }) => type);
  return moveEvent(gold, kinds.lastIndexOf('call'), kinds.indexOf('call'));
}
