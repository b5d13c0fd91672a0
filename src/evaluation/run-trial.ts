/** One trial from its inputs to its result: run, judged, and summed up. */
import { createHash } from 'node:crypto';
import { validateJson } from '../scenario/json-schema.ts';
import type { TrialResult } from '../scenario/result.ts';
import type { SandboxSession } from '../ports/sandbox.ts';
import type { LoadedSample } from './components.ts';
import type { EvaluateInput } from './evaluate.ts';
import { judgeRun } from './judge-run.ts';
import { runSample } from './run-sample.ts';
import type { Subject } from './subject-turn.ts';

export type Trial = { loaded: LoadedSample; trial: number };

/** `tools` were called in it; `detail` says why it stopped before its end. */
export type DoneTrial = { result: TrialResult; tools: string[]; detail: string | undefined };

/** The subject as every trial meets it: the tools in the order of the format specification. */
export function subjectOf({ design, brief, components, maxTokens, thinking }: EvaluateInput): Subject {
  const specs = new Map(components.tools.map((tool) => [tool.name, tool]));
  const tools = design.format.tools.flatMap(({ name }) => {
    const spec = specs.get(name);
    if (spec === undefined) return [];
    return [{ name, description: spec.description, input_schema: spec.input_schema }];
  });
  return { model: brief.subject.model, prompt: design.format.subject_prompt, tools, maxTokens, thinking };
}

export async function runTrial(
  { loaded, trial }: Trial,
  subject: Subject,
  input: EvaluateInput,
  session: SandboxSession,
): Promise<DoneTrial> {
  const { design, brief, components, dir, price, now, signal } = input;
  const { sample, world } = loaded;
  const fits = validateJson(design.format.world, world).length === 0;
  const stage = {
    tools: new Map(components.tools.map((tool) => [tool.name, tool])),
    session,
    worldSchema: fits ? design.format.world : undefined,
  };
  const limits = { steps: brief.subject.max_steps, seconds: brief.subject.seconds };
  const lane = `subject/${sample.id}.${trial}`;
  const model = await input.modelFor(lane);
  const durationOf = (measuredMs: number) => input.durationOf?.(lane, measuredMs) ?? measuredMs;
  const inputs = digestOf([design.digest, input.componentsDigest, sample, world, subject, limits]);
  const run = await runSample({
    loaded,
    trial,
    subject,
    limits,
    stage,
    model,
    price,
    dir,
    inputs,
    now,
    durationOf,
    signal,
  });
  const judged = await judgeRun(sample, run.played, stage, signal);
  const { trace, costUsd, durationMs, detail } = run;
  const tools = [...new Set(run.played.calls.map(({ tool }) => tool))];
  return { result: { trial, ...judged, stop: run.played.stop, trace, costUsd, durationMs }, tools, detail };
}

function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
