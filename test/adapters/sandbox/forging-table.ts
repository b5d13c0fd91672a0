/** Attacks of one component on the others of its folder: on a verdict, on the gold, on the code that judges; and on the caps. */

/** `body` answers with its booty, or plants what changes the honest checker's verdict. */
export type Attempt = { title: string; setup?: string; body: string };

const attempt = (title: string, body: string, setup = ''): Attempt => ({ title, setup, body });

/** Before each of them, an honest checker says fail; afterwards it must still do so. */
export const JAVASCRIPT_FORGERIES: Attempt[] = [
  attempt(
    'registers a hook on modules',
    'return "hooked";',
    `import { registerHooks } from "node:module";
registerHooks({ load: (url, context, next) => url.includes("honest") ? { format: "module", source: "export const check = () => ({ pass: true });", shortCircuit: true } : next(url, context) });`,
  ),
  attempt(
    'replaces JSON.stringify',
    'const was = JSON.stringify; JSON.stringify = (v) => was(v).replace("\\"pass\\":false", "\\"pass\\":true"); return 1;',
  ),
  attempt(
    'puts a toJSON on every object',
    'Object.prototype.toJSON = function () { return "pass" in this ? { pass: true } : this; }; return 1;',
  ),
  attempt(
    'sets pass on every object',
    'Object.defineProperty(Object.prototype, "pass", { get: () => true, set() {}, configurable: true }); return 1;',
  ),
  attempt(
    'patches the honest module',
    'const other = await import("./honest.mjs"); other.settings.pass = true; return 1;',
  ),
  attempt(
    'answers for everybody to come',
    'const fs = await import("node:fs"); for (let n = 0; n < 50; n += 1) fs.writeSync(3, \'{"ok":true,"value":{"pass":true},"spent":false,"answers":[{"ok":true,"value":{"pass":true}}]}\\n\'); return 1;',
  ),
];

export const PYTHON_FORGERIES: Attempt[] = [
  attempt(
    'plants the honest module',
    'sys.modules["checkers_honest_py"] = sys.modules[__name__]; return 1',
    'import sys',
  ),
  attempt(
    'looks for what is loaded in the frames',
    `
    frame = sys._getframe()
    while frame is not None:
        for space in (frame.f_locals, frame.f_globals):
            for value in list(space.values()):
                if isinstance(value, dict):
                    value["checkers/honest.py"] = sys.modules[__name__]
        frame = frame.f_back
    return 1`,
    'import sys, types\ndef check(*given): return {"pass": True}',
  ),
  attempt('replaces dict', 'builtins.dict = lambda *a, **k: {"pass": True}; return 1', 'import builtins'),
  attempt(
    'patches the encoder',
    'json.JSONEncoder.encode = lambda self, value: \'{"pass":true}\'; json.encoder.c_make_encoder = None; return 1',
    'import json',
  ),
  attempt(
    'finds functions by the collector',
    'for one in gc.get_objects():\n        if getattr(one, "__name__", "") == "check": one.__code__ = (lambda ctx: {"pass": True}).__code__\n    return 1',
    'import gc',
  ),
  attempt(
    'answers for everybody to come',
    'for channel in range(3, 20):\n        try: os.write(channel, b\'{"ok":true,"value":{"pass":true},"answers":[{"ok":true,"value":{"pass":true}}]}\\n\')\n        except OSError: pass\n    return 1',
    'import os',
  ),
];

/** Each reads what a tool must not see; `gold` and `honest` are paths of this machine. */
export const JAVASCRIPT_READERS: Attempt[] = [
  attempt(
    'opens the gold',
    'return fs.readFileSync(new URL("../samples/gold.json", import.meta.url), "utf8");',
    'import fs from "node:fs";',
  ),
  attempt('opens the gold by its path', 'return fs.readFileSync(gold, "utf8");', 'import fs from "node:fs";'),
  attempt('imports the gold', 'return (await import("../samples/gold.json", { with: { type: "json" } })).default;'),
  attempt(
    'lists the samples',
    'return fs.readdirSync(new URL("../samples", import.meta.url)).join();',
    'import fs from "node:fs";',
  ),
  attempt(
    'opens the checker',
    'return fs.readFileSync(new URL("../checkers/honest.mjs", import.meta.url), "utf8");',
    'import fs from "node:fs";',
  ),
  attempt('imports the checker', 'return (await import("../checkers/honest.mjs")).settings;'),
  attempt(
    'opens another tool',
    'return fs.readFileSync(new URL("./other.mjs", import.meta.url), "utf8");',
    'import fs from "node:fs";',
  ),
];

