/** The corpus of attacks: what is tried in which language, with what, and when it has succeeded. */
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** What an attack may reach for. */
export type Target = {
  /** The folder that generated code may read. */
  dir: string;
  /** Outside of it. */
  root: string;
  secret: string;
  port: number;
  udpPort: number;
  socket: string;
};

export type Attack = {
  title: string;
  language: 'javascript' | 'python';
  steps: (target: Target) => [name: string, args: unknown[]][];
  /** Default: it answered. */
  succeeded?: (value: unknown, target: Target) => boolean;
  timeoutMs?: number;
};

type Row = [title: string, name: string, args?: (target: Target) => unknown[], more?: Partial<Attack>];

const short = { timeoutMs: 300 };
const holds = (text: string) => (value: unknown) => JSON.stringify(value).includes(text);
const isHere =
  (name: string) =>
  (_value: unknown, { root }: Target) =>
    existsSync(join(root, name));
const isOwned = (_value: unknown, { dir }: Target) => readFileSync(join(dir, 'tools/victim.json'), 'utf8') === 'owned';
const then = (...names: string[]): Partial<Attack> => ({ steps: () => names.map((name) => [name, []]) });

/** In both languages. */
const BOTH: Row[] = [
  ['reads a secret beside the folder', 'readFile', ({ secret }) => [secret]],
  ['reads the accounts of the machine', 'readFile', () => ['/etc/passwd']],
  ['climbs out with ..', 'readFile', ({ dir }) => [join(dir, 'tools') + '/../../secret.txt']],
  ['follows a link to a file', 'readFile', ({ dir }) => [join(dir, 'tools/link.txt')]],
  ['follows a link to a folder', 'readFile', ({ dir }) => [join(dir, 'tools/up/secret.txt')]],
  ['lists what lies outside', 'listFiles', ({ root }) => [root]],
  ['reads the environment', 'environment', () => [], { succeeded: holds('sk-ant-secret') }],
  ['reads what other processes are', 'readProcesses'],
  ['writes a new component', 'writeFile', ({ dir }) => [join(dir, 'tools/new.json')]],
  ['overwrites a component', 'writeFile', ({ dir }) => [join(dir, 'tools/victim.json')], { succeeded: isOwned }],
  ['writes outside', 'writeFile', ({ root }) => [join(root, 'owned.txt')], { succeeded: isHere('owned.txt') }],
  ['removes a component', 'removeFile', ({ dir }) => [join(dir, 'tools/doomed.json')]],
  ['plants a link', 'makeLink', ({ dir }) => [join(dir, 'tools/planted.json')]],
  ['connects by TCP', 'connect', ({ port }) => [port]],
  ['asks over HTTP', 'request', ({ port }) => [port]],
  ['looks up a name', 'lookUp'],
  ['sends a datagram', 'sendDatagram', ({ udpPort }) => [udpPort]],
  ['connects to a unix socket', 'connectPath', ({ socket }) => [socket]],
  ['listens on a port', 'listen'],
  ['starts a program', 'childProcess'],
  ['starts a shell', 'shell'],
  ['signals the harness', 'prodParent', () => [process.pid]],
  ['learns the name of the machine', 'hostName', () => [], { succeeded: (value) => value === hostname() }],
  ['keeps the processor busy', 'spin', () => [1500], short],
  ['matches a pattern for ever', 'slowPattern', () => [], short],
  ['answers with 50 MB', 'giantOutput'],
  ['prints a forged answer', 'speakForged', () => [], { succeeded: (value) => value === 'forged' }],
  ['changes the language for the next call', 'patchLanguage', () => [], then('patchLanguage', 'isSpoiled')],
  ['sees a clock move', 'movingClocks', () => [], { succeeded: (value) => Array.isArray(value) && value.length > 0 }],
  ['leaves a timer for the next call', 'leaveTimer', () => [], then('leaveTimer', 'isTimed')],
];

const JAVASCRIPT: Row[] = [
  ['reads the environment of the harness', 'environOfParents', () => [], { succeeded: holds('sk-ant-secret') }],
  ['changes the mode of a component', 'changeMode', ({ dir }) => [join(dir, 'tools/victim.json')]],
  ['imports a file from outside', 'importFile', ({ root }) => [join(root, 'outside.mjs')]],
  ['starts a worker', 'worker'],
  ['starts twenty programs', 'manyChildren', () => [20]],
  ['reaches the internals of node', 'internals'],
  ['opens a debugger', 'inspect'],
  ['takes 700 MB of heap', 'takeHeap', () => [700]],
  ['takes 1.5 GB outside of the heap', 'takeBuffer', () => [1536]],
  ['keeps the processor busy in turns', 'spinInTurns', () => [1500], short],
];

const PYTHON: Row[] = [
  ['reads the environment of the harness', 'environOfParent', () => [], { succeeded: holds('PATH=') }],
  ['reads the installed packages', 'installedPackages'],
  ['connects to an abstract unix socket', 'connectPath', ({ root }) => [`\0${root}`]],
  ['forks', 'forkOnce'],
  ['forks 64 times', 'forkMany', () => [64]],
  ['leaves a child behind', 'leaveChild'],
  ['starts 200 threads', 'threads', () => [200]],
  ['makes a socket in native code', 'nativeSocket'],
  ['opens a file in native code', 'nativeOpen'],
  ['forks in native code', 'nativeFork'],
  ['asks to be traced', 'traceSelf'],
  ['makes a user namespace', 'newNamespace'],
  ['takes 700 MB', 'takeMemory', () => [700]],
  ['fills the disk', 'fillDisk', ({ root }) => [join(root, 'filled')], { succeeded: isHere('filled') }],
  ['changes a library for the next call', 'patchLibrary', () => [], then('patchLibrary', 'isSpoiled')],
];

export const ATTACKS: Attack[] = [
  ...[...BOTH, ...JAVASCRIPT].map((row) => attackOf('javascript', row)),
  ...[...BOTH, ...PYTHON].map((row) => attackOf('python', row)),
];

function attackOf(language: Attack['language'], [title, name, args = () => [], more = {}]: Row): Attack {
  return { title, language, steps: (target) => [[name, args(target)]], ...more };
}
