"""A headless Chromium, told what to do over two pipes (the DevTools protocol), without a library."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    """One page. `requests` has every address that it asked for, `complaints` what went wrong in it."""

    def __init__(self, width, height):
        self.folder = tempfile.mkdtemp(prefix="propriod-browser.")
        (hear, tell), (answer, say) = os.pipe(), os.pipe()
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (hear, say)]  # Chromium reads 3 and writes 4

        def connect():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-first-run",
             "--no-sandbox", "--disable-dev-shm-usage", "--disable-extensions", "--disable-component-update",
             "--disable-background-networking", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing",
             f"--window-size={width},{height}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=connect,
            pass_fds=(3, 4), env={**os.environ, "HOME": self.folder, "DBUS_SESSION_BUS_ADDRESS": "disabled:"})
        for fd in (hear, say, *ends):
            os.close(fd)
        self.tell, self.answer = tell, answer
        self.number, self.rest = 0, b""
        self.requests, self.complaints, self.session = [], [], None
        target = next(each for each in self.call("Target.getTargets", {})["targetInfos"] if each["type"] == "page")
        self.session = self.call("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable", {})
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def message(self, patience_s):
        end = time.monotonic() + patience_s
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answer], [], [], max(end - time.monotonic(), 0))
            more = os.read(self.answer, 1 << 20) if ready else b""
            if not more:
                raise TimeoutError("the browser does not answer")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(params["url"])
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(params["entry"]["text"])

    def call(self, method, params, patience_s=60):
        self.number += 1
        order = {"id": self.number, "method": method, "params": params}
        if self.session is not None:
            order["sessionId"] = self.session
        os.write(self.tell, json.dumps(order).encode() + b"\0")
        while True:
            message = self.message(patience_s)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def open(self, url):
        self.call("Page.navigate", {"url": url})

    def value(self, expression):
        """What JavaScript makes of it."""
        result = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def until(self, expression, patience_s=60):
        """Waits until it is true."""
        end = time.monotonic() + patience_s
        while not self.value(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"never: {expression}; {self.complaints}")
            time.sleep(0.1)

    def picture(self, path):
        data = self.call("Page.captureScreenshot", {"format": "png"})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.tell)
        os.close(self.answer)
        shutil.rmtree(self.folder, ignore_errors=True)
