/**
 * Judges what an agent did in an exported sample. Only its actions count: what they led to, and what a scripted user answered, is
 * played again here, so nothing else that the agent writes can change the verdict.
 */
import { gradeTrial, type Grading } from '../../evaluation/graders/grading.ts';
import { checkTrace } from '../../evaluation/judge/check-trace.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { isDecisive, type Verdict } from '../../scenario/result.ts';
import type { LoggedAction } from './actions.ts';
import { loggedUser } from './logged-user.ts';
import { openScene } from './scene.ts';
import type { JudgedWorld } from './world-file.ts';

/** `unscored`: why there is no reward; nobody is to blame for what cannot be judged. */
export type Judged = { verdicts: Verdict[] } & ({ reward: 0 | 1 } | { unscored: string });

type ToJudge = {
  actions: readonly LoggedAction[];
  session: OpenSandbox;
  /** Without it the graders are not called. */
  grading?: Grading | undefined;
};

export async function judgeActions(
  world: JudgedWorld,
  { actions, session, grading }: ToJudge,
  signal: AbortSignal,
): Promise<Judged> {
  const user = world.user_answers === 'model' ? loggedUser(world) : undefined;
  const scene = openScene(world, { session, user });
  for (const logged of actions) {
    user?.turnTo(logged);
    await scene.act(logged.action, signal);
  }
  const played = scene.record();
  if (played.stop === 'infrastructure') return { verdicts: [], unscored: 'the user could not be reached' };
  const { sample, checkers, graders } = world.judge;
  const paths = new Map(Object.entries(checkers).map(([id, path]) => [`checkers/${id}`, path]));
  const verdicts = await checkTrace({ sample, played, session, paths }, signal);
  const selected = grading === undefined ? [] : (graders?.all ?? []).map(({ grader }) => grader);
  const graded = await gradeTrial({ sample, played, graders: selected, lane: sample.id }, grading, signal);
  if ('unreachable' in graded) return { verdicts, unscored: graded.unreachable };
  const all = [...verdicts, ...graded.verdicts];
  return { reward: all.filter(isDecisive).every(({ pass }) => pass) ? 1 : 0, verdicts: all };
}