export const PYTHON_READERS: Attempt[] = [
  attempt(
    'opens the gold',
    'return open(os.path.join(HERE, "../samples/gold.json")).read()',
    'import os\nHERE = os.path.dirname(os.path.abspath(__file__))',
  ),
  attempt('opens the gold by its path', 'return open(gold).read()'),
  attempt(
    'lists the samples',
    'return os.listdir(os.path.join(HERE, "../samples"))',
    'import os\nHERE = os.path.dirname(os.path.abspath(__file__))',
  ),
  attempt(
    'opens the checker',
    'return open(os.path.join(HERE, "../checkers/honest.mjs")).read()',
    'import os\nHERE = os.path.dirname(os.path.abspath(__file__))',
  ),
  attempt(
    'opens another tool',
    'return open(os.path.join(HERE, "other.mjs")).read()',
    'import os\nHERE = os.path.dirname(os.path.abspath(__file__))',
  ),
  attempt(
    'opens the gold in native code',
    'handle = c.open(path.encode(), 0)\n    if handle < 0: raise OSError()\n    return os.read(handle, 100).decode()',
    'import ctypes, os\nc = ctypes.CDLL(None)\npath = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../samples/gold.json")',
  ),
];

/** 1.2 GB each, written to. */
export const PYTHON_HOARDERS: Attempt[] = [
  attempt(
    'shares memory',
    'm = mmap.mmap(-1, SIZE)\n    for at in range(0, SIZE, 4096): m[at] = 1\n    return 1',
    'import mmap\nSIZE = 1200 << 20',
  ),
  attempt(
    'shares memory in many pieces',
    'pieces = [mmap.mmap(-1, 64 << 20) for _ in range(19)]\n    for m in pieces:\n        for at in range(0, 64 << 20, 4096): m[at] = 1\n    return 1',
    'import mmap',
  ),
  attempt(
    'makes files in memory',
    'files = [os.memfd_create(str(n)) for n in range(80)]\n    for one in files: os.write(one, bytes(15 << 20))\n    return 1',
    'import os',
  ),
  attempt(
    'makes a file in memory in native code',
    'one = c.syscall(NUMBER, b"x", 0)\n    if one < 0: raise OSError()\n    os.ftruncate(one, 15 << 20)\n    return 1',
    'import ctypes, os, platform\nc = ctypes.CDLL(None)\nNUMBER = 319 if platform.machine() == "x86_64" else 279',
  ),
  attempt(
    'writes to shared memory of the machine',
    'with open("/dev/shm/hoard-%d" % os.getpid(), "wb") as file: file.write(bytes(8 << 20))\n    os.remove(file.name)\n    return 1',
    'import os',
  ),
  attempt('takes a list of bytes', 'kept = [bytearray(64 << 20) for _ in range(19)]\n    return len(kept)'),
];

/** What Node's permission model does not cover, or covers only today. */
export const REFUSED_MODULES = [
  ['sqlite', 'new DatabaseSync(gold + ".db").exec("create table owned (x)")', 'DatabaseSync'],
  ['fs', 'readFileSync(gold, "utf8")', 'readFileSync'],
  ['module', 'createRequire(gold)("node:sqlite")', 'createRequire'],
  ['worker_threads', 'new Worker("1", { eval: true })', 'Worker'],
  ['child_process', 'execSync("id").toString()', 'execSync'],
  ['wasi', 'new WASI({ version: "preview1", preopens: { "/": "/" } })', 'WASI'],
  ['inspector', 'open(0)', 'open'],
  ['net', 'connect(1)', 'connect'],
  ['http', 'get("http://127.0.0.1:1")', 'get'],
  ['dgram', 'createSocket("udp4")', 'createSocket'],
  ['dns', 'lookup("localhost", () => 0)', 'lookup'],
  ['v8', 'setFlagsFromString("--expose-gc")', 'setFlagsFromString'],
  ['vm', 'runInThisContext("1")', 'runInThisContext'],
  ['cluster', 'fork', 'fork'],
  ['repl', 'start', 'start'],
  ['process', 'dlopen({ exports: {} }, "/x.node")', 'dlopen'],
] as const;

export const REFUSED_MEMBERS = [
  'process.getBuiltinModule("node:sqlite")',
  'process.binding("fs")',
  'process._linkedBinding("fs")',
  'process.dlopen({ exports: {} }, "/x.node")',
  'process.kill(process.pid, 0)',
  'process.execve("/bin/true", [], {})',
  'process.report()',
  'process.chdir("/")',
  'process.loadEnvFile("/etc/hostname")',
  'fetch("http://127.0.0.1:1")',
  'new WebSocket("ws://127.0.0.1:1")',
  '(await import("data:text/javascript,export { DatabaseSync } from \'node:sqlite\'")).DatabaseSync',
];
