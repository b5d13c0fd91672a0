/** A task is proven before it is written: the reference path earns 1, doing nothing and the wrong path earn 0. */
import type { LoadedSample } from '../../evaluation/components/components.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { listUserTools } from '../../scenario/design.ts';
import type { GraderCase } from '../../scenario/grader.ts';
import { toActions, type Action } from './actions.ts';
import { judgeActions } from './judge-actions.ts';
import { createJudgedWorld, type HarborExport } from './judged-world.ts';

/**
 * Why the sample is no task; undefined when it is one. No model is called: a user that a model plays answers by script here, and of
 * a grader that counts its own proof says what it makes of these three paths.
 */
export async function taskFault(
  loaded: LoadedSample,
  { shared, session }: { shared: HarborExport; session: OpenSandbox },
  signal: AbortSignal,
): Promise<string | undefined> {
  const full = createJudgedWorld(loaded, shared);
  if (full.user_answers === 'model' && full.user_model === undefined)
    return 'nobody says which model plays its user (scenario.yaml: user: {simulator: model, model: …})';
  const world = full.user_answers === 'model' ? { ...full, user_answers: 'scripted' as const } : full;
  const ofUser = listUserTools(shared.format);
  const judged = async (steps: readonly Action[], kind: GraderCase['kind']) => {
    const actions = steps.map((action, index) => ({ id: String(index), action, answers: [] }));
    const { verdicts } = await judgeActions(world, { actions, session }, signal);
    const refusing = verdicts.find(({ pass }) => !pass);
    if (refusing !== undefined) return refusing;
    const grader = graderThatFails(loaded, kind, shared);
    return grader === undefined ? undefined : { checker: grader, reason: 'its proof says that it fails this path' };
  };
  const refused = await judged(toActions(loaded.sample, 'gold', ofUser), 'gold');
  if (refused !== undefined)
    return `its gold path, with the user's own answers, does not pass (${refused.checker}: ${refused.reason})`;
  if ((await judged([], 'silent')) === undefined) return 'doing nothing passes';
  const wrong = await judged(toActions(loaded.sample, 'wrong', ofUser), 'wrong');
  return wrong === undefined ? 'its wrong path passes' : undefined;
}

function graderThatFails(
  { sample }: LoadedSample,
  kind: GraderCase['kind'],
  { graders }: HarborExport,
): string | undefined {
  return sample.graders?.find((id) => {
    const known = graders?.byId.get(id);
    const cases = known?.counts === true ? (known.proof?.cases ?? []) : [];
    return cases.some((one) => one.sample === sample.id && one.kind === kind && one.got !== 'pass');
  });
}
