/** The library's entry point for tests: an offline Messages API that plays scripts. */
export { startSimulator, type Script, type Simulator, type SimulatorOptions } from './models/offline-model.ts';
