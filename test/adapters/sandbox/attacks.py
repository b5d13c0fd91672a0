"""What hostile generated code in Python would try: each answers with its booty when it succeeds, and raises when it does not."""


def readFile(path):
    with open(path) as file:
        return file.read()


def listFiles(path):
    import os
    return os.listdir(path)


def environment():
    import os
    return dict(os.environ)


def environOfParent():
    import os
    with open('/proc/%d/environ' % os.getppid()) as file:
        return file.read()


def readProcesses():
    import os
    pids = [name for name in os.listdir('/proc') if name.isdigit()]
    if len(pids) < 4:
        raise OSError('nobody is there')
    return len(pids)


def installedPackages():
    import os
    import sysconfig
    found = os.listdir(sysconfig.get_paths()['purelib'])
    if not found:
        raise OSError('nothing is installed')
    return len(found)


def writeFile(path):
    with open(path, 'w') as file:
        file.write('owned')
    return 'written'


def removeFile(path):
    import os
    os.remove(path)
    return 'removed'


def makeLink(path):
    import os
    os.symlink('/etc/passwd', path)
    return 'linked'


def connect(port):
    import socket
    with socket.create_connection(('127.0.0.1', port), 2):
        return 'connected'


def request(port):
    import urllib.request
    with urllib.request.urlopen('http://127.0.0.1:%d/' % port, timeout=2) as answer:
        return answer.status


def lookUp():
    import socket
    return str(socket.getaddrinfo('localhost', 80))


def sendDatagram(port):
    import socket
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        return made.sendto(b'reached', ('127.0.0.1', port))


def connectPath(path):
    import socket
    with socket.socket(socket.AF_UNIX) as made:
        made.settimeout(2)
        made.connect(path)
        return 'connected'


def listen():
    import socket
    with socket.create_server(('127.0.0.1', 0)):
        return 'listened'


def childProcess():
    import subprocess
    import sys
    return subprocess.run([sys.executable, '-S', '-c', 'print(1)'], check=True, capture_output=True).stdout.decode()


def shell():
    import os
    if os.system('exit 0') != 0:
        raise OSError('there is no shell')
    return 'reached'


def forkOnce():
    import os
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return 'forked'


def forkMany(count):
    import os
    import time
    pids = []
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            time.sleep(0.2)
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)
    return len(pids)


def leaveChild():
    import os
    import time
    if os.fork() == 0:
        os.setsid()
        time.sleep(1)
        os._exit(0)
    return 'left'


def threads(count):
    import threading
    import time
    made = [threading.Thread(target=time.sleep, args=(0.2,)) for _ in range(count)]
    for thread in made:
        thread.start()
    for thread in made:
        thread.join()
    return len(made)


def nativeSocket():
    import ctypes
    found = ctypes.CDLL(None, use_errno=True).socket(2, 1, 0)
    if found < 0:
        raise OSError(ctypes.get_errno(), 'no socket')
    return 'made'


def nativeOpen():
    import ctypes
    import os
    found = ctypes.CDLL(None, use_errno=True).open(b'/etc/passwd', os.O_RDONLY)
    if found < 0:
        raise OSError(ctypes.get_errno(), 'no file')
    return 'opened'


def nativeFork():
    import ctypes
    import os
    pid = ctypes.CDLL(None, use_errno=True).fork()
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), 'no child')
    os.waitpid(pid, 0)
    return 'forked'


def traceSelf():
    import ctypes
    if ctypes.CDLL(None, use_errno=True).ptrace(0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), 'not traced')
    return 'traced'


def newNamespace():
    import ctypes
    if ctypes.CDLL(None, use_errno=True).unshare(0x10000000) != 0:
        raise OSError(ctypes.get_errno(), 'no namespace')
    return 'root of its own'


def prodParent(pid):
    import os
    import signal
    os.kill(pid, signal.SIGCONT)
    return True


def hostName():
    import socket
    return socket.gethostname()


def takeMemory(megabytes):
    return len(bytearray(megabytes * 1024 * 1024))


def spin(ms):
    import time
    until = time.time() + ms / 1000
    while time.time() < until:
        pass
    return 'done'


def slowPattern():
    import re
    return re.match(r'^(a+)+$', 'a' * 25 + '!') is None


def giantOutput():
    return 'x' * 50_000_000


def fillDisk(path):
    with open(path, 'wb') as file:
        for _ in range(20):
            file.write(b'x' * 1024 * 1024)
    return 'filled'


def speakForged():
    import os
    import sys
    print('{"value":"forged"}')
    sys.stdout.flush()
    os._exit(0)


def patchLanguage():
    import builtins
    import json
    builtins.len = lambda value: 0
    json.dumps = lambda *args, **more: '"forged"'
    return 'patched'


def patchLibrary():
    import random
    random.Random.random = lambda self: 4
    return 'patched'


def isSpoiled():
    import json
    import random
    if len([1]) == 1 and json.dumps(1) == '1' and random.Random(1).random() < 1:
        raise ValueError('all is well')
    return 'spoiled'


def leaveTimer():
    import signal
    signal.signal(signal.SIGALRM, lambda *about: None)
    signal.setitimer(signal.ITIMER_REAL, 30)
    return 'left'


def isTimed():
    import signal
    left = signal.setitimer(signal.ITIMER_REAL, 0)[0]
    if left == 0:
        raise ValueError('no timer is left')
    return left


def movingClocks():
    """The clocks that are seen to move while the processor is kept busy."""
    import datetime
    import os
    import time
    clocks = {
        'time': time.time, 'time_ns': time.time_ns, 'monotonic': time.monotonic, 'perf_counter': time.perf_counter,
        'perf_counter_ns': time.perf_counter_ns, 'process_time': time.process_time, 'thread_time': time.thread_time,
        'clock_gettime': lambda: time.clock_gettime(time.CLOCK_REALTIME),
        'now': lambda: datetime.datetime.now().isoformat(), 'utcnow': lambda: datetime.datetime.utcnow().isoformat(),
        'times': lambda: str(os.times()),
    }
    read = lambda: {name: str(clock()) for name, clock in clocks.items()}
    before = read()
    sum(number * number for number in range(2000000))
    after = read()
    return [name for name in clocks if before[name] != after[name]]
