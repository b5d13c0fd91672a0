/** The strength of an iteration's proof: measured once for each submission, compared with the iteration before, and filed. */
import { z } from 'zod';
import { digestComponents } from '../../disk/components-digest.ts';
import { findRegressions } from '../../evaluation/proof/strength/find-regressions.ts';
import type { LoadedDemands } from '../../evaluation/proof/verify-components.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import { outputDir, STRENGTH_FILE } from '../../run/layout.ts';
import { ProofStrength, summariseStrength, type Survivor } from '../../scenario/proof-strength.ts';
import type { Verification } from '../../scenario/result.ts';
import type { StepContext } from '../deps.ts';

const LANE = 'proof-strength';
const Remembered = z.strictObject({ components: z.string(), strength: ProofStrength });

export type StrengthProving = {
  measure: LoadedDemands['measure'];
  /** The verification with the numbers for people and agents; all of it goes into the iteration's folder. */
  settle: (verification: Verification) => Promise<Verification>;
};

/** A step that is tried again finds the numbers that it had: how many changes there is time for depends on the machine. */
export async function openStrengthProving(
  { run, state: { iteration }, deps }: StepContext,
  attempt: Attempt,
  sandbox: Sandbox,
): Promise<StrengthProving> {
  const components = await digestComponents(attempt.out);
  const known = Remembered.safeParse(await attempt.recall(LANE)).data;
  const earlier = known?.components === components ? known.strength : undefined;
  const { seconds, mutants_each: mutantsEach } = deps.config.strength;
  const [isOn, budget] = [seconds > 0, { seconds, mutantsEach }];
  return {
    measure: isOn && earlier === undefined ? { dir: attempt.out, sandbox, budget } : undefined,
    async settle(verification) {
      const measured = verification.strength ?? earlier;
      if (!verification.ok || measured === undefined) return verification;
      if (earlier === undefined) await attempt.remember(LANE, { components, strength: measured });
      const before = await strengthOfIteration(run, iteration - 1);
      const strength = before === undefined ? measured : { ...measured, ...compareStrength(measured, before) };
      await attempt.write(STRENGTH_FILE, `${JSON.stringify(strength)}\n`);
      return { ...verification, strength: summariseStrength(strength) };
    },
  };
}

function compareStrength(now: ProofStrength, before: ProofStrength): Pick<ProofStrength, 'regressions' | 'settled'> {
  // A survivor that more samples show is the same one.
  const name = ({ message }: Survivor): string => message.replace(/ and \d+ more:/, ':');
  const left = new Set(now.survivors.map(name));
  const settled = before.survivors.filter((one) => !left.has(name(one))).length;
  return { regressions: findRegressions(now, before), settled };
}

/** Undefined where it was not measured: before the first iteration, and in older runs. */
async function strengthOfIteration(run: RunFolder, iteration: number): Promise<ProofStrength | undefined> {
  const text = iteration < 1 ? undefined : await run.read(`${outputDir(iteration)}/${STRENGTH_FILE}`);
  return text === undefined ? undefined : ProofStrength.parse(JSON.parse(text));
}
