"""The Python host. It uses the protocol of `../host.ts`: a request per line on 0, an answer per line on 3.

Arguments: root folder, most characters of an answer, filter of system calls. It is passed on the interpreter's command line as
one text, so none of its files has to be visible: `launch.ts` puts the two files that it imports in the place of their import.
"""
import sys
# As -P would do; not -I, because with it the order of sets could not be made the same in every process.
sys.path[:] = [path for path in sys.path if path.startswith('/')]
import json, marshal, os, re, sys, types
from importlib.machinery import SourceFileLoader
# Loaded before the first fork: what components import most.
[__import__(name) for name in '_thread collections copy decimal functools itertools math string'.split()]
# The first compilation in a process makes a hundred types, which every fork would have to make again.
compile('', '', 'exec')

from fixed_clock import stop_clocks
from generations import run_generations

stop_clocks()


def open_answers(root, max_chars):
    decode = json.JSONDecoder().decode
    encode = json.JSONEncoder(allow_nan=False, ensure_ascii=True, separators=(',', ':')).encode
    # Large values: written so that a copy of them is made fast, and as text to see what was left alone.
    copy_of, to_keep = marshal.loads, marshal.dumps
    kept, compiled = {}, {}

    def where(error):
        place, trail = '', error.__traceback__
        while trail is not None:
            path = trail.tb_frame.f_code.co_filename
            if path.startswith(root + '/'):
                place = ' (%s:%d)' % (path[len(root) + 1:], trail.tb_lineno)
            trail = trail.tb_next
        return place

    def describe(error):
        try:
            return ('%s: %s' % (type(error).__name__, error))[:2000] + where(error)
        except BaseException:
            return 'it raised something that cannot be shown'

    def load(module, source):
        path = root + '/' + module
        made = types.ModuleType(re.sub(r'\W', '_', module))
        made.__file__ = path
        sys.modules[made.__name__] = made
        exec(compile(source.lstrip('\ufeff'), path, 'exec', dont_inherit=True), vars(made))
        return vars(made)

    def compile_folders():
        # Compiled and never run: what a component imports again and again.
        for folder, _, names in os.walk(root):
            for path in [folder + '/' + name for name in names if name.endswith('.py')]:
                if os.path.dirname(os.path.dirname(path)) != root and len(compiled) < 200:
                    try:
                        with open(path, 'rb') as file:
                            compiled[path] = compile(file.read(), path, 'exec', dont_inherit=True)
                    except Exception:
                        pass
        real = SourceFileLoader.get_code
        SourceFileLoader.get_code = lambda self, name=None: compiled.get(self.path) or real(self, name)

    def perform(request, args):
        module, name = request['module'], request['name']
        try:
            members = load(module, request['source'])
        except SyntaxError as error:
            at = '' if error.lineno is None else ' (%s:%d)' % (module, error.lineno)
            return {'ok': False, 'kind': 'bad_module', 'message': '%s cannot be loaded: %s: %s%s' % (module, type(error).__name__, error.msg, at)}
        except BaseException as error:
            return {'ok': False, 'kind': 'bad_module', 'message': '%s cannot be loaded: %s' % (module, describe(error))}
        if name not in members:
            return {'ok': False, 'kind': 'bad_module', 'message': '%s has nothing named "%s"' % (module, name)}
        member = members[name]
        if not callable(member):
            return {'ok': True, 'value': member, 'args': args}
        try:
            value = member(*args)
        except BaseException as error:
            return {'ok': False, 'kind': 'threw', 'message': describe(error)}
        if isinstance(value, types.CoroutineType):
            value.close()
            return {'ok': False, 'kind': 'threw', 'message': '%s is "async def"; write "def"' % name}
        return {'ok': True, 'value': value, 'args': args}

    def left_args(args, sent_args, places):
        told = []
        for to, name, given in places:
            slot, made = int(to[0]), []
            left = encode(args[slot])
            if left != (encode(fresh_copy(name, given)) if given else kept[name][1]):
                compare(fresh_copy(name, given), decode(left), [], made)
            args[slot] = None
            if made:
                told.append('[%d,%s]' % (slot, encode(made)))
        left = encode(args)
        return ('' if left == sent_args else '"args":%s,' % left) + ('"edits":[%s],' % ','.join(told) if told else '')

    def written(answer, sent_args, places):
        def refusal(kind, message):
            return encode({'ok': False, 'kind': kind, 'message': message})
        if not answer['ok']:
            return refusal(answer['kind'], answer['message'])
        try:
            left = '' if sent_args is None else left_args(answer['args'], sent_args, places)
            text = '{"ok":true,%s"value":%s}' % (left, encode(answer['value']))
        except RecursionError:
            return refusal('too_large', 'the answer is nested too deeply, or in a circle')
        except BaseException as error:
            return refusal('threw', 'the answer cannot be written as JSON: %s' % describe(error))
        if len(text) <= max_chars:
            return text
        return refusal('too_large', 'the answer has %d characters; at most %d are taken' % (len(text), max_chars))

    def step(holder, key):
        return int(key) if type(holder) is list else key

    def walk(holder, path):
        for key in path:
            holder = holder[step(holder, key)]
        return holder

    def fresh_copy(name, edits):
        root = copy_of(kept[name][0])
        for op, path, *value in edits:
            if not path:
                root = value[0]
                continue
            holder = walk(root, path[:-1])
            key = step(holder, path[-1])
            if op == 'remove':
                del holder[key]
            elif op == 'add' and type(holder) is list:
                holder.insert(key, value[0])
            else:
                holder[key] = value[0]
        return root

    def compare(before, after, path, found):
        # As text both are gone through at once; only what is not the same is gone through here.
        if type(before) in (dict, list) and encode(before) == encode(after):
            return
        if type(before) is dict and type(after) is dict:
            for key, value in before.items():
                if key not in after:
                    found.append(['remove', path + [key]])
                else:
                    compare(value, after[key], path + [key], found)
            found.extend(['add', path + [key], value] for key, value in after.items() if key not in before)
        elif type(before) is list and type(after) is list:
            both = min(len(before), len(after))
            for index in range(both):
                compare(before[index], after[index], path + [str(index)], found)
            found.extend(['remove', path + [str(index)]] for index in range(len(before) - 1, both - 1, -1))
            found.extend(['add', path + [str(index)], after[index]] for index in range(both, len(after)))
        # 1 and 1.0 are one number in JSON; True is none.
        elif before != after or (type(before) is bool) != (type(after) is bool):
            found.append(['replace', path, after])

    def args_of(request):
        args = request.get('args', [])
        for to, source in request.get('same', []):
            holder = walk(args, to[:-1])
            value = walk(args, source)
            # Each place has its own copy, as if it had been sent.
            holder[step(holder, to[-1])] = decode(encode(value)) if type(value) in (dict, list) else value
        for to, name, edits in request.get('kept', []):
            holder = walk(args, to[:-1])
            holder[step(holder, to[-1])] = fresh_copy(name, edits)
        return args

    def answer(line, request):
        # Not those of the question: the arguments will hold the very same objects.
        places = decode(line)['kept'] if 'kept' in request else []
        sent_args = None
        if request['returnsArgs']:
            begin, end = line.index(',"args":') + 8, line.rindex(',"same":')
            sent_args = encode(request['args']) if places else line[begin:end]
        args = args_of(request)
        return written(perform(request, args), sent_args, places)

    def keep(request):
        for name in request['drop']:
            kept.pop(name, None)
        kept[request['keep']] = to_keep(request['json']), encode(request['json'])

    return types.SimpleNamespace(decode=decode, encode=encode, answer=answer, keep=keep, compile_folders=compile_folders)


run_generations(open_answers(sys.argv[1], int(sys.argv[2])), int(sys.argv[2]), bytes.fromhex(sys.argv[3]))
