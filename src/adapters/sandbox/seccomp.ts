/** The filter on system calls that bubblewrap sets last: no new process, no socket, nothing that only an attack needs. */
import { endianness } from 'node:os';

/** Numbers by machine; `clone` is judged by its flags, `clone3` is reported missing, so the C library uses `clone`. */
const MACHINES: Readonly<Record<string, { audit: number; clone: number; clone3: number; denied: number[] }>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    clone3: 435,
    denied: [
      [41, 53], // socket, socketpair
      [57, 58], // fork, vfork
      [101, 310, 311], // ptrace, process_vm_readv, process_vm_writev
      [155, 161, 165, 166, 272, 308], // pivot_root, chroot, mount, umount2, unshare, setns
      [248, 249, 250, 298, 321, 323, 425], // keys, perf_event_open, bpf, userfaultfd, io_uring_setup
      [428, 429, 430, 431, 432, 442], // the newer ways to mount
    ].flat(),
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
    ].flat(),
  },
};

const CLONE_THREAD = 0x10000;
const X32 = 0x40000000;
const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const [LOAD, EQUAL, AT_LEAST, HAS_BITS, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
/** Offsets in `struct seccomp_data`. */
const [NUMBER, MACHINE, FIRST_ARGUMENT] = [0, 4, 16];

type FilterInstruction = [code: number, ifTrue: number, ifFalse: number, value: number];

/** Undefined on machines whose numbers are not known here; there the namespaces alone hold. */
export function systemCallFilter(threads: 'allowed' | 'denied', arch: string = process.arch): Buffer | undefined {
  const machine = MACHINES[arch];
  if (machine === undefined || endianness() !== 'LE') return undefined;
  const { audit, clone, clone3, denied } = machine;
  const program: FilterInstruction[] = [
    [LOAD, 0, 0, MACHINE],
    [EQUAL, 1, 0, audit],
    [RETURN, 0, 0, EPERM],
    [LOAD, 0, 0, NUMBER],
    // The second numbering of x86-64 would be a way around all that follows.
    [AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, EPERM],
    ...denied.flatMap((number): FilterInstruction[] => [
      [EQUAL, 0, 1, number],
      [RETURN, 0, 0, EPERM],
    ]),
    [EQUAL, 0, 1, clone3],
    [RETURN, 0, 0, ENOSYS],
    [EQUAL, 0, 3, clone],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [HAS_BITS, threads === 'allowed' ? 1 : 0, 0, CLONE_THREAD],
    [RETURN, 0, 0, EPERM],
    [RETURN, 0, 0, ALLOW],
  ];
  return Buffer.concat(program.map(encode));
}

/** One `struct sock_filter`. */
function encode([code, ifTrue, ifFalse, value]: FilterInstruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
