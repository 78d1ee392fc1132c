"""The parent's side of the child process: started, spoken to over its pipes, ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO

from tabulaflow_core.errors import LocalModelError
from tabulaflow_core.models.local.serve import Job, cannot_load

_MODULE = "tabulaflow_core.models.local.serve"
_TAIL_BYTES = 2000


class Child:
    """One run of `serve.py`; `start` it once. Ends with `end`, and by itself when this process is gone."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()
        self._ending = threading.Lock()

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """The process id; None before `start`."""
        return self._process.pid if self._process is not None else None

    def start(self, job: Job) -> str:
        """Start the process and wait until it serves: seconds. `kill` from another thread ends the wait.

        Returns:
            Its address, without a path.

        Raises:
            LocalModelError: It cannot be started, cannot load the file, died, or was stopped.
        """
        name = Path(job["path"]).name
        with self._lock:
            if self._stopped:
                raise _stopped()
            try:
                process = self._process = self._spawn()
            except OSError as error:
                raise LocalModelError(
                    "The process of the embedded model cannot be started.", detail=repr(error)
                ) from error
        assert process.stdin is not None
        assert process.stdout is not None
        line = b""
        try:
            with contextlib.suppress(BrokenPipeError):  # it died already; said below
                process.stdin.write(json.dumps(job).encode() + b"\n")
                process.stdin.flush()
            line = process.stdout.readline()
        except ValueError:  # `end` in another thread has closed the pipe
            if not self._stopped:
                raise
        if self._stopped:
            raise _stopped()
        try:
            answer = json.loads(line)
        except ValueError:
            process.wait()
            raise LocalModelError(f"{self.why()} {cannot_load(name)}", detail=self.last_words()) from None
        if "address" not in answer:
            raise LocalModelError(str(answer.get("error")), detail=f"{answer.get('detail')}\n{self.last_words()}")
        return str(answer["address"])

    def kill(self) -> None:
        """Have the system end the process, without waiting for it; may be called at any time."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def end(self) -> None:
        """End the process and wait until it is gone, its memory with it; a second call does nothing.

        From any thread: the one that loads and the one that closes may end it at the same moment.
        """
        self.kill()
        if self._process is None:
            return
        self._process.wait()
        with self._ending:  # two at once would each close the same pipe, and one of them fail
            for pipe in (self._process.stdin, self._process.stdout, self._log):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()

    def why(self) -> str:
        """A sentence on how a dead process ended."""
        code = self._process.poll() if self._process is not None else None
        if code is None or code >= 0:
            how = f"it ended with code {code}"
        elif -code == getattr(signal, "SIGKILL", None):
            how = "the system ended its process (SIGKILL), perhaps because memory ran out"
        else:
            how = f"its process crashed ({signal.Signals(-code).name})"
        return f"The embedded model is gone: {how}."

    def last_words(self) -> str:
        """The end of what it wrote to standard error."""
        log = self._log
        if log is None or log.closed:
            return ""
        log.seek(max(0, log.seek(0, os.SEEK_END) - _TAIL_BYTES))
        return log.read().decode(errors="replace").strip()

    def _spawn(self) -> subprocess.Popen[bytes]:
        # A file and not a pipe: nobody would have to read it all the time.
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `end`)
        env = dict(os.environ)
        root = Path(__file__).parents[3]
        if root.name not in ("site-packages", "dist-packages"):  # run from its source tree
            env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(root), env.get("PYTHONPATH")]))
        windows = 0
        if sys.platform == "win32":
            windows = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return subprocess.Popen(
            # -P: modules are not looked for in the current folder.
            [sys.executable, "-P", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=env,
            # Ctrl-C in a terminal is for the parent, which may still want an answer.
            start_new_session=True,
            creationflags=windows,
        )


def _stopped() -> LocalModelError:
    return LocalModelError("The embedded model was stopped while it was being loaded.")
