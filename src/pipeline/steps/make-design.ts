/** The step `design.rN`: Init writes a design, and the gate that must answer for it is prepared. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { controlTool, type ControlTool } from '../../agent/tools/control-tool.ts';
import { SubmitDesign } from '../../agent/tools/schemas.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunState } from '../../run/state.ts';
import type { Brief } from '../../scenario/brief.ts';
import { DESIGN_FILES } from '../../scenario/design.ts';
import type { Deps } from '../deps.ts';
import type { Mount } from '../../ports/tool-host.ts';
import { designTask } from './design-task.ts';
import { currentDesignDir, designDir } from '../../run/layout.ts';
import { prepareGate } from '../../gate/open-gate.ts';
import { readDesign } from '../../run-folder/read-design.ts';
import { workStep } from './work-step.ts';

export async function makeDesign(
  run: RunFolder,
  state: RunState,
  brief: Brief,
  deps: Deps,
  signal: AbortSignal,
): Promise<EventBody> {
  const { round } = state;
  const step = `design.r${round}`;
  deps.progress({ type: 'phase', phase: 'design', round, iteration: state.iteration });
  const committed =
    (await run.artifacts.committed(designDir(round), true)) ?? (await work(run, state, step, brief, deps, signal));
  const pack = await prepareGate(run, state, committed, brief);
  await run.artifacts.discard(step);
  const need = deps.reviewers?.need ?? 1;
  return { type: 'design.done', round, digest: committed.digest, packDigest: pack.digest, rules: pack.rules, need };
}

async function work(run: RunFolder, state: RunState, step: string, brief: Brief, deps: Deps, signal: AbortSignal) {
  const { round } = state;
  let submitted = false;
  const submit = async (attempt: Attempt, submission: SubmitDesign) => {
    const { problems, parts } = await readDesign(attempt.out, designDir(round));
    if (parts === undefined) return { ok: false, problems };
    await writeFile(
      join(attempt.out, 'submission.json'),
      `${JSON.stringify({ version: 1, ...submission }, null, 2)}\n`,
    );
    submitted = true;
    return {
      ok: true,
      rules: parts.rules.rules.length,
      next: 'A person decides at HITL-1. End your turn with one sentence.',
    };
  };
  return workStep(
    run,
    {
      agent: deps.agents.init,
      step,
      target: designDir(round),
      seed:
        round === 1
          ? []
          : DESIGN_FILES.map((name) => ({ from: `${currentDesignDir(state, round - 1)}/${name}`, to: name })),
      task: await designTask(run, state, brief, deps),
      capUsd: state.budgetUsd,
      mounts: (attempt) => mountsFor(run, round, attempt),
      controls: (attempt) => controls(deps, (submission) => submit(attempt, submission)),
      sealed: () => submitted,
      missing: () => (submitted ? undefined : `${designDir(round)} is not handed in: call submit_design.`),
    },
    deps,
    signal,
  );
}

function controls(deps: Deps, submit: (submission: SubmitDesign) => Promise<unknown>): ControlTool[] {
  const { tools } = deps.prompts;
  return [
    controlTool({ name: 'submit_design', description: tools['submit_design'] ?? '', schema: SubmitDesign }, submit),
  ];
}

/** Init writes its own round; everything else it may only read. */
function mountsFor(run: RunFolder, round: number, attempt: Attempt): Mount[] {
  const readable = ['scenario', 'design', 'execution_outputs', 'handoffs'];
  return [
    ...readable.map((name) => ({ logical: name, physical: join(run.dir, name), writable: false })),
    { logical: designDir(round), physical: attempt.out, writable: true },
  ];
}
