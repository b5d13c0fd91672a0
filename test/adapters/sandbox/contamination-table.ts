/** Attacks on the independence of calls: what one call plants, and how a later one would find it. */

export type Contamination = { title: string; setup?: string; plant: string; found: string };

const row = (title: string, plant: string, found: string, setup = ''): Contamination => ({
  title,
  setup,
  plant,
  found,
});

/** In any JavaScript. */
export const LANGUAGE_PLANTS: Contamination[] = [
  row('counts its calls in a module variable', 'calls += 1;', 'return calls > 0;', 'let calls = 0;'),
  row('keeps a cache in a module', 'cache.set("k", 1);', 'return cache.has("k");', 'const cache = new Map();'),
  row('keeps a weak map', 'seen.add(key);', 'return seen.has(key);', 'const key = {}; const seen = new WeakSet();'),
  row('counts on its own function', 'plant.calls = 1;', 'return plant.calls === 1;'),
  row(
    'changes what it exports',
    'tool.name = "forged";',
    'return tool.name === "forged";',
    'export const tool = { name: "t" };',
  ),
  row('leaves a global', 'globalThis.left = 1;', 'return globalThis.left === 1;'),
  row(
    'leaves a global behind a symbol',
    'globalThis[Symbol.for("k")] = 1;',
    'return globalThis[Symbol.for("k")] === 1;',
  ),
  row('patches Object.prototype', 'Object.prototype.left = 1;', 'return ({}).left === 1;'),
  row('patches Array.prototype', 'Array.prototype.map = () => ["left"];', 'return [1].map((x) => x)[0] === "left";'),
  row('patches String.prototype', 'String.prototype.trim = () => "left";', 'return " a ".trim() === "left";'),
  row('patches Function.prototype', 'Function.prototype.left = 1;', 'return (() => 0).left === 1;'),
  row('patches Promise.prototype', 'Promise.prototype.left = 1;', 'return Promise.resolve().left === 1;'),
  row('patches the prototype of iterators', 'Iterator.prototype.left = 1;', 'return [].values().left === 1;'),
  row('patches RegExp.prototype', 'RegExp.prototype.left = 1;', 'return /x/.left === 1;'),
  row('patches Error', 'Error.stackTraceLimit = 1; Error.left = 1;', 'return Error.left === 1;'),
  row('replaces JSON.parse', 'JSON.parse = () => "left";', 'return JSON.parse("1") === "left";'),
  row(
    'replaces JSON.stringify',
    'const was = JSON.stringify; JSON.stringify = (...a) => was(...a); JSON.stringify.left = 1;',
    'return JSON.stringify.left === 1;',
  ),
  row('replaces Math.random', 'Math.random = () => 2;', 'return Math.random() === 2;'),
  row('replaces Date.now', 'Date.now = () => 7;', 'return Date.now() === 7;'),
  row('replaces Map', 'globalThis.Map = class { left = 1 };', 'return new Map().left === 1;'),
  row('freezes what others extend', 'Object.freeze(Array.prototype);', 'return Object.isFrozen(Array.prototype);'),
  row('takes a built-in away', 'delete Array.prototype.flatMap;', 'return [].flatMap === undefined;'),
  row(
    'leaves a promise that goes on',
    'spin(400);',
    'for (let n = 0; n < 50; n += 1) await null; return globalThis.spun > 1;',
    'globalThis.spun ??= 0; const spin = (n) => n && Promise.resolve().then(() => { globalThis.spun += 1; spin(n - 1); });',
  ),
];

const FS = 'import fs from "node:fs";';

