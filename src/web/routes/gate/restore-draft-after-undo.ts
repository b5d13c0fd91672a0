/** Turns the text and edits of a decision that was taken back into its writer's draft again. */
import { splitComment } from '../../../gate/rules/comment-parts.ts';
import type { GateDecision } from '../../../gate/rules/gate.ts';
import type { RunFolder } from '../../../ports/run-store.ts';
import { designDir } from '../../../run/layout.ts';
import { withFields } from '../../read/answer-drafts.ts';
import type { ReviewDeps } from '../../web-deps.ts';

/** A draft that the writer has started since then is left alone. */
export async function restoreDraft(run: RunFolder, decision: GateDecision, deps: ReviewDeps): Promise<void> {
  const { gate, digest, actor } = decision;
  if (!actor.startsWith('user:')) return;
  const fields = new Map([...toDraftFields(decision), ...(await readEditedFiles(run, decision, deps))]);
  await deps.drafts.change(run.dir, actor.slice('user:'.length), async (now) =>
    now.some((one) => one.gate === gate && one.digest === digest)
      ? undefined
      : withFields(now, { gate, digest }, fields),
  );
}

function toDraftFields({ comment }: GateDecision): Map<string, string> {
  const fields = new Map<string, string>();
  for (const { anchor, text } of splitComment(comment)) {
    const field = anchor === undefined ? 'comment' : `on.${anchor}`;
    const words = anchor === undefined ? text : text.slice(anchor.length + 2);
    fields.set(field, [...(fields.has(field) ? [fields.get(field)] : []), words].join('\n'));
  }
  return fields;
}

async function readEditedFiles(
  run: RunFolder,
  { round, editedDir }: GateDecision,
  { designs }: ReviewDeps,
): Promise<Map<string, string>> {
  if (editedDir === undefined) return new Map();
  const [before, edited] = [await designs.read(run, designDir(round)), await designs.read(run, editedDir)];
  const changed = Object.entries(edited.files).filter(([name, text]) => before.files[name] !== text);
  return new Map(changed.map(([name, text]) => [`file.${name}`, text]));
}
