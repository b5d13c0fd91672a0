/** Modules whose code has run in the engine, each with the memory of that moment: its calls need not run it again. */
import type { ModuleText } from '../sandbox/host-process.ts';
import type { MemorySnapshot, SavedChunk } from './memory-snapshot.ts';

/** Most modules that are kept, and most chunks of 64 KB that each may take. */
const [MOST_MODULES, MOST_CHUNKS] = [16, 16];
export function createLoadedModules<Exports>(initial: MemorySnapshot) {
  const loaded = new Map<string, { source: string | undefined; exports: Exports; changes: SavedChunk[] }>();
  return {
    /** Returns the exports of a module, in the memory in which it was ready; undefined when it is to be loaded. */
    restore({ module, source }: ModuleText): Exports | undefined {
      const known = loaded.get(module);
      if (known === undefined || known.source !== source) return undefined;
      initial.restore(known.changes);
      return known.exports;
    },
    /** Keeps what the memory holds now, when little was added to `initial`. */
    keep({ module, source }: ModuleText, exports: Exports): void {
      loaded.delete(module);
      const changes = initial.listChanges();
      const [oldest] = loaded.keys();
      if (changes.length > MOST_CHUNKS) return;
      if (oldest !== undefined && loaded.size === MOST_MODULES) loaded.delete(oldest);
      loaded.set(module, { source, exports, changes });
    },
  };
}