/** Needs node. */
export const NODE_PLANTS: Contamination[] = [
  row('patches fs', 'fs.readFileSync = () => "left";', 'return fs.readFileSync("x") === "left";', FS),
  row('sets the environment', 'process.env.LEFT = "1";', 'return process.env.LEFT === "1";'),
  row(
    'changes the working folder',
    'process.chdir("/");',
    'return process.cwd() === "/" && start !== "/";',
    'const start = process.cwd();',
  ),
  row(
    'writes a temporary file',
    'fs.writeFileSync("/tmp/left-by-plant", "1");',
    'try { return fs.existsSync("/tmp/left-by-plant"); } finally { fs.rmSync("/tmp/left-by-plant"); }',
    FS,
  ),
  row(
    'registers a hook on modules',
    'registerHooks({ load: (url, context, next) => url.endsWith("#left") ? { format: "module", source: "export const left = 1", shortCircuit: true } : next(url, context) });',
    'return (await import(import.meta.url + "#left")).left === 1;',
    'import { registerHooks } from "node:module";',
  ),
  row('listens on the process', 'process.on("left", () => undefined);', 'return process.listenerCount("left") > 0;'),
  row(
    'leaves a timer',
    'setTimeout(() => { globalThis.rang = 1; }, 0); await new Promise((done) => setTimeout(done, 5));',
    'return globalThis.rang === 1;',
  ),
  row('names its process', 'process.title = "left";', 'return process.title === "left";'),
  row('masks the modes of files', 'process.umask(0o123);', 'return process.umask() === 0o123;'),
  row(
    'changes the defaults of util.inspect',
    'util.inspect.defaultOptions.depth = 77;',
    'return util.inspect.defaultOptions.depth === 77;',
    'import util from "node:util";',
  ),
  row('changes the pool of buffers', 'Buffer.poolSize = 777;', 'return Buffer.poolSize === 777;'),
  row(
    'subscribes to a channel',
    'channel("left").subscribe(() => undefined);',
    'return channel("left").hasSubscribers;',
    'import { channel } from "node:diagnostics_channel";',
  ),
  row(
    'changes the listeners of all emitters',
    'EventEmitter.defaultMaxListeners = 77;',
    'return EventEmitter.defaultMaxListeners === 77;',
    'import { EventEmitter } from "node:events";',
  ),
  row(
    'hides in the cache of require',
    'require.cache.left = 1;',
    'return require.cache.left === 1;',
    'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  ),
  row(
    'keeps a handle open',
    'globalThis.handle = fs.openSync(import.meta.filename);',
    'return typeof globalThis.handle === "number";',
    FS,
  ),
  row(
    'reads requests ahead',
    'process.stdin.on("data", () => { globalThis.stolen = 1; }); globalThis.listening = 1;',
    'return globalThis.listening === 1;',
  ),
];

export const PYTHON_PLANTS: Contamination[] = [
  row('counts its calls in a module variable', 'global calls; calls += 1', 'return calls > 0', 'calls = 0'),
  row(
    'keeps a mutable default',
    'keep(1)',
    'return len(keep(2)) > 1',
    'def keep(x, seen=[]):\n    seen.append(x)\n    return seen',
  ),
  row(
    'keeps a cache',
    'cached(1)',
    'return cached.cache_info().hits + cached.cache_info().misses > 0',
    'import functools\n@functools.lru_cache\ndef cached(x): return x',
  ),
  row('leaves a builtin', 'builtins.left = 1', 'return hasattr(builtins, "left")', 'import builtins'),
  row('replaces a builtin', 'builtins.sorted = lambda x: "left"', 'return sorted([1]) == "left"', 'import builtins'),
  row('plants a module', 'sys.modules["left"] = sys', 'return "left" in sys.modules', 'import sys'),
  row(
    'changes the decimal context',
    'decimal.getcontext().prec = 3',
    'return decimal.getcontext().prec == 3',
    'import decimal',
  ),
  row(
    'changes the default decimal context',
    'decimal.DefaultContext.prec = 3',
    'return decimal.DefaultContext.prec == 3',
    'import decimal',
  ),
  row(
    'changes the working folder',
    'os.chdir("/")',
    'return os.getcwd() == "/" and start != "/"',
    'import os\nstart = os.getcwd()',
  ),
  row('sets the environment', 'os.environ["LEFT"] = "1"', 'return "LEFT" in os.environ', 'import os'),
  row(
    'writes a temporary file',
    'open("/tmp/left-by-python", "w").close()',
    'found = os.path.exists("/tmp/left-by-python"); os.remove("/tmp/left-by-python"); return found',
    'import os',
  ),
  row(
    'seeds chance',
    'random.seed(1)',
    'found = random.random() == first; return found',
    'import random\nfirst = random.Random(1).random()',
  ),
  row('patches a library', 'json.loads = lambda text: "left"', 'return json.loads("1") == "left"', 'import json'),
  row(
    'patches a class of a library',
    'collections.UserDict.left = 1',
    'return hasattr(collections.UserDict, "left")',
    'import collections',
  ),
  row('limits recursion', 'sys.setrecursionlimit(777)', 'return sys.getrecursionlimit() == 777', 'import sys'),
  row('turns the collector off', 'gc.disable()', 'return not gc.isenabled()', 'import gc'),
  row(
    'handles a signal',
    'signal.signal(signal.SIGUSR1, signal.SIG_IGN)',
    'return signal.getsignal(signal.SIGUSR1) == signal.SIG_IGN',
    'import signal',
  ),
  row('extends the path of imports', 'sys.path.append("/left")', 'return "/left" in sys.path', 'import sys'),
  row('masks the modes of files', 'os.umask(0o123)', 'return os.umask(0) == 0o123', 'import os'),
  row(
    'filters warnings',
    'warnings.simplefilter("error", FutureWarning)',
    'return warnings.filters[0][0] == "error"',
    'import warnings',
  ),
  row('traces every call', 'sys.settrace(lambda *a: None)', 'return sys.gettrace() is not None', 'import sys'),
  row(
    'lowers its limits',
    'resource.setrlimit(resource.RLIMIT_NOFILE, (77, 77))',
    'return resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 77',
    'import resource',
  ),
  row('becomes slow', 'os.nice(3)', 'return os.nice(0) != first', 'import os\nfirst = 0'),
  row(
    'plants an object that only the collector knows',
    'keep(Marker())',
    'return any(type(one).__name__ == "Marker" for one in gc.get_objects())',
    'import gc, sys\nclass Marker:\n    def __init__(self): self.self = self\ndef keep(one): sys.left = one',
  ),
  row(
    'marks the frame that calls it',
    'top()["left"] = 1',
    'return "left" in top()',
    'import sys\ndef top():\n    frame = sys._getframe()\n    while frame.f_back: frame = frame.f_back\n    return frame.f_globals',
  ),
  row(
    'marks an open channel',
    'mark(flags() | os.O_NONBLOCK)',
    'return bool(flags() & os.O_NONBLOCK)',
    'import fcntl, os\ndef flags(): return fcntl.fcntl(2, fcntl.F_GETFL)\ndef mark(value): fcntl.fcntl(2, fcntl.F_SETFL, value)',
  ),
  row(
    'shares memory by number',
    'make()',
    'return find()',
    'import ctypes\nc = ctypes.CDLL(None)\ndef make():\n    if c.shmget(4711, 4096, 0o1600) < 0: raise OSError()\ndef find():\n    one = c.shmget(4711, 0, 0)\n    if one >= 0: c.shmctl(one, 0, None)\n    return one >= 0',
  ),
  row(
    'leaves a thread',
    'threading.Thread(target=time.sleep, args=(1,), daemon=True).start()',
    'return threading.active_count() > 1',
    'import threading, time',
  ),
  row(
    'leaves a timer',
    'signal.setitimer(signal.ITIMER_VIRTUAL, 50)',
    'return signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0',
    'import signal',
  ),
  row(
    'hides in a code object of a library',
    'json.dumps.__defaults__ = None; json.dumps.left = 1',
    'return hasattr(json.dumps, "left")',
    'import json',
  ),
  row(
    'keeps a local of the thread',
    'space.left = 1',
    'return hasattr(space, "left")',
    'import threading\nspace = threading.local()',
  ),
];
