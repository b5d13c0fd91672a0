/** Exports the offline model and recordings, for commands that serve or start one. */
export { startSimulator, type Simulator, type SimulatorOptions } from '../../adapters/simulated/start.ts';
export type { ScriptInput as Script } from '../../adapters/simulated/scripts/script.ts';
export { refuseUsedRecording } from '../../adapters/recorded/open-recording.ts';
export { FAULT_KINDS, parseFaultRate, type FaultRate } from '../../adapters/faults/choose-fault.ts';
export {
  startFaultRelay,
  type FaultRelay,
  type RelayOptions as FaultRelayOptions,
} from '../../adapters/faults/relay.ts';
