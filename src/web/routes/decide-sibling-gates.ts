/** One answer for several gates: only while each of them still asks for the very same change. */
import { isHarnessError, messageOf } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Visitor } from '../guard/visitor.ts';
import { readPack } from '../../gate/read-pack.ts';
import { gateReading, gateSameness } from '../../gate/rules/sameness.ts';
import { openGates } from '../read/open-gates.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { commentOf, type AnswerForm } from './answer-form.ts';
import { readState } from '../../run-folder/snapshot.ts';

export type ExtraDecision = { gate: string; why: string | undefined };

/** Called once the first gate is answered. Contract: what cannot be answered is named with its reason, nothing throws. */
export async function decideSiblingGates(
  run: RunFolder,
  gate: string,
  form: AnswerForm,
  visitor: Visitor,
  deps: ReviewDeps,
): Promise<ExtraDecision[]> {
  if (form.also.length === 0 || visitor.only !== undefined) return [];
  const read = gateReading(await readState(run), await readPack(run, gate), form.digest);
  const { waiting } = await openGates(deps);
  const answered: ExtraDecision[] = [];
  for (const also of form.also) {
    const other = waiting.find((one) => `${one.key}.${one.pack.gate} ${one.digest}` === also);
    if (other === undefined || gateSameness(read, other.reading) === undefined) {
      answered.push({ gate: also, why: 'it waits no longer, or asks for another change' });
      continue;
    }
    const { dir, digest, pack } = other;
    const comment = [commentOf(form), `(approved together with ${run.id} ${gate}: the same change)`].join('\n').trim();
    const asked = { run: dir, gate: pack.gate, digest, decision: 'approve' as const, comment, confirm: form.confirm };
    try {
      await deps.decide({ ...asked, actor: `user:${visitor.name}`, via: 'page', nonce: `${form.nonce}.${other.key}` });
      answered.push({ gate: also, why: undefined });
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      answered.push({ gate: also, why: messageOf(error) });
    }
  }
  return answered;
}
