#!/usr/bin/env python3
"""Measures pages in a real browser: the first view of a live board on a slow phone, and the main thread under a lively
grid. Prints figures and judges nothing: they depend on the machine and on what else it does.

usage: weigh.py BASE_URL      of e.g. `cargo run --release -p web --example fixture -- --tables 200 --every 50`
"""
import json
import os
import sys
import time

from cdp import Browser

# "Slow 3G" of the browser's own tools: 400 ms a round trip, 400 kbit/s; and a processor that is four times as slow.
SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}

FIRST_VIEW = """(() => {
    const [page] = performance.getEntriesByType('navigation'), files = performance.getEntriesByType('resource');
    const size = e => e.transferSize, kind = k => files.filter(f => f.name.split('?')[0].endsWith(k));
    const sum = list => list.reduce((all, e) => all + size(e), 0);
    return JSON.stringify({
        painted_ms: Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime),
        whole_ms: Math.round(page.loadEventEnd), requests: files.length + 1,
        bytes_with_headers: {page: size(page), css: sum(kind('.css')), js: sum(kind('.js')), pictures: sum(kind('.svg'))},
    });
})()"""


def first_view(b, url, what):
    b.call("Emulation.setCPUThrottlingRate", rate=4)
    b.call("Network.emulateNetworkConditions", **SLOW)
    try:
        b.call("Page.navigate", url=url)
        b.until("document.readyState === 'complete' && performance.getEntriesByType('navigation')[0].loadEventEnd > 0", 90)
        print(f"{what}: {b.run(FIRST_VIEW)}", flush=True)
    finally:
        b.call("Emulation.setCPUThrottlingRate", rate=1)
        b.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)


def busy(b):
    return next(m["value"] for m in b.call("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")


def grid(b, base, what, seconds=8.5):
    b.go(f"{base}/live?show=all")
    b.until("document.body.dataset.net === 'up'", 30, "the stream")
    before = busy(b)
    time.sleep(seconds)
    spent = busy(b) - before
    facts = b.run("JSON.stringify({boards: document.querySelectorAll('[data-tile]').length, "
                  "nodes: document.querySelectorAll('*').length})")
    print(f"{what}: {json.dumps({**json.loads(facts), 'busy_s': round(spent, 2), 'of_s': seconds})}", flush=True)


def main(base):
    with Browser() as b:
        b.size(390, 844, 2, mobile=True)
        # The browser itself starts on a page that costs nothing to measure.
        b.go(f"{base}/api/v1/rounds")
        b.call("Network.clearBrowserCache")
        url = f"{base}/round/3/table/3"
        first_view(b, url, "slow phone, first view")
        first_view(b, url, "slow phone, next view")
        grid(b, base, "grid on a phone")
        b.size(1440, 900)
        grid(b, base, "grid on a desk")
    print(f"load averages: {os.getloadavg()}")


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
