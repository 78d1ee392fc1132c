"""The child process of the embedded model: `python -m tabulaflow_core.models.local.serve`, started by `child.py`.

One JSON line comes in on standard input (see `Job`), one goes out on standard output: `{"address": …}` when llama.cpp
serves, else `{"error": sentence, "detail": …}`. Then it only waits for the end of its input, which means that the
parent closed it or is gone, however it went: then it ends at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, TypedDict

from tabulaflow_core.models.local.status import INSTALL_COMMAND

# Prompts set aside when another conversation takes the slot; llama.cpp's own default is 8 GB.
_CACHE_MIB = 512
_BATCH_TOKENS = 128
# In thousandths of the memory: when that runs out, the system looks at this process as at one larger by a fifth of all,
# so that it goes before the one that people work with, and after a program that takes everything.
_OOM_SCORE = "200"


class Job(TypedDict):
    """What the child is told. It holds the key, so it never goes into arguments or the environment.

    Attributes:
        path: Of the GGUF file, absolute.
        parallel: Requests answered at the same time.
        context_tokens: Of all of them together.
        api_key: What every request must bring.
    """

    path: str
    threads: int
    parallel: int
    context_tokens: int
    api_key: str


def main() -> None:
    """Serve until standard input ends."""
    out = _own_stdout()
    line = sys.stdin.buffer.readline()
    if not line:
        return
    _end_with_parent()
    _go_first_when_memory_is_short()
    job: Job = json.loads(line)
    try:
        server = load(job)
    except ImportError as error:
        _say(out, error=f"The embedded model needs the package xllamacpp: {INSTALL_COMMAND}", detail=repr(error))
    except (RuntimeError, OSError, ValueError, MemoryError) as error:
        _say(out, error=cannot_load(Path(job["path"]).name), detail=repr(error))
    else:
        _say(out, address=str(server.listening_address).rstrip("/"))
        while os.read(sys.stdin.fileno(), 1):
            pass
    # Not `sys.exit`: llama.cpp would first finish what it computes.
    os._exit(0)


def load(job: Job) -> Any:
    """Load the weights and serve them on a free port of 127.0.0.1.

    Raises:
        ImportError: There is no xllamacpp.
        RuntimeError: llama.cpp cannot load the file; OSError, ValueError and MemoryError likewise.
    """
    llama = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = job["path"]
    params.n_ctx = job["context_tokens"]
    params.n_parallel = job["parallel"]
    params.cache_ram_mib = _CACHE_MIB
    params.warmup = True
    # A cancelled request ends between two batches: at twenty tokens a second, 128 are six seconds.
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.sampling.temp = 0.0
    params.sampling.seed = 1
    params.verbosity = -1
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = job["threads"]
    # No other user of this machine and no web page may ask it.
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [job["api_key"]]
    params.ui = False
    params.endpoint_slots = False
    params.cors_origins = "null"
    params.cors_credentials = False
    return llama.Server(params)


def cannot_load(name: str) -> str:
    """The sentence for a file that llama.cpp refuses."""
    return (
        f"llama.cpp cannot load {name}. It needs about twice the file's size in free memory; "
        "if there is enough, the file may be of a newer kind than the installed xllamacpp."
    )


def _own_stdout() -> BinaryIO:
    """Standard output for the one line; what llama.cpp prints there goes to standard error."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return out


def _say(out: BinaryIO, **fields: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # the parent is gone; the end of the input says so too
        out.write(json.dumps(fields).encode() + b"\n")
        out.close()


def _end_with_parent() -> None:
    """Let the system end this process with its input, even while llama.cpp loads.

    Loading holds the interpreter's lock, so no Python code could notice the end of the input then. A signal does:
    SIGIO of the pipe, whose default is to end the process. Where there is none, the end is noticed after loading.
    """
    if sys.platform == "win32":
        return
    import fcntl

    stdin = sys.stdin.fileno()
    try:
        fcntl.fcntl(stdin, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(stdin, fcntl.F_SETFL, fcntl.fcntl(stdin, fcntl.F_GETFL) | os.O_ASYNC)
        readable, _, _ = select.select([stdin], [], [], 0)
    except OSError:  # not a pipe: somebody started it by hand
        return
    if readable:  # it ended before the signal was asked for
        os._exit(0)


def _go_first_when_memory_is_short() -> None:
    with contextlib.suppress(OSError):  # Linux only
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE, encoding="ascii")


if __name__ == "__main__":
    main()
