/** Modules whose code has run in the engine, each with the memory of that moment: its calls need not run it again. */
import type { ModuleText } from '../sandbox/host-process.ts';
import type { MemorySnapshot } from './memory-snapshot.ts';

/** Most modules that are kept, and most chunks of 64 KB that each may take. */
const [MOST_MODULES, MOST_CHUNKS] = [16, 16];

export type LoadedModules<Exports> = {
  /** The exports of a module, in the memory in which it was ready; undefined when it is to be loaded. */
  restore: (wanted: ModuleText) => Exports | undefined;
  /** Keeps what the memory holds now, when little was added to `initial`. */
  keep: (ready: ModuleText, exports: Exports) => void;
};

export function createLoadedModules<Exports>(initial: MemorySnapshot): LoadedModules<Exports> {
  const loaded = new Map<string, { source: string | undefined; exports: Exports; memory: MemorySnapshot }>();
  return {
    restore({ module, source }) {
      const known = loaded.get(module);
      if (known === undefined || known.source !== source) return undefined;
      known.memory.restore();
      return known.exports;
    },
    keep({ module, source }, exports) {
      loaded.delete(module);
      const memory = initial.takeNext(MOST_CHUNKS);
      const [oldest] = loaded.keys();
      if (memory === undefined) return;
      if (oldest !== undefined && loaded.size === MOST_MODULES) loaded.delete(oldest);
      loaded.set(module, { source, exports, memory });
    },
  };
}
