// The memory of a process and of all that it started.
import { readFileSync, readdirSync } from 'node:fs';

/** In MiB: what is each process's own, and the pages of files (all sides are node, which they share) once. */
export function treeMiB(root) {
  const processes = allProcesses();
  let [own, shared] = [0, 0];
  for (const [pid, { ownKib, fileKib }] of processes) {
    let at = pid;
    while (at !== root && processes.has(at)) at = processes.get(at).parent;
    if (at !== root) continue;
    own += ownKib;
    shared = Math.max(shared, fileKib);
  }
  return (own + shared) / 1024;
}

function allProcesses() {
  const processes = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      const field = (key) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
      processes.set(Number(name), {
        parent: field('PPid'),
        ownKib: field('RssAnon') + field('RssShmem'),
        fileKib: field('RssFile'),
      });
    } catch {
      // It ended in between.
    }
  }
  return processes;
}
