/** A proxy before PostgreSQL that counts what is asked, over all connections, and breaks one of these exchanges in one way. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { startPostgres, type PostgresServer } from './servers.ts';

/** `before`: the server has not seen it; `after`: it has done it, and its answer is lost. A code is the server's own refusal. */
export const FAULTS = [
  'reset before',
  'reset after',
  'closed before',
  'cut after',
  'ended before',
  'ended after',
  'ended with the answer',
  '53100',
  '53300',
  '25006',
  '57014',
  '40001',
] as const;
/** These take as long as a connection may be silent. */
export const SILENCES = ['silent before', 'silent after'] as const;
export type Fault = (typeof FAULTS | typeof SILENCES)[number];

export type FaultProxy = {
  port: number;
  /** From now on exchanges are counted from 1; the one of that number breaks, or the first one that asks this. */
  breakAt(which: number | RegExp, fault: Fault): void;
  /** What was asked since: the beginning of each, or `greeting`. */
  asked(): readonly string[];
  close(): Promise<void>;
};

type Plan = { at: number | RegExp; fault: Fault; asked: string[] };
const ADMIN = '57P01';
const IDLE = 'I';
const GREETING = 'greeting';

async function startFaultProxy(to: number): Promise<FaultProxy> {
  const plan: Plan = { at: 0, fault: 'reset before', asked: [] };
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect(to, '127.0.0.1');
    for (const socket of [client, upstream]) {
      open.add(socket.on('error', () => undefined));
      socket.on('close', () => open.delete(socket));
    }
    relay(client, upstream, plan);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    breakAt: (at, fault) => void Object.assign(plan, { at, fault, asked: [] }),
    asked: () => plan.asked,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One connection. */
function relay(client: Socket, upstream: Socket, plan: Plan): void {
  let status = IDLE;
  let isGreeted = false;
  let isFailed = false;
  /** What is done with the next whole answer in place of passing it on. */
  let onAnswer: ((answer: Buffer) => void) | undefined;
  const end = (last: Buffer): void => {
    client.end(last);
    upstream.destroy();
  };
  const refuse = (code: string): void => {
    if (status === IDLE) return void client.write(Buffer.concat([failure('ERROR', code), ready(IDLE)]));
    isFailed = true;
    client.write(Buffer.concat([failure('ERROR', code), ready('E')]));
  };
  const faults: Record<Exclude<Fault, `${number}${string}`>, (request: Buffer) => void> = {
    'reset before': () => void client.resetAndDestroy(),
    'reset after': (request) => after(request, () => void client.resetAndDestroy()),
    'closed before': () => end(Buffer.alloc(0)),
    'cut after': (request) => after(request, (answer) => end(answer.subarray(0, answer.length >> 1))),
    'ended before': () => end(failure('FATAL', ADMIN)),
    'ended after': (request) => after(request, () => end(failure('FATAL', ADMIN))),
    'ended with the answer': (request) =>
      after(request, (answer) => end(Buffer.concat([answer, failure('FATAL', ADMIN)]))),
    'silent before': () => undefined,
    'silent after': (request) => after(request, () => undefined),
  };
  const after = (request: Buffer, act: (answer: Buffer) => void): void => {
    onAnswer = act;
    upstream.write(request);
  };
  const pass = (request: Buffer, text: string): void => {
    plan.asked.push(text);
    const isRollback = /^ROLLBACK/i.test(text);
    if (isFailed && !isRollback) return refuse('25P02');
    isFailed = false;
    const { at, fault } = plan;
    if (typeof at === 'number' ? plan.asked.length !== at : !at.test(text)) return void upstream.write(request);
    plan.at = 0;
    if (fault in faults) return faults[fault as keyof typeof faults](request);
    if (text === GREETING) return end(failure('FATAL', fault));
    // What cannot be committed is rolled back.
    if (/^COMMIT/i.test(text))
      return after(query('ROLLBACK'), () => {
        status = IDLE;
        refuse(fault);
      });
    refuse(fault);
  };

  let [asking, request]: [Buffer, Buffer[]] = [Buffer.alloc(0), []];
  client.on('data', (chunk: Buffer) => {
    asking = Buffer.concat([asking, chunk]);
    for (;;) {
      const length = messageLength(asking, isGreeted);
      if (length === undefined) return;
      const message = asking.subarray(0, length);
      asking = asking.subarray(length);
      request.push(message);
      const type = isGreeted ? String.fromCharCode(message[0] ?? 0) : GREETING;
      isGreeted = true;
      if (!['Q', 'S', GREETING].includes(type)) continue;
      const whole = Buffer.concat(request);
      request = [];
      pass(whole, type === GREETING ? GREETING : textOf(whole));
    }
  });
  let answering: Buffer = Buffer.alloc(0);
  let held: Buffer[] = [];
  upstream.on('data', (chunk: Buffer) => {
    if (onAnswer === undefined) client.write(chunk);
    answering = Buffer.concat([answering, chunk]);
    for (;;) {
      const length = messageLength(answering, true);
      if (length === undefined) return;
      const message = answering.subarray(0, length);
      answering = answering.subarray(length);
      if (onAnswer !== undefined) held.push(message);
      if (message[0] !== 0x5a) continue;
      status = String.fromCharCode(message[5] ?? 0);
      const act = onAnswer;
      const whole = Buffer.concat(held);
      [onAnswer, held] = [undefined, []];
      act?.(whole);
    }
  });
  upstream.on('close', () => void (plan.fault.startsWith('silent') ? undefined : client.end()));
  client.on('end', () => upstream.end());
  client.on('close', () => upstream.destroy());
}

/** Of the first message; undefined while it is not whole. */
function messageLength(bytes: Buffer, isTyped: boolean): number | undefined {
  const head = isTyped ? 1 : 0;
  if (bytes.length < head + 4) return undefined;
  const length = head + bytes.readInt32BE(head);
  return bytes.length < length ? undefined : length;
}

/** The beginning of a statement: of `Query`, or of the `Parse` that an extended query begins with. */
function textOf(request: Buffer): string {
  const text = request.subarray(5, 400).toString('latin1').replace(/^\0/, '');
  return text.split('\0', 1)[0]?.replace(/\s+/g, ' ').trim() ?? '';
}

function query(text: string): Buffer {
  return framed('Q', `${text}\0`);
}

function ready(status: string): Buffer {
  return framed('Z', status);
}

function failure(severity: 'ERROR' | 'FATAL', code: string): Buffer {
  return framed('E', `S${severity}\0V${severity}\0C${code}\0Minjected ${code}\0\0`);
}

function framed(type: string, body: string): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

/** A server for a test file, and its address through the proxy. */
export function useFaultProxy(): { server: PostgresServer; proxy: FaultProxy; url: string } {
  const used = {} as ReturnType<typeof useFaultProxy>;
  beforeAll(async () => {
    used.server = await startPostgres();
    used.proxy = await startFaultProxy(used.server.port);
    used.url = used.server.url.replace(String(used.server.port), String(used.proxy.port));
  });
  afterAll(async () => {
    await used.proxy.close();
    await used.server.stop();
  });
  return used;
}
