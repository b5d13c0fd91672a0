"""The processes of the Python host: a fork for each answer, from a process that has never run a component.

Three generations. The first never sees a question, an answer or a component; it only forks, and caches large values. Its fork,
made ahead, reads one question, forks again for each answer that is wanted, waits for the end of those forks and passes their
answers on. The last one runs the component, behind a filter that lets it reach none of the others, and is gone before anybody
is answered. Forks for one question are all made before any of their answers is read. So every call begins in a copy of the same
process, and nothing that a component does is left anywhere.
"""
import ctypes, gc, io, os, random, signal, sys


def run_generations(host, max_chars, filter_bytes):
    decode, encode = host.decode, host.encode

    def write_all(channel, data):
        while data:
            data = data[os.write(channel, data):]

    def read_all(channel, limit):
        parts, size = [], 0
        while size <= limit:
            part = os.read(channel, 1 << 20)
            if not part:
                break
            parts.append(part)
            size += len(part)
        return b''.join(parts)

    def next_line():
        parts = []
        while True:
            part = os.read(0, 65536)
            if not part:
                return None
            parts.append(part)
            if part.endswith(b'\n'):
                return b''.join(parts).decode('utf-8')

    # Prepared once, because every fork would have to make the class again.
    def prepare_filter():
        if not filter_bytes:
            return lambda: 0
        class Program(ctypes.Structure):
            _fields_ = [('length', ctypes.c_ushort), ('instructions', ctypes.c_char_p)]
        program = Program(len(filter_bytes) // 8, filter_bytes)
        SET_SECCOMP, FILTER = 22, 2
        prctl = ctypes.CDLL(None).prctl
        return lambda: prctl(SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0)
    set_filter = prepare_filter()

    # The last generation: no channel but its answer, no output, no other process in reach.
    def run_component(line, request, channel):
        for stream in ['stdin', 'stdout', 'stderr', '__stdin__', '__stdout__', '__stderr__']:
            setattr(sys, stream, Unheard())
        os.closerange(0, channel)
        os.closerange(channel + 1, 256)
        random.seed()
        if set_filter() != 0:
            os._exit(9)
        text = host.answer(line, request)
        write_all(channel, text.encode('ascii'))
        os._exit(0)

    class Unheard(io.TextIOBase):
        def writable(self):
            return True
        def write(self, text):
            return len(text)

    def how_it_ended(status):
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            return signal.Signals(number).name if number in set(signal.Signals) else 'signal %d' % number
        return 'exit code %d' % os.WEXITSTATUS(status)

    def crashed(kind, message):
        return encode({'ok': False, 'kind': kind, 'message': message})

    def start_answer(line, request):
        source, channel = os.pipe()
        last = os.fork()
        if last == 0:
            run_component(line, request, channel)
        os.close(channel)
        return last, source

    def read_answer(last, source):
        # A character takes at most six bytes of JSON.
        found = read_all(source, 6 * max_chars + 65536)
        if len(found) > 6 * max_chars + 65536:
            os.kill(last, signal.SIGKILL)
        status = os.waitpid(last, 0)[1]
        if status == 0 and found and b'\n' not in found:
            return found
        return crashed('crashed', 'its process ended (%s)' % how_it_ended(status)).encode('ascii')

    # The generation between: it has never run a component either, and ends after one question.
    def pass_on(to_keeper):
        line = next_line()
        if line is None:
            os._exit(7)
        request = decode(line)
        if 'keep' in request:
            write_all(to_keeper, line.encode('utf-8'))
            os._exit(0)
        os.close(to_keeper)
        forks = [start_answer(line, request) for _ in range(request.get('times', 1))]
        found = b','.join([read_answer(*fork) for fork in forks])
        head = encode({'token': request['token'], 'spent': False})[:-1].encode('ascii')
        write_all(3, b'\n%s,"answers":[%s]}\n' % (head, found))
        os._exit(0)

    os.write(3, b'\n{"ready":true}\n')
    gc.collect()
    gc.freeze()
    questions = 0
    while True:
        from_fork, to_keeper = os.pipe()
        fork = os.fork()
        if fork == 0:
            os.close(from_fork)
            pass_on(to_keeper)
        os.close(to_keeper)
        line = read_all(from_fork, 1 << 40)
        os.close(from_fork)
        status = os.waitpid(fork, 0)[1]
        if status != 0:
            os._exit(0 if status == 7 << 8 else 1)
        if line:
            request = decode(line.decode('utf-8'))
            host.keep(request)
            os.write(3, ('\n%s\n' % encode({'token': request['token'], 'spent': False, 'answers': [{'ok': True}]})).encode('ascii'))
            del request
            continue
        questions += 1
        if questions == 1:
            host.compile_folders()
