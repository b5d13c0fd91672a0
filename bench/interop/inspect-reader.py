"""Reads logs with Inspect's own reader, and writes each again as `.eval` beside it with Inspect's own writer.

    python3 bench/interop/inspect-reader.py [--source <checkout>/src] log.json ...

With `--source` a checkout of inspect_ai is used in place of an installed package. Packages of its that are not installed get
empty stand-ins, and are named: a log needs none of them.
"""
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
import types
from pathlib import Path


class Anything(type):
    """A class that can be inherited from, called, subscripted and asked for any name."""

    def __getattr__(cls, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        own = {
            "__class_getitem__": classmethod(lambda cls, _item: cls),
            "__init_subclass__": classmethod(lambda cls, **_named: None),
            "__init__": lambda self, *_args, **_named: None,
            "__call__": lambda self, *args, **_named: args[0] if args else None,
        }
        return Anything(name, (), own)


class Absent(types.ModuleType):
    """A package that is not installed."""

    __path__: list[str] = []
    __getattr__ = Anything.__getattr__


"""What its models, tools and screens need, and its logs do not."""
UNUSED = {"acp", "aioboto3", "boto3", "botocore", "bs4", "debugpy", "fastapi", "ijson", "jsonlines", "jsonpath_ng", "s3fs"}
UNUSED |= {"semver", "shortuuid", "starlette", "textual", "tiktoken", "uvicorn", "zipfile_zstd"}


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked last: for what nobody else finds."""

    def __init__(self) -> None:
        self.absent: set[str] = set()

    def find_spec(self, name: str, path, target=None):
        top = name.split(".")[0]
        if top not in UNUSED or not self.is_absent(top):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def is_absent(self, top: str) -> bool:
        if top not in self.absent and importlib.machinery.PathFinder.find_spec(top) is None:
            self.absent.add(top)
        return top in self.absent

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module) -> None:
        pass


def teach_zipfile_zstandard() -> None:
    """What `zipfile_zstd` does for archives, with the package `zstandard`."""
    import zipfile

    import zstandard

    method = zipfile.ZIP_ZSTANDARD = 93
    check, decompressor, compressor = zipfile._check_compression, zipfile._get_decompressor, zipfile._get_compressor
    zipfile._check_compression = lambda kind: None if kind == method else check(kind)
    zipfile._get_decompressor = lambda kind: zstandard.ZstdDecompressor().decompressobj() if kind == method else decompressor(kind)
    zipfile._get_compressor = lambda kind, level=None: (
        zstandard.ZstdCompressor().compressobj() if kind == method else compressor(kind, level)
    )


def main(args: list[str]) -> int:
    stand_ins = StandIns()
    if args[:1] == ["--source"]:
        if importlib.util.find_spec("zipfile_zstd") is None and sys.version_info < (3, 14):
            teach_zipfile_zstandard()
        installed = importlib.metadata.version
        importlib.metadata.version = lambda name: "0.0.0" if name == "inspect_ai" else installed(name)
        sys.path.insert(0, args[1])
        sys.meta_path.append(stand_ins)
        args = args[2:]
    from inspect_ai.log import read_eval_log, write_eval_log

    for path in args:
        log = read_eval_log(path)
        samples = log.samples or []
        said = sum(len(sample.messages) for sample in samples)
        calls = sum(len(getattr(message, "tool_calls", None) or []) for sample in samples for message in sample.messages)
        scores = [score.value for sample in samples for score in (sample.scores or {}).values()]
        print(f"{path}: {log.status}, {len(samples)} samples, {said} messages, {calls} calls, scores {sorted(map(str, scores))}")
        again = str(Path(path).with_suffix("")) + ".again.eval"
        write_eval_log(log, again, format="eval")
        print(f"written again by Inspect: {again}")
    if stand_ins.absent:
        print(f"stand-ins for: {', '.join(sorted(stand_ins.absent))}")
    return 0


sys.exit(main(sys.argv[1:]))
