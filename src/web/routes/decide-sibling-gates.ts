/** One answer for several gates: only while each of them still asks for the very same change. */
import { isHarnessError, messageOf } from '../../errors.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { gateReading, gateSameness } from '../../gate/rules/sameness.ts';
import { readState } from '../../run-folder/snapshot.ts';
import { openGates } from '../read/open-gates.ts';
import { commentOf, type AnswerForm } from './answer-form.ts';
import type { GateRequest } from './gate-request.ts';

export type ExtraDecision = { gate: string; why: string | undefined };

/** Called once the first gate is answered. Contract: what cannot be answered is named with its reason, nothing throws. */
export async function decideSiblingGates(
  { run, runs, gate, visitor, actor, deps }: GateRequest,
  form: AnswerForm,
  pack: ReviewPack,
): Promise<ExtraDecision[]> {
  if (form.also.length === 0 || visitor.only !== undefined) return [];
  const read = gateReading(await readState(run), pack, form.digest);
  const { waiting } = await openGates(deps, { runs });
  const answered: ExtraDecision[] = [];
  for (const also of form.also) {
    const other = waiting.find((one) => `${one.key}.${one.pack.gate} ${one.digest}` === also);
    if (other === undefined || gateSameness(read, other.reading) === undefined) {
      answered.push({ gate: also, why: 'it waits no longer, or asks for another change' });
      continue;
    }
    const comment = [commentOf(form), `(approved together with ${run.id} ${gate}: the same change)`].join('\n').trim();
    const decision = { decision: 'approve' as const, comment, confirm: form.confirm, actor, via: 'page' };
    const { dir, digest, key } = other;
    try {
      await deps.decide({ ...decision, run: dir, gate: other.pack.gate, digest, nonce: `${form.nonce}.${key}` });
      answered.push({ gate: also, why: undefined });
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      answered.push({ gate: also, why: messageOf(error) });
    }
  }
  return answered;
}
