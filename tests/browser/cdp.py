"""Drives a headless Chromium over the DevTools protocol on a pipe: nothing but Python and Chromium is needed."""
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe",
]


class Browser:
    """One Chromium with one page."""

    def __init__(self):
        path = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
        if not path:
            raise SystemExit("no Chromium: apt-get install chromium")
        self.profile = tempfile.mkdtemp(prefix="browser-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def fds():
            # Chromium reads on 3 and writes on 4; move them out of each other's way first.
            a, b = os.dup(to_browser), os.dup(from_browser)
            while a in (3, 4):
                a = os.dup(a)
            while b in (3, 4):
                b = os.dup(b)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={self.profile}", "about:blank"], preexec_fn=fds, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.answers, self.events, self.number = {}, queue.Queue(), 0
        self.arrived = threading.Condition()
        self.errors = []
        threading.Thread(target=self._read, daemon=True).start()
        target = self.call("Target.createTarget", url="about:blank", session=False)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True, session=False)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Performance"):
            self.call(f"{domain}.enable")

    def _read(self):
        rest = b""
        while True:
            try:
                chunk = os.read(self.read_end, 1 << 16)
            except OSError:
                return
            if not chunk:
                return
            *messages, rest = (rest + chunk).split(b"\0")
            for text in messages:
                message = json.loads(text)
                if "id" in message:
                    with self.arrived:
                        self.answers[message["id"]] = message
                        self.arrived.notify_all()
                else:
                    self._event(message)

    def _event(self, message):
        params = message.get("params", {})
        if message["method"] == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        if message["method"] == "Log.entryAdded" and params["entry"]["source"] == "security":
            self.errors.append(params["entry"]["text"])
        self.events.put(message)

    def call(self, method, session=True, timeout=30, **params):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        with self.arrived:
            if not self.arrived.wait_for(lambda: number in self.answers, timeout):
                raise TimeoutError(f"{method}: no answer within {timeout} s")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def size(self, width, height, scale=1, mobile=False, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)
        agent = "Mozilla/5.0 (Linux; Android 14) Chrome/140 Mobile" if mobile else "Mozilla/5.0 (X11; Linux) Chrome/140"
        self.call("Emulation.setUserAgentOverride", userAgent=agent)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def go(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'", 60, f"loading {url}")

    def run(self, script):
        """The value of a JavaScript expression; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "script failed"))
        return result["result"].get("value")

    def until(self, script, seconds=15, what=None):
        """Waits until an expression is true; fails with what it was last."""
        end = time.monotonic() + seconds
        value = None
        while time.monotonic() < end:
            try:
                value = self.run(script)
                if value:
                    return value
            except RuntimeError as error:  # the page was just being replaced
                value = error
            time.sleep(0.05)
        raise AssertionError(f"{what or script}: not within {seconds} s (last: {value!r})")

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def shot(self, path, whole=False):
        import base64
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        try:
            self.call("Browser.close", session=False, timeout=5)
        except (TimeoutError, RuntimeError, OSError):
            self.process.kill()
        self.process.wait(10)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
