/* oxlint-disable -- hostile on purpose */
/** What hostile generated code would try; every export answers with its booty when it succeeds. */
export async function readFile(path) {
  const fs = await import('node:fs');
  return fs.readFileSync(path, 'utf8');
}

export async function writeFile(path) {
  const fs = await import('node:fs');
  fs.writeFileSync(path, 'owned');
  return 'written';
}

export async function environOfParents() {
  const fs = await import('node:fs');
  const booty = [];
  for (const pid of ['self', 1, process.ppid, process.pid]) {
    try {
      booty.push(fs.readFileSync(`/proc/${pid}/environ`, 'utf8'));
    } catch {
      // Next one.
    }
  }
  if (booty.length === 0) throw new Error('nothing to read');
  return booty;
}

export function environment() {
  return { ...process.env };
}

export async function connect(port) {
  const net = await import('node:net');
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve('connected'));
    socket.on('error', reject);
  });
}

export async function request(port) {
  return (await fetch(`http://127.0.0.1:${port}/`)).status;
}

export async function childProcess() {
  const { execFileSync } = await import('node:child_process');
  return execFileSync(process.execPath, ['--version']).toString();
}

export async function worker() {
  const { Worker } = await import('node:worker_threads');
  return new Promise((resolve, reject) => {
    const made = new Worker('require("node:fs").readFileSync("/etc/passwd")', { eval: true, execArgv: [] });
    made.on('exit', resolve);
    made.on('error', reject);
  });
}

export function nativeCode() {
  const module = { exports: {} };
  process.dlopen(module, '/usr/lib/x86_64-linux-gnu/libc.so.6');
  return 'loaded';
}

export function loop() {
  for (;;);
}

export async function asyncLoop() {
  for (;;) await null;
}

export function heap() {
  const kept = [];
  for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => index + kept.length + 0.5));
}

export function buffers() {
  const kept = [];
  for (;;) kept.push(new Uint8Array(50_000_000).fill(1));
}

export function giantOutput() {
  return 'x'.repeat(50_000_000);
}

export async function floodChannel() {
  const fs = await import('node:fs');
  const line = `${'x'.repeat(1_000_000)}\n`;
  for (;;) fs.writeSync(3, line);
}

/** Writes what an answer looks like to every place it could be read from. */
export async function fakeAnswer() {
  const fs = await import('node:fs');
  const answer = { ok: true, value: 'faked', args: [], spent: false, token: '' };
  for (const fd of [1, 2, 3]) {
    for (const token of ['', '*', '00000000-0000-0000-0000-000000000000']) {
      fs.writeSync(fd, `${JSON.stringify({ ...answer, token })}\n`);
    }
  }
  fs.writeSync(3, '{"half a line');
  console.log(JSON.stringify(answer));
  return 'honest';
}

/** Tries to read the next request, and with it its token, before the host does. */
export function stealRequests() {
  process.stdin.on('data', (chunk) => {
    const { token } = JSON.parse(String(chunk));
    import('node:fs').then((fs) =>
      fs.writeSync(3, `\n${JSON.stringify({ ok: true, value: 'stolen', args: [], spent: false, token })}\n`),
    );
  });
  return 'listening';
}

export function pollute() {
  Object.prototype.polluted = 'yes';
  Array.prototype.map = () => ['polluted'];
  JSON.stringify = () => '"polluted"';
  JSON.parse = () => ({ polluted: true });
  Promise.prototype.then = (_ok, no) => no?.(new Error('polluted'));
  globalThis.setTimeout = () => 'polluted';
  return 'polluted';
}

export function everyObjectForged() {
  Object.prototype.toJSON = () => ({ ok: true, value: 'forged' });
  return { honest: true };
}

export function leaveTimer() {
  globalThis.left = setInterval(() => {
    globalThis.pass = true;
  }, 1);
  return 'left';
}

export async function isClean() {
  await new Promise((done) => setTimeout(done, 3));
  const traces = [{}.polluted, globalThis.left, globalThis.pass].filter((value) => value !== undefined);
  return traces.length === 0 && [1].map((value) => value + 1)[0] === 2 && JSON.parse('[3]')[0] === 3;
}

export function exit() {
  process.exit(0);
}

export function rejectLater() {
  Promise.reject(new Error('nobody listens'));
  return 'fine';
}

export function neverSettles() {
  return new Promise(() => {});
}

export function signal(pid) {
  process.kill(pid, 'SIGUSR2');
  return 'sent';
}

export async function listFiles(path) {
  const fs = await import('node:fs');
  return fs.readdirSync(path);
}

export async function importFile(path) {
  return Object.keys(await import(path));
}

// The corpus: bounded, and every one answers with its booty when it succeeds, throws or never answers when it does not.

