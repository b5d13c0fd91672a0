/** A plugin that answers in place of a grader's model; its answer is checked and counted like a model's. */
import { randomUUID } from 'node:crypto';
import { HarnessError, describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Model } from '../../ports/model.ts';
import { callWithin, type PluginGrader } from '../../ports/plugins/plugins.ts';
import type { GraderSpec } from '../../scenario/grader.ts';

export type PluginGraderSetup = {
  judge: PluginGrader;
  /** Wraps a thrown value in an error that names the plugin and its location. */
  fault: (error: unknown) => Error;
};

const MAX_CHARS = 200_000;
/** The same time limit as for an answer of a model. */
const JUDGE_MS = 600_000;
const USAGE = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };

/** An error or an answer that is not JSON is no verdict: the trial is unscored, and the reason names the plugin. */
export function pluginGrader({ judge, fault }: PluginGraderSetup): (grader: GraderSpec) => Model {
  return ({ id, question, pass_when, fail_when, score, metrics }) => ({
    async call({ model, messages }, signal) {
      const asked = { id, question, pass_when, fail_when, ...omitUndefined({ score, metrics }) };
      const record = recordIn(messages[0]?.content[0]);
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(JUDGE_MS)]);
        const answer = await callWithin(within, () => judge(structuredClone({ ...asked, record }), within));
        const text = JSON.stringify(answer) ?? 'null';
        if (text.length > MAX_CHARS) throw new Error(`its answer is longer than ${MAX_CHARS} characters`);
        const input = JSON.parse(text) as Record<string, unknown>;
        const use = { type: 'tool_use' as const, id: `plugin_${randomUUID()}`, name: 'give_verdict', input };
        return { id: use.id, model, content: [use], stopReason: 'tool_use', usage: USAGE };
      } catch (error) {
        signal.throwIfAborted();
        throw new HarnessError('model_unavailable', describeError(fault(error)), { cause: error });
      }
    },
  });
}

/** Reads the record in the form in which `ask-grader.ts` sends it. */
function recordIn(block: { type: string; text?: unknown } | undefined): string {
  const text = typeof block?.text === 'string' ? block.text : '';
  return text.replace(/^<record>\n/, '').replace(/\n<\/record>$/, '');
}
