/** The library's context face: the core, and the tools that measure it on recorded conversations. */
export * from '../context/index.ts';
/** The names of version 0.1, for programs that use them. */
export { createIncrementalView as createFollower, type IncrementalView as Follower } from '../context/index.ts';

// What a policy costs and forgets, without a model: see docs/context.md.
export { importTranscript } from '../interop/transcripts/import.ts';
export type { Imported } from '../interop/transcripts/import.ts';
export { planTrigger } from '../context-lab/economics-plan.ts';
export type { TriggerPlan, TriggerQuestion } from '../context-lab/economics-plan.ts';
export { sessionCost } from '../context-lab/economics.ts';
export type { Session, Strategy } from '../context-lab/economics.ts';
export { drawContext } from '../context-lab/picture.ts';
export type { ContextPicture } from '../context-lab/picture.ts';
export { extractFacts, plantedFacts } from '../context-lab/replay/facts.ts';
export { fitRecorded } from '../context-lab/replay/calibration.ts';
export type { ReplayOptions } from '../context-lab/replay/options.ts';
export { SUMMARISERS } from '../context-lab/replay/summariser.ts';
export { replay } from '../context-lab/replay/replay.ts';
export type { Replay } from '../context-lab/replay/replay.ts';
