/** Exports the offline model and recordings, for commands that serve or start one. */
export { startSimulator, type Simulator, type SimulatorOptions } from '../../adapters/simulated/start.ts';
export type { ScriptInput as Script } from '../../adapters/simulated/scripts/script.ts';
export { refuseUsedRecording } from '../../adapters/recorded/open-recording.ts';