export async function readProcesses() {
  const fs = await import('node:fs');
  const lines = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return lines.map((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')).filter((line) => line !== '').length > 3;
}

export async function removeFile(path) {
  (await import('node:fs')).rmSync(path);
  return 'removed';
}

export async function changeMode(path) {
  (await import('node:fs')).chmodSync(path, 0o777);
  return 'changed';
}

export async function makeLink(path) {
  (await import('node:fs')).symlinkSync('/etc/passwd', path);
  return 'linked';
}

export async function lookUp() {
  return (await import('node:dns/promises')).lookup('localhost');
}

export async function sendDatagram(port) {
  const socket = (await import('node:dgram')).createSocket('udp4');
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.send('reached', port, '127.0.0.1', (error) => {
      socket.close();
      if (error) reject(error);
      else resolve('sent');
    });
  });
}

export async function connectPath(path) {
  const net = await import('node:net');
  return new Promise((resolve, reject) => {
    const socket = net.connect(path, () => {
      socket.destroy();
      resolve('connected');
    });
    socket.on('error', reject);
  });
}

export async function listen() {
  const server = (await import('node:net')).createServer();
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => server.close(() => resolve('listened')));
  });
}

export async function shell() {
  return (await import('node:child_process')).execSync('echo reached').toString().trim();
}

export async function manyChildren(count) {
  const { spawn } = await import('node:child_process');
  const children = Array.from({ length: count }, () => spawn('sleep', ['0.2']));
  await Promise.all(
    children.map((child) => new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject))),
  );
  return children.length;
}

export function internals() {
  return typeof process.binding('spawn_sync').spawn;
}

export async function inspect() {
  const inspector = await import('node:inspector');
  inspector.open(0, '127.0.0.1');
  const url = inspector.url();
  inspector.close();
  if (url === undefined) throw new Error('nobody listens');
  return url;
}

export async function hostName() {
  return (await import('node:os')).hostname();
}

export function prodParent(pid) {
  return process.kill(pid, 'SIGCONT');
}

export function takeHeap(megabytes) {
  const kept = [];
  for (let taken = 0; taken < megabytes; taken += 1)
    kept.push(Array.from({ length: 131_072 }, (_, i) => i + taken + 0.5));
  return kept.length;
}

export function takeBuffer(megabytes) {
  return new Uint8Array(megabytes * 1024 * 1024).length;
}

export function spin(ms) {
  const until = Date.now() + ms;
  while (Date.now() < until);
  return 'done';
}

export async function spinInTurns(ms) {
  const until = Date.now() + ms;
  while (Date.now() < until) await null;
  return 'done';
}

export function slowPattern() {
  return /^(a+)+$/.test(`${'a'.repeat(25)}!`) === false;
}

export function speakForged() {
  console.log('{"value":"forged"}');
  process.stdout.write('{"value":"forged"}\n', () => process.exit(0));
  return new Promise((resolve) => setTimeout(() => resolve('honest'), 50));
}

export function isSpoiled() {
  if ({}.polluted === undefined && [1].map((value) => value)[0] === 1) throw new Error('all is well');
  return 'spoiled';
}

export function isTimed() {
  if (globalThis.left === undefined) throw new Error('no timer is left');
  clearInterval(globalThis.left);
  return 'timed';
}

export function patchLanguage() {
  Object.prototype.polluted = 'yes';
  return 'patched';
}

/** The clocks that are seen to move while the processor is kept busy. */
export async function movingClocks() {
  const [hooks, vm, os] = await Promise.all(['node:perf_hooks', 'node:vm', 'node:os'].map((name) => import(name)));
  const shown = new Intl.DateTimeFormat('en', { second: 'numeric', fractionalSecondDigits: 3 });
  const clocks = {
    now: () => Date.now(),
    date: () => new Date().getTime(),
    constructor: () => new new Date(0).constructor().getTime(),
    subclass: () => new (class extends Date {})().getTime(),
    performance: () => performance.now(),
    'perf_hooks.performance': () => hooks.performance.now(),
    mark: () => performance.mark('x').startTime,
    hrtime: () => process.hrtime().join(),
    'hrtime.bigint': () => process.hrtime.bigint(),
    uptime: () => process.uptime(),
    cpuUsage: () => process.cpuUsage().user,
    'os.uptime': () => os.uptime(),
    event: () => new Event('x').timeStamp,
    file: () => new File([], 'x').lastModified,
    format: () => shown.format(),
    parts: () => JSON.stringify(shown.formatToParts()),
    realm: () => vm.runInNewContext('Date.now()'),
  };
  const read = () =>
    Object.entries(clocks).map(([name, clock]) => {
      try {
        return [name, String(clock())];
      } catch {
        return [name, 'none'];
      }
    });
  const before = read();
  for (let turn = 0; turn < 40; turn += 1) JSON.stringify(Array.from({ length: 10_000 }, (_, index) => index));
  const after = read();
  return before.filter(([, time], index) => time !== after[index][1]).map(([name]) => name);
}
