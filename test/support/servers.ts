/** Redis and PostgreSQL of Debian's packages on ports and folders of their own, started for a test and stopped after it. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

export type Server = {
  /** For TANDEM_QUEUE. */
  url: string;
  port: number;
  stop(): Promise<void>;
};

export type RedisServer = Omit<Server, 'stop'> & {
  /** `SIGKILL` by default; data is never kept, so it comes back empty. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** On the same port again, empty. */
  start(): Promise<void>;
  cli(...args: string[]): Promise<string>;
};

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'tandem-redis-'));
  let child: ChildProcess | undefined;
  const cli = async (...args: string[]): Promise<string> =>
    (await run('redis-cli', ['-h', '127.0.0.1', '-p', String(port), ...args], { timeout: 5000 })).stdout.trim();
  const start = async (): Promise<void> => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'];
    child = spawn('redis-server', [...options, '--maxmemory-policy', 'noeviction', '--daemonize', 'no'], {
      stdio: 'ignore',
    });
    await until(async () => (await cli('ping')) === 'PONG', 'redis-server');
  };
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    await endOf(child, signal);
    child = undefined;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    cli,
    stop: async (signal) => {
      await kill(signal);
      if (signal === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Where Debian's packages put them. */
export const PG_BIN = '/usr/lib/postgresql/15/bin';

export type PostgresServer = Server & {
  /** The same by its socket, which needs no network. */
  socketUrl: string;
  /** `fast` breaks sessions off, `immediate` is a crash: it recovers from its log. It is away for `awayMs`. */
  restart(how: 'fast' | 'immediate', awayMs?: number): Promise<void>;
  /** The rows of a statement, from a session of its own. */
  query(text: string): Promise<unknown[]>;
  /** Of one on a small disk: no byte is free while `during` runs. A server that ended by it is started again. */
  whileFull(during: () => Promise<unknown>): Promise<void>;
};

export type PostgresOptions = {
  /** It waits for its disk, as one in use does; without it a test is faster. */
  durable?: boolean;
  /** A disk of its own of so many MB. */
  diskMb?: number;
  /** A standby of this one: it follows, until it is promoted. */
  follows?: Pick<PostgresServer, 'port'>;
  /** Files that it speaks TLS with; it gets copies of its own. */
  tls?: { cert: string; key: string };
};

/** PostgreSQL refuses to run as root: under root it becomes the system's user `postgres`. */
export async function startPostgres({
  durable = false,
  diskMb,
  follows,
  tls,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'tandem-postgres-'));
  const user = process.getuid?.() === 0 ? await userNamed('postgres') : undefined;
  if (user !== undefined) await chown(dir, user.uid, user.gid);
  const disk = diskMb === undefined ? undefined : await smallDisk(join(dir, 'disk'), diskMb, user);
  const data = join(dir, 'disk/data');
  const owner = disk === undefined ? { ...user, cwd: dir } : { cwd: dir };
  const command = (name: string, args: readonly string[]): [string, string[]] => {
    const [first = '', ...rest] = [...(disk?.inside ?? []), join(PG_BIN, name), ...args];
    return [first, rest];
  };
  const make =
    follows === undefined
      ? command('initdb', ['-D', data, '-U', 'tandem', '-A', 'trust', '--no-sync', '--wal-segsize', '1'])
      : command('pg_basebackup', [
          ...['-D', data, '-h', '127.0.0.1', '-p', String(follows.port), '-U', 'tandem'],
          ...['-R', '-X', 'stream', '--checkpoint=fast', '--no-sync'],
        ]);
  await run(...make, owner);
  const url = `postgres://tandem@127.0.0.1:${port}/postgres`;
  const query = async (text: string): Promise<unknown[]> => {
    const client = await connected(url);
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    '-h',
    '127.0.0.1',
    '-k',
    dir,
    '-c',
    `fsync=${durable ? 'on' : 'off'}`,
    '-c',
    'wal_keep_size=32',
    '-c',
    'max_wal_size=32MB',
  ];
  // Else the files of its log that it uses again are room enough for seconds.
  if (disk !== undefined) args.push('-c', 'wal_recycle=off');
  if (tls !== undefined) args.push(...(await encrypted(tls, dir, user)));
  const start = async (): Promise<ChildProcess> => {
    const started = spawn(...command('postgres', [...args, '-c', 'max_connections=100']), {
      ...owner,
      stdio: 'ignore',
    });
    await until(async () => (await query('SELECT 1')).length === 1, 'postgres');
    return started;
  };
  let child = await start();
  return {
    url,
    socketUrl: `postgres://tandem@${encodeURIComponent(dir)}:${port}/postgres`,
    port,
    query,
    restart: async (how, awayMs = 0) => {
      await endOf(child, how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await delay(awayMs);
      child = await start();
    },
    whileFull: async (during) => {
      if (disk === undefined) throw new Error('only a server with diskMb has a disk that can be filled');
      await disk.fill();
      try {
        await during();
      } finally {
        await disk.free();
      }
      // A crashed one recovers by itself, unless it lacked the room for that: then it has ended.
      const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
      await until(async () => isOver() || (await query('SELECT 1')).length === 1, 'postgres');
      if (isOver()) child = await start();
    },
    stop: async () => {
      // Nothing is saved: a shutdown in order would wait for a standby that may hang.
      await endOf(child, 'SIGQUIT');
      disk?.end();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A full server has a place in a while. */
async function connected(url: string): Promise<Client> {
  for (let tries = 0; ; tries += 1) {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if ((error as { code?: string }).code !== '53300' || tries > 600) throw error;
      await delay(100);
    }
  }
}

/** A server takes a key only when nobody else can read it. */
async function encrypted(
  files: NonNullable<PostgresOptions['tls']>,
  dir: string,
  user: { uid: number; gid: number } | undefined,
): Promise<string[]> {
  const settings = ['-c', 'ssl=on'];
  for (const [name, from] of Object.entries(files)) {
    const to = join(dir, `${name}.pem`);
    await copyFile(from, to);
    await chmod(to, 0o600);
    if (user !== undefined) await chown(to, user.uid, user.gid);
    settings.push('-c', `ssl_${name}_file=${to}`);
  }
  return settings;
}

type SmallDisk = {
  /** Before a command: it sees the disk, as the server's user. */
  inside: readonly string[];
  fill(): Promise<void>;
  free(): Promise<void>;
  end(): void;
};

/** In memory, in a mount namespace that a sleeping process holds: nothing of it is left when that ends. */
async function smallDisk(dir: string, mb: number, user: { uid: number; gid: number } | undefined): Promise<SmallDisk> {
  await mkdir(dir, { recursive: true });
  const how = user === undefined ? ['--user', '--map-root-user', '--mount'] : ['--mount'];
  const mount = `mount -t tmpfs -o size=${mb}m,mode=0777 tmpfs "$1" && echo mounted && exec sleep 1000000`;
  const holder = spawn('unshare', [...how, 'sh', '-c', mount, 'sh', dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    holder.stdout.once('data', () => resolve());
    holder.once('exit', (code) => reject(new Error(`no disk of its own: unshare ended with ${code}`)));
  });
  const enter = ['nsenter', '--target', String(holder.pid), '--mount'];
  const inside =
    user === undefined
      ? [...enter, '--user', '--preserve-credentials', 'unshare', '--user', '--map-user=1000', '--map-group=1000']
      : [...enter, 'setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const sh = (script: string) => {
    const [first, ...rest] = [...inside, 'sh', '-c', script, 'sh', join(dir, 'filler')];
    return run(first, rest);
  };
  return {
    inside,
    fill: async () =>
      void (await sh('cat /dev/zero > "$1" 2> /dev/null; test "$(df --output=avail "$1" | tail -n 1)" -eq 0')),
    free: async () => void (await sh('rm -f "$1"')),
    end: () => void holder.kill('SIGKILL'),
  };
}

async function userNamed(name: string): Promise<{ uid: number; gid: number }> {
  const numberOf = async (flag: string): Promise<number> => Number((await run('id', [flag, name])).stdout);
  return { uid: await numberOf('-u'), gid: await numberOf('-g') };
}

async function endOf(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  let last: unknown;
  for (let tries = 0; tries < 1_200; tries += 1) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    await delay(50);
  }
  throw new Error(`${what} did not start within a minute`, { cause: last });
}
