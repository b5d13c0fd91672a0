/** A process without any walls: what an attack would reach if generated code were simply started. */
import { execFile } from 'node:child_process';

export type BareOutcome = { ok: true; value: unknown } | { ok: false; message: string };

const JAVASCRIPT = `
const [path, steps] = JSON.parse(process.argv[1]);
const module = await import('file://' + path);
let value;
for (const [name, args] of steps) value = await module[name](...args);
process.stdout.write('\\n' + JSON.stringify({ value }) + '\\n', () => process.exit(0));
`;
const PYTHON = `
import importlib.util, json, sys
path, steps = json.loads(sys.argv[1])
spec = importlib.util.spec_from_file_location('attacks', path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
encode = json.JSONEncoder().encode
for name, args in steps:
    value = getattr(module, name)(*args)
print(encode({'value': value}))
`;

/** Calls one export after the other in one process with all of our environment; believes the first line that it prints. */
export function runBare(path: string, steps: readonly [name: string, args: unknown[]][]): Promise<BareOutcome> {
  const argument = JSON.stringify([path, steps]);
  const [file, args] = path.endsWith('.py')
    ? ['python3', ['-B', '-c', PYTHON, argument]]
    : [process.execPath, ['--no-warnings', '--input-type=module', '-e', JAVASCRIPT, argument]];
  return new Promise((resolve) => {
    execFile(file, args, { maxBuffer: 200_000_000, timeout: 30_000 }, (error, stdout, stderr) => {
      const line = stdout.split('\n').find((text) => text.startsWith('{'));
      if (line === undefined) resolve({ ok: false, message: `${error?.message ?? ''} ${stderr}`.slice(-500) });
      else resolve({ ok: true, value: (JSON.parse(line) as { value: unknown }).value });
    });
  });
}
