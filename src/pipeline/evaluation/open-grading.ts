/** Opens the graders of an evaluation: the models that answer for them, and whether people's labels let them decide. */
import { sha256 } from '../../disk/sha256.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { PromptTexts } from '../../config/load-prompts.ts';
import { HarnessError } from '../../errors.ts';
import type { Grading } from '../../evaluation/graders/grading.ts';
import type { GraderModel } from '../../evaluation/graders/ask-grader.ts';
import type { ModelCatalogue, ModelFacts } from '../../ports/model.ts';
import { PLUGIN_PREFIX, describeRemovedGrader } from '../../ports/plugins/plugins.ts';
import { readLabels } from '../../run-folder/label-journal.ts';
import type { Brief } from '../../scenario/brief.ts';
import type { GraderSpec } from '../../scenario/grader.ts';
import { messagesModel } from '../../scenario/subject.ts';
import { agreedLabels } from '../../scenario/label.ts';
import { calibrate } from '../../scenario/statistics/calibrate.ts';
import { GRADER, type ModelFor } from '../steps/step-models.ts';

type GradingSources = {
  /** The labels of the scenario, in its folder `labels/`. */
  labels: SharedFiles;
  brief: Pick<Brief, 'graders' | 'subject'>;
  catalogue: ModelCatalogue;
  prompts: PromptTexts;
  modelFor: ModelFor;
  signal: AbortSignal;
};

/** Labels are read once, because all trials of an evaluation are judged by the same graders. */
export async function openGrading(sources: GradingSources): Promise<Grading> {
  const { labels: files, brief, catalogue, prompts, modelFor, signal } = sources;
  const labels = await readLabels(files);
  const agreed = (grader: GraderSpec) => agreedLabels(labels, toLabelQuestion(grader));
  const facts = new Map<string, Promise<ModelFacts>>();
  return {
    prompts,
    modelOf: async (grader): Promise<GraderModel> => {
      const name = grader.model ?? brief.graders?.model ?? messagesModel(brief.subject);
      if (name === undefined)
        throw new HarnessError(
          'config_invalid',
          `graders/${grader.id}.yaml: no model answers for it: name one in it (model: …), or in scenario.yaml (graders: {model: …}).`,
        );
      if (name.startsWith(PLUGIN_PREFIX))
        throw new HarnessError('config_invalid', `graders/${grader.id}.yaml: ${describeRemovedGrader(name)}`);
      const described = facts.get(name) ?? catalogue.describe(name, signal);
      facts.set(name, described);
      const { price, thinking, ...rest } = await described;
      return {
        name,
        price,
        thinking,
        modelFor: (lane) => modelFor(lane, GRADER, { price, ...rest, ...(thinking && { thinking }) }),
      };
    },
    counts: (grader, key) =>
      brief.graders?.uncalibrated === 'allow' || calibrate(agreed(grader), key).why === undefined,
    agreed,
  };
}

/** Identifies the question that a label answers; examples, model and votes may change without affecting it. */
export function toLabelQuestion({
  id,
  question,
  pass_when,
  fail_when,
}: Pick<GraderSpec, 'id' | 'question' | 'pass_when' | 'fail_when'>): { id: string; question: string } {
  const parts = JSON.stringify([question, pass_when, fail_when]);
  return { id, question: sha256(parts) };
}
