"""The programs that the tests talk to: text2sql-server, and a model that does what a test wants."""

import json
import os
import signal
import socket
import subprocess
import urllib.error
import urllib.request

from .waiting import wait_until


def _free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Program:
    """A program that runs until `stop`, with its output in a file."""

    def __init__(self, log):
        self.log = log
        self.process = None

    def run(self, *command, environment=None):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)

    def output(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def stop(self, how=signal.SIGTERM):
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


class Server(Program):
    """text2sql-server before one database, or before several with a name for each: a dictionary."""

    def __init__(self, log, database, options=()):
        super().__init__(log)
        self.database = database
        self.options = options
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self):
        """Starts it, and returns when it answers."""
        # By TCP: sockets of private clusters ask for no password.
        at = f"host=127.0.0.1 port={os.environ.get('PGPORT', '5432')} dbname="
        several = self.database if isinstance(self.database, dict) else {}
        targets = [f"{name}={at}{database}" for name, database in several.items()] or [f"{at}{self.database}"]
        targets = [word for target in targets for word in ("--database", target)]
        binary = os.path.join(os.environ["TEXT2SQL_PROGRAMS"], "text2sql-server")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        self.run(
            binary, "serve", "--listen", f"127.0.0.1:{self.port}", *targets, *self.options,
            environment=environment,
        )
        wait_until(self._answers, "text2sql-server to answer")
        return self

    def _answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"text2sql-server has ended:\n{self.output()}")
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                return True
        except (OSError, urllib.error.URLError):
            return False


class Model(Program):
    """A model endpoint that follows a script (tools/model_double)."""

    def __init__(self, log, script):
        super().__init__(log)
        self.script = f"{log}.script"
        with open(self.script, "w", encoding="utf-8") as file:
            json.dump(script, file)
        self.url = None

    def start(self):
        binary = os.path.join(os.environ["TEXT2SQL_PROGRAMS"], "model_double")
        self.run(binary, "--port", "0", "--script", self.script)
        line = wait_until(self._listening, "the model to listen")
        self.url = line.rsplit(" ", 1)[1].strip()
        return self

    def _listening(self):
        return next((line for line in self.output().splitlines() if line.startswith("listening on ")), None)

    def base_url(self, behaviour="ok"):
        """The address at which it behaves like this: segments of tools/model_double/src/behaviour.rs."""
        return f"{self.url}/{behaviour}/v1"
