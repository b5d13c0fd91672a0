/** The context API of the library: a context for any agent, the core under it, and tools to measure both. */
export * from './context-core.ts';

// Measures the cost and the losses of a policy without a model: see docs/context.md.
export { importTranscript, type Imported } from '../interop/transcripts/import.ts';
export { drawContext, type ContextPicture } from '../context-lab/picture.ts';
export { extractFacts, plantedFacts } from '../context-lab/replay/facts.ts';
export { fitRecorded } from '../context-lab/replay/calibration.ts';
export type { ReplayOptions } from '../context-lab/replay/compact.ts';
export { SUMMARISERS } from '../context-lab/replay/summariser.ts';
export { replay, type Replay } from '../context-lab/replay/replay.ts';
