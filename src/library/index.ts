/** The main API of the library: start a run, continue it, decide at its gates, read its results. */
import './node-version.ts';
export { HarnessError, isHarnessError, type ErrorCode } from '../errors.ts';
export { findHome, type Home } from '../config/home.ts';
export { loadConfig } from '../config/load-config.ts';
export { loadScenario, type Scenario } from '../config/load-scenario.ts';
export { startRun } from '../pipeline/start-run.ts';
export { driveToRest, stateOf } from '../pipeline/drive/drive.ts';
export { decideGate, type Decision, type GatePermissions } from '../gate/decide.ts';
export { reconcile } from '../worker/reconcile.ts';
export { summarise } from '../pipeline/summarise.ts';
export type { Deps } from '../pipeline/deps.ts';
export { defineConfig } from '../ports/plugins/plugins.ts';
export type { PluginPass, PluginSubject, PluginTool, TandemConfig } from '../ports/plugins/plugins.ts';
export type { ReadDeps } from '../ports/run-store.ts';
export type { RunSummary } from '../report/run/run-summary.ts';
export type { RunState } from '../run/state.ts';
export type { ProgressEvent } from '../ports/progress.ts';
