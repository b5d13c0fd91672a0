/** A fleet at work as discrete events: workers with places, one queue, one model, perhaps cores that all of them share. No chance, no clock. */

export type Fleet = {
  runs: number;
  /** Trials of each run. */
  trials: number;
  workers: number;
  /** Trials that each worker plays at the same time. */
  places: number;
  calls: number;
  latencyMs: number;
  /** Processor milliseconds of a worker for a trial, and for its first trial of a run: opening the components. */
  trialMs: number;
  joinMs: number;
  /** Of the queue's server for a trial. */
  queueMs: number;
  /** Of the model for a call, where it is on this machine. */
  modelMs: number;
  /** Cores that workers, queue and model share; undefined: each has its own. */
  cores?: number;
  /** Begun by the provider in a minute. */
  requestsPerMinute?: number;
};

export type Outcome = {
  ms: number;
  /** How much of the time each was busy. */
  busy: { queue: number; provider: number; workers: number };
};

/** As the product has it: of each run so many trials are in the queue. */
const WINDOW = 256;

/** First come, first served. Who comes is told in order of time, so the end of the work is known at once. */
class Station {
  busyMs = 0;
  readonly #free: number[];
  constructor(servers: number) {
    this.#free = Array.from({ length: servers }, () => 0);
  }
  done(at: number, ms: number): number {
    let first = 0;
    for (let index = 1; index < this.#free.length; index += 1)
      if ((this.#free[index] ?? 0) < (this.#free[first] ?? 0)) first = index;
    const end = Math.max(at, this.#free[first] ?? 0) + ms;
    this.#free[first] = end;
    this.busyMs += ms;
    return end;
  }
}

type Event = { at: number; go: (at: number) => void };

/** A heap: the earliest first; of one moment, in no order that anything depends on. */
class Agenda {
  readonly #events: Event[] = [];
  add(at: number, go: Event['go']): void {
    const events = this.#events;
    let index = events.push({ at, go }) - 1;
    while (index > 0) {
      const up = (index - 1) >> 1;
      if ((events[up]?.at ?? 0) <= at) break;
      this.#swap(index, up);
      index = up;
    }
  }
  next(): Event | undefined {
    const events = this.#events;
    const [first] = events;
    const last = events.pop();
    if (last === undefined || first === undefined || events.length === 0) return first;
    events[0] = last;
    for (let index = 0; ;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = index;
      if ((events[left]?.at ?? Infinity) < (events[least]?.at ?? Infinity)) least = left;
      if ((events[right]?.at ?? Infinity) < (events[least]?.at ?? Infinity)) least = right;
      if (least === index) return first;
      this.#swap(index, least);
      index = least;
    }
  }
  #swap(one: number, other: number): void {
    const [a, b] = [this.#events[one], this.#events[other]];
    if (a === undefined || b === undefined) return;
    this.#events[one] = b;
    this.#events[other] = a;
  }
}

/** Deterministic: the same fleet, the same outcome. */
export function simulate(fleet: Fleet): Outcome {
  const { workers, places, calls, latencyMs, requestsPerMinute = Infinity } = fleet;
  const agenda = new Agenda();
  const shared = fleet.cores === undefined ? undefined : new Station(fleet.cores);
  const queue = new Station(1);
  const provider = new Station(1);
  const own = Array.from({ length: workers }, () => shared ?? new Station(1));
  const joined = Array.from({ length: workers }, () => new Set<number>());
  const waiting = Array.from({ length: fleet.runs }, () => fleet.trials);
  const flying = Array.from({ length: fleet.runs }, () => 0);
  const idle: number[] = Array.from({ length: workers * places }, (_, index) => index % workers).toReversed();
  let turn = 0;
  let end = 0;
  let workedMs = 0;

  /** Runs take turns, as their places in the queue do. */
  const nextRun = (): number | undefined => {
    for (let looked = 0; looked < fleet.runs; looked += 1) {
      const run = (turn + looked) % fleet.runs;
      if ((waiting[run] ?? 0) === 0 || (flying[run] ?? 0) >= WINDOW) continue;
      turn = (run + 1) % fleet.runs;
      return run;
    }
    return undefined;
  };
  const work = (worker: number, at: number, ms: number): number => {
    workedMs += ms;
    return own[worker]?.done(at, ms) ?? at;
  };
  const call = (worker: number, left: number, at: number, over: (at: number) => void): void => {
    const sent = Number.isFinite(requestsPerMinute) ? provider.done(at, 60_000 / requestsPerMinute) : at;
    const model = shared === undefined ? sent : shared.done(sent, fleet.modelMs);
    agenda.add(model + latencyMs, (back) => {
      const next = work(worker, back, fleet.trialMs / (calls + 1));
      agenda.add(next, (then) => (left > 1 ? call(worker, left - 1, then, over) : over(then)));
    });
  };
  const play = (worker: number, run: number, at: number): void => {
    const taken = (shared ?? queue).done(at, fleet.queueMs);
    if (shared !== undefined) queue.busyMs += fleet.queueMs;
    const isNew = !(joined[worker]?.has(run) ?? true);
    joined[worker]?.add(run);
    agenda.add(taken, (now) => {
      const begun = work(worker, now, (isNew ? fleet.joinMs : 0) + fleet.trialMs / (calls + 1));
      agenda.add(begun, (then) =>
        call(worker, calls, then, (over) => {
          end = Math.max(end, over);
          flying[run] = (flying[run] ?? 1) - 1;
          idle.push(worker);
          offer(over);
        }),
      );
    });
  };
  const offer = (at: number): void => {
    while (idle.length > 0) {
      const run = nextRun();
      if (run === undefined) return;
      waiting[run] = (waiting[run] ?? 1) - 1;
      flying[run] = (flying[run] ?? 0) + 1;
      play(idle.pop() ?? 0, run, at);
    }
  };

  offer(0);
  for (let event = agenda.next(); event !== undefined; event = agenda.next()) event.go(event.at);
  const share = (ms: number, servers = 1): number => (end === 0 ? 0 : ms / (end * servers));
  return {
    ms: end,
    busy: { queue: share(queue.busyMs), provider: share(provider.busyMs), workers: share(workedMs, workers) },
  };
}
