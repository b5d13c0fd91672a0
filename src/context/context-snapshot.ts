/** The data that one model call needs of a transcript: read once, then passed on from the plan to the proof. */
import type { Entry } from '../transcript/entry.ts';
import { splitSteps, type Unit } from '../transcript/step.ts';
import { carryFacts, findFacts, type Facts, type FactSources } from './facts/facts.ts';
import type { Policy } from './policy.ts';
import type { Projection } from './view/projection.ts';
import { createUsageTracker, type ContextMeasurement, type UsageTracker } from './view/usage-tracker.ts';
import { projectEntries } from './view/view.ts';

/** Each member is computed once, on first use. */
export type ContextSnapshot = {
  readonly entries: readonly Entry[];
  readonly projection: Projection;
  /** The live messages in units that a cut never splits. */
  readonly units: readonly Unit[];
  readonly sources: FactSources;
  measure(): ContextMeasurement;
  /** The facts that plan and request carry; `openGate` names the decision that a person still has to make. */
  facts(policy: Policy, openGate: string | undefined): Facts;
};

/** The entries of one lane, or a snapshot of them, which saves reading them again. */
export type EntriesOrSnapshot = readonly Entry[] | ContextSnapshot;

export function toSnapshot(transcript: EntriesOrSnapshot): ContextSnapshot {
  return 'projection' in transcript ? transcript : takeSnapshot(transcript);
}

/** With the tracker of an incremental view, the transcript is not read again. */
export function takeSnapshot(entries: readonly Entry[], follows?: UsageTracker): ContextSnapshot {
  let tracker = follows;
  let projection: Projection | undefined;
  let units: readonly Unit[] | undefined;
  let sources: FactSources | undefined;
  let rendered: { policy: Policy; openGate: string | undefined; facts: Facts } | undefined;
  const snapshot: ContextSnapshot = {
    entries,
    get projection() {
      return tracker?.projection ?? (projection ??= projectEntries(entries));
    },
    get units() {
      return (units ??= splitSteps(snapshot.projection.live));
    },
    get sources() {
      return (sources ??= findFacts(entries));
    },
    measure: () => (tracker ??= trackAll(entries)).measure(),
    facts: (policy, openGate) => {
      if (rendered?.policy !== policy || rendered.openGate !== openGate)
        rendered = { policy, openGate, facts: carryFacts(snapshot.sources, policy, { openGate }) };
      return rendered.facts;
    },
  };
  return snapshot;
}

function trackAll(entries: readonly Entry[]): UsageTracker {
  const tracker = createUsageTracker();
  for (const entry of entries) tracker.feed(entry);
  return tracker;
}
