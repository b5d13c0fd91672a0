/** The offline model and recordings, for commands that serve one or begin one. */
export { startSimulator } from '../../adapters/simulated/start.ts';
export { refuseUsedRecording } from '../../adapters/recorded/open-recording.ts';
