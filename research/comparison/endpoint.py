"""A door on loopback in front of the endpoint: it passes requests on, and counts calls, tokens and time."""

import http.client
import http.server
import json
import socket
import threading
import time
import urllib.error
import urllib.request

# The words of the endpoint's usage, as those of the table.
TOKENS = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}


class Endpoint:
    def __init__(self, base_url, key, timeout):
        self.base_url = base_url.rstrip("/")
        self.key = key
        self.timeout = timeout
        self.lock = threading.Lock()
        self.counts = {"calls": 0, "input_tokens": 0, "output_tokens": 0, "model_seconds": 0.0, "uncounted": 0}

    def __enter__(self):
        endpoint = self

        class Door(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                length = int(self.headers.get("Content-Length") or 0)
                status, kind, body = endpoint.passed_on(self.path, self.rfile.read(length))
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def passed_on(self, path, body):
        """Sends a request to the endpoint; returns its status, type and body."""
        request = urllib.request.Request(
            self.base_url + path.removeprefix("/v1"),
            data=body,
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"},
        )
        begun = time.monotonic()
        if self.base_url.startswith("unix:"):
            status, kind, body = self.of_program(body)
            self.count(body, time.monotonic() - begun)
            return status, kind, body
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                status, kind, body = reply.status, reply.headers.get("Content-Type", "application/json"), reply.read()
        except urllib.error.HTTPError as error:
            status, kind, body = error.code, error.headers.get("Content-Type", "application/json"), error.read()
        except OSError as error:
            status, kind, body = 502, "application/json", json.dumps({"error": {"message": str(error)}}).encode()
        self.count(body, time.monotonic() - begun)
        return status, kind, body

    def of_program(self, body):
        """The reply of text2sql-model, which listens on a socket. It knows no more than it needs."""
        asked = json.loads(body)
        known = {"messages": asked["messages"]}
        if limit := asked.get("max_tokens") or asked.get("max_completion_tokens"):
            known["max_tokens"] = limit
        connection = http.client.HTTPConnection("localhost", timeout=self.timeout)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(self.timeout)
        try:
            connection.sock.connect(self.base_url.removeprefix("unix:"))
            connection.request("POST", "/v1/chat/completions", json.dumps(known))
            reply = connection.getresponse()
            return reply.status, "application/json", reply.read()
        except OSError as error:
            return 502, "application/json", json.dumps({"error": {"message": str(error)}}).encode()
        finally:
            connection.close()

    def count(self, body, seconds):
        try:
            usage = json.loads(body).get("usage") or {}
        except (ValueError, AttributeError):
            usage = {}
        with self.lock:
            self.counts["calls"] += 1
            self.counts["model_seconds"] += seconds
            self.counts["uncounted"] += not usage
            for own, name in TOKENS.items():
                self.counts[name] += usage.get(own) or 0

    def counted(self):
        with self.lock:
            return dict(self.counts)

    def since(self, before):
        return {name: value - before[name] for name, value in self.counted().items()}
