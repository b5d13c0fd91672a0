/** The filters on system calls: no new process, no socket, no memory outside of the caps, no call that only attacks need. */
import { endianness } from 'node:os';

type Machine = {
  audit: number;
  clone: number;
  clone3: number;
  /** Missing on machines that have `clone` alone. */
  fork?: number;
  /** System calls that are never allowed. */
  denied: number[];
  /** System calls denied to a fork of Python: those that reach the parent process or start a program. */
  outside: number[];
  /** Calls that return process ids would count the forks, so they answer 0. */
  pids: number[];
};

/** Call numbers by machine; `clone` is judged by its flags; `clone3` is reported missing, so libc uses `clone`. */
const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    clone3: 435,
    fork: 57,
    denied: [
      [41, 53], // socket, socketpair
      [58], // vfork
      [101, 310, 311], // ptrace, process_vm_readv, process_vm_writev
      [155, 161, 165, 166, 272, 308], // pivot_root, chroot, mount, umount2, unshare, setns
      [248, 249, 250, 298, 321, 323, 425], // keys, perf_event_open, bpf, userfaultfd, io_uring_setup
      [428, 429, 430, 431, 432, 442], // the newer ways to mount
      [319, 447], // memfd_create, memfd_secret: memory that no limit counts
      [29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240], // memory, semaphores and messages that outlive a process
    ].flat(),
    outside: [
      [62, 200, 234, 129, 297, 424, 434, 438], // signals, pidfds
      [59, 322], // execve, execveat
      [109, 112, 141, 142, 144, 203, 251, 314], // groups and priorities
      [99, 160, 302, 312, 440], // sysinfo, limits, kcmp, process_madvise
    ].flat(),
    pids: [39, 110, 111, 121, 124, 186, 218],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    clone3: 435,
    denied: [
      [198, 199],
      [117, 270, 271],
      [39, 40, 41, 51, 97, 268],
      [217, 218, 219, 241, 280, 282, 425],
      [428, 429, 430, 431, 432, 442],
      [279, 447],
      [194, 195, 196, 190, 191, 192, 193, 186, 187, 188, 189, 180],
    ].flat(),
    outside: [
      [129, 130, 131, 138, 240, 424, 434, 438],
      [221, 281],
      [154, 157, 140, 118, 119, 122, 30, 274],
      [179, 164, 261, 272, 440],
    ].flat(),
    pids: [172, 173, 155, 156, 178, 96],
  },
};

/** The new processes that a filter allows: threads of this one, forks without a namespace of their own, or none. */
export type NewProcesses = 'threads' | 'forks' | 'none';

const CLONE_THREAD = 0x10000;
/** The flags of all new namespaces. */
const CLONE_NAMESPACES = 0x7e020080;
const X32 = 0x40000000;
const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
/** An error of number 0 makes the call return 0. */
const ZERO = 0x00050000;
const ENOSYS = 0x00050026;
const [LOAD, EQUAL, AT_LEAST, HAS_BITS, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
/** Offsets in `struct seccomp_data`. */
const [NUMBER, MACHINE, FIRST_ARGUMENT] = [0, 4, 16];

type FilterInstruction = [code: number, ifTrue: number, ifFalse: number, value: number];

/** Undefined on machines whose numbers are unknown here; there only the namespaces isolate. */
export function systemCallFilter(allowed: NewProcesses, arch: string = process.arch): Buffer | undefined {
  const machine = MACHINES[arch];
  if (machine === undefined || endianness() !== 'LE') return undefined;
  const { audit, clone, clone3, fork, denied, outside, pids } = machine;
  const isFork = allowed === 'none';
  const refused = [
    ...denied,
    ...(fork === undefined || allowed === 'forks' ? [] : [fork]),
    ...(isFork ? [clone, ...outside] : []),
  ];
  const program: FilterInstruction[] = [
    [LOAD, 0, 0, MACHINE],
    [EQUAL, 1, 0, audit],
    [RETURN, 0, 0, EPERM],
    [LOAD, 0, 0, NUMBER],
    // The second numbering of x86-64 would bypass all checks that follow.
    [AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, EPERM],
    ...answerEach(refused, EPERM),
    ...answerEach(isFork ? pids : [], ZERO),
    ...answerEach([clone3], ENOSYS),
    [EQUAL, 0, 3, clone],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    ...(allowed === 'forks' ? NO_THREAD : ONLY_THREAD),
    [RETURN, 0, 0, ALLOW],
  ];
  return Buffer.concat(program.map(encodeInstruction));
}

const ONLY_THREAD: FilterInstruction[] = [
  [HAS_BITS, 1, 0, CLONE_THREAD],
  [RETURN, 0, 0, EPERM],
];
const NO_THREAD: FilterInstruction[] = [
  [HAS_BITS, 0, 1, CLONE_THREAD | CLONE_NAMESPACES],
  [RETURN, 0, 0, EPERM],
];

function answerEach(numbers: readonly number[], action: number): FilterInstruction[] {
  return numbers.flatMap((number): FilterInstruction[] => [
    [EQUAL, 0, 1, number],
    [RETURN, 0, 0, action],
  ]);
}

/** Encodes one `struct sock_filter`. */
function encodeInstruction([code, ifTrue, ifFalse, value]: FilterInstruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
