#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens pages of runs in headless Chromium by chromedriver's HTTP interface (W3C WebDriver).

    page_in_browser.py [PAGE...] [--plots PAGE...]

Those behind --plots have no bodies, the others have to draw some.

Each page has to load without an error on the console, draw (pixels that differ), play, answer its keys, tell of a body that
is clicked and there, show all plots whole, with two ticks and more on each axis, follow one finger and two, reach each frame by
its time, and do no more in its own script a frame than its bodies and plots ask for, whatever the number of frames; prints that
script's time, the frame rate of software GL and leaves a picture of the page beside it. What is waited for counts by what the
browser works, and the script's work by what it executes, so that other programs on the machine change nothing but the time that
passes. Exit status 77: no browser here. SIGTERM
ends the browser too.
"""
import base64
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

SKIPPED = 77
TICK = os.sysconf("SC_CLK_TCK")
SILENCE = 1200  # seconds without an answer of a browser that hangs


class Browser:
    def __init__(self):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, start_new_session=True)
        try:
            self.begin()
        except BaseException:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise

    def begin(self):
        for line in self.process.stdout:
            if "successfully on port " in line:  # the line before it names the port that was asked for, 0
                self.url = "http://127.0.0.1:" + line.split("on port ")[1].strip(" .\n")
                break
        arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", "--window-size=880,600",
                     "--js-flags=--no-opt,--no-maglev"]  # calls that are inlined are not counted
        options = {"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = ""
        self.session = "/session/" + self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})["sessionId"]

    def call(self, method, path, body=None, timeout=SILENCE):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + self.session + path, data, {"Content-Type": "application/json"},
                                         method=method)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)["value"]

    def script(self, text, *arguments):
        return self.call("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def key(self, name):
        self.script(f"document.dispatchEvent(new KeyboardEvent('keydown', {{key: '{name}'}}))")

    def click(self, x, y):
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                 "actions": [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
                             {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}
        self.call("POST", "/actions", {"actions": [mouse]})

    def touch(self, *fingers):
        """Fingers, each (from, to) in points (x, y): down together, then in ten moves to where they end, then up."""
        sources = []
        for number, (begin, end) in enumerate(fingers):
            actions = [{"type": "pointerMove", "duration": 0, "x": round(begin[0]), "y": round(begin[1])},
                       {"type": "pointerDown", "button": 0}]
            for step in range(1, 11):
                x, y = (begin[k] + (end[k] - begin[k]) * step / 10 for k in (0, 1))
                actions.append({"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)})
            sources.append({"type": "pointer", "id": f"finger {number}", "parameters": {"pointerType": "touch"},
                            "actions": actions + [{"type": "pointerUp", "button": 0}]})
        self.call("POST", "/actions", {"actions": sources})

    def work(self):
        """Seconds of the processor that the browser's processes have taken, those that ended among them."""
        ticks = 0
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/stat") as stat:
                    numbers = stat.read().rsplit(")", 1)[1].split()  # from the third on: state, parent, group, session, ...
            except (OSError, IndexError):
                continue  # no process, or none any more
            if int(numbers[3]) == self.process.pid:
                ticks += sum(int(n) for n in numbers[11:15])
        return ticks / TICK

    def until(self, condition, seconds=120):
        """Whether that comes before the browser has worked so many seconds, or for as many has had nothing to do."""
        worked, idle, last = 0.0, 0.0, self.work()
        while not self.script("return Boolean(" + condition + ")"):
            if max(worked, idle) > seconds:
                return False
            time.sleep(0.2)
            now = self.work()
            worked += max(0.0, now - last)
            if now - last < 0.02:  # the question alone
                idle += 0.2
            last = now
        return True

    def command(self, name, **values):
        """Of the DevTools protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": values})

    def count_script(self):
        """Of pages that are opened from here on each block of their script counts how often it is entered."""
        for domain in ("Performance", "Profiler"):
            self.command(domain + ".enable")
        self.command("Profiler.startPreciseCoverage", callCount=True, detailed=True)

    def own_script(self):
        """What the page's script does for a frame, the mean of some, drawing of the scene apart: characters of source that are
        executed, calls of canvases' contexts, layouts, and, which depends on the machine, milliseconds of the processor; and the
        contacts of these frames."""
        metrics = lambda: {m["name"]: m["value"] for m in self.command("Performance.getMetrics")["metrics"]}
        count = self.script(COUNT_CALLS)
        self.command("Profiler.takePreciseCoverage")  # what was executed so far
        begin = metrics()
        calls, contacts = self.script(SOME_FRAMES, count)
        end = metrics()
        executed = sum(executed_characters(function["ranges"]) for script in self.command("Profiler.takePreciseCoverage")["result"]
                       for function in script["functions"])
        taken = lambda name: (end[name] - begin[name]) / count
        return {"characters": executed / count, "calls": calls / count, "layouts": taken("LayoutCount"),
                "milliseconds": 1000 * taken("ThreadTime"), "contacts": contacts / count}

    def close(self):
        try:
            self.call("DELETE", "", timeout=10)
        except OSError:
            pass  # no answer: it is ended all the same
        finally:
            os.killpg(self.process.pid, signal.SIGKILL)


def executed_characters(ranges):
    """Of a function: the length of each block without those in it, times how often it was entered. Blocks are nested, the outer
    first."""
    total = 0
    for k, outer in enumerate(ranges):
        own, reached = outer["endOffset"] - outer["startOffset"], outer["startOffset"]
        for inner in ranges[k + 1:]:
            if inner["startOffset"] >= outer["endOffset"]:
                break
            if inner["startOffset"] >= reached:
                own -= inner["endOffset"] - inner["startOffset"]
                reached = inner["endOffset"]
        total += outer["count"] * own
    return total


# Nothing is left for the next tick of the page to do.
REST = """
page.play(false);
page.stale = false;
if (page.stage) page.stage.dirty = false;
"""
# Counts calls of the contexts of canvases from here on; how many frames are looked at.
COUNT_CALLS = REST + """
if (window.calls === undefined) {
  const kind = CanvasRenderingContext2D.prototype;
  for (const name of Object.getOwnPropertyNames(kind)) {
    const own = Object.getOwnPropertyDescriptor(kind, name).value;
    if (typeof own === 'function' && name !== 'constructor') kind[name] = function (...given) { ++window.calls; return own.apply(this, given); };
  }
}
return Math.min(20, page.times.length);
"""
SOME_FRAMES = """
let contacts = 0;
window.calls = 0;
for (let f = 0; f < arguments[0]; ++f) {
  page.toFrame(Math.floor(f * page.times.length / arguments[0]));
  page.update();
  if (page.stage && page.contacts.any) contacts += page.contacts.end(page.frame) - page.contacts.begin(page.frame);
}
const calls = window.calls;
""" + REST + """
return [calls, contacts];
"""
# As if each frame went through all points of all curves.
PASS_OVER_CURVES = """
const update = page.update.bind(page);
page.update = () => {
  update();
  for (const plot of page.plots) for (const curve of plot.what.curves) for (const value of curve.values) page.most = Math.max(page.most || 0, value);
};
"""


def problems_of_work(browser, work):
    """A frame takes so much a body, a contact that is shown, a plot, and the rest. As this was written that was 3,700 characters a
    body in space (moved, turned, coloured), 6,200 a contact (its arrow and its part of a chain), 2,700 and 14 calls of a canvas a
    plot (its cursor, no curve) and 6,000 more: less of each than here, by so little that a pass over the points of all curves is
    more. A layout that is forced comes in each frame; one in some is of what ended before."""
    bodies, plots = browser.script("return [page.stage ? page.scene.bodies.length : 0, page.plots.length]")
    most = {"characters": 3900 * bodies + 6400 * work["contacts"] + 3000 * plots + 6500, "calls": 20 * plots, "layouts": 0.5}
    return [f"{work[name]:.1f} {name} a frame, more than {most[name]:.1f}" for name in most if work[name] > most[name]]


# Where on the screen the centres of bodies are that nothing but the canvas covers, the nearest to the camera first.
CENTRES = """
const g = page.stage, box = g.canvas.getBoundingClientRect(), found = [];
for (let b = 0; b < g.radii.length; ++b) {
  if (!(g.radii[b] > 0) || !g.motion.there[b]) continue;
  const p = new THREE.Vector3(...g.motion.position.slice(3 * b, 3 * b + 3)).project(g.orbit.camera);
  const x = box.left + 0.5 * (1 + p.x) * box.width, y = box.top + 0.5 * (1 - p.y) * box.height;
  if (Math.abs(p.z) <= 1 && document.elementFromPoint(x, y) === g.canvas) found.push([p.z, x, y]);
}
return found.sort((a, b) => a[0] - b[0]).slice(0, 1);
"""

# The body that is picked at a place, and what is picked there when that body is not there.
GONE = """
const g = page.stage, [x, y] = arguments, body = g.pick(x, y);
g.motion.there[body] = 0;
const then = g.pick(x, y);
g.motion.there[body] = 1;
return [body, then];
"""


def problems_of_picking(browser):
    centres = browser.script(CENTRES)
    if not centres:
        return ["no body can be clicked"]
    body, then = browser.script(GONE, *centres[0][1:])
    if body < 0 or then == body:
        return [f"body {body} can be picked where it is not there"]
    browser.click(*centres[0][1:])
    if not browser.until("page.stage.picked >= 0", 30):
        return ["a click on a body does not pick it"]
    told = "const box = document.getElementById('picked');"
    told += "return !box.hidden && box.innerText.includes(page.scene.bodies[page.stage.picked])"
    browser.until("!page.stale", 30)
    wrong = [] if browser.script(told) else ["nothing is told of a body that is picked"]
    browser.key("Escape")
    if browser.script("return page.stage.picked") != -1:
        wrong.append("the key Escape does not let go of a body")
    return wrong


# The camera, and the middle of a place of the canvas that 200 x 120 points of touch need and nothing covers.
ORBIT = """
const o = page.stage.orbit;
return {distance: o.distance, azimuth: o.azimuth, elevation: o.elevation, target: o.target.toArray(), down: o.pointers.size};
"""
FREE = """
const box = page.stage.canvas.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
const free = [-100, 0, 100].every(i => [-60, 0, 60].every(j => document.elementFromPoint(x + i, y + j) === page.stage.canvas));
return free ? [Math.round(x), Math.round(y)] : null;
"""


def problems_of_touch(browser):
    middle = browser.script(FREE)
    if not middle:
        return ["no place to touch"]
    wrong = []
    x, y = middle
    plane = browser.script("return page.stage.orbit.plane")
    before = browser.script(ORBIT)
    browser.touch(((x - 50, y), (x + 50, y + 30)))  # one finger moves a plane with it, and turns space by 0.006 a point
    after = browser.script(ORBIT)
    turned = [after[name] - before[name] for name in ("azimuth", "elevation")]
    moved = [b - a for a, b in zip(before["target"], after["target"])]
    if plane and not (moved[0] < 0 < moved[1] and turned == [0, 0]):
        wrong.append(f"one finger moves the plane by {moved}")
    if not plane and (abs(turned[0] + 0.6) > 1e-6 or abs(turned[1] - 0.18) > 1e-6 or any(moved)):
        wrong.append(f"one finger turns space by {turned}")
    if after["distance"] != before["distance"]:
        wrong.append("one finger zooms")
    # Two fingers: the distance goes with the inverse of theirs, which is thrice what it was; from move to move the ratios
    # multiply to that. Space does not turn.
    browser.touch(((x - 30, y), (x - 90, y)), ((x + 30, y), (x + 90, y)))
    pinched = browser.script(ORBIT)
    ratio = pinched["distance"] / after["distance"]
    if abs(ratio - 1 / 3) > 1e-6:
        wrong.append(f"two fingers that go from 60 to 180 points zoom by {ratio}, not 1/3")
    if any(pinched[name] != after[name] for name in ("azimuth", "elevation")):
        wrong.append("two fingers turn the scene")
    browser.touch(((x - 90, y), (x - 30, y)), ((x + 90, y), (x + 30, y)))
    back = browser.script(ORBIT)
    if abs(back["distance"] / after["distance"] - 1) > 1e-6:
        wrong.append(f"two fingers that come together again zoom by {back['distance'] / pinched['distance']}, not 3")
    # Both aside by 40 points: what is under them goes with them, and nothing is zoomed in the end.
    browser.touch(((x - 60, y), (x - 20, y)), ((x + 20, y), (x + 60, y)))
    aside = browser.script(ORBIT)
    way = math.dist(aside["target"], back["target"])
    if not way > 0 or abs(aside["distance"] / back["distance"] - 1) > 1e-6:
        wrong.append(f"two fingers side by side move the target by {way}, zoom by {aside['distance'] / back['distance']}")
    if aside["down"] != 0:
        wrong.append("fingers that are lifted still count")
    browser.key("Escape")
    return wrong


# A plane of few bodies opens on the whole of it; with 1200 bodies of a ten-thousandth of its size on one of them, 40 pixels across.
OPENING = """
const g = page.stage, o = g.orbit, own = g.radii, seen = [];
for (const radii of [own, new Float32Array(1200).fill(1e-4 * g.radius)]) {
  g.radii = radii;
  g.open();
  const near = Math.min(...Array.from(own, (_, b) => Math.hypot(g.motion.position[3 * b] - o.target.x, g.motion.position[3 * b + 1] - o.target.y)));
  seen.push([o.distance / g.radius, 2 * radii[0] / g.pixel(1, g.canvas.parentElement.clientHeight), near / g.radius]);
}
g.radii = own;
g.whole();
page.stale = true;
return g.plane && own.length < 1000 ? seen : null;
"""


def problems_of_opening(browser):
    seen = browser.script(OPENING)
    if not seen:
        return []
    wrong = [] if abs(seen[0][0] - 1) < 1e-6 else [f"a plane of few bodies opens at {seen[0][0]} of its size"]
    if abs(seen[1][1] - 40) > 1e-3 or seen[1][2] > 1e-6:
        wrong.append(f"a plane of many bodies opens with {seen[1][1]} pixels across, {seen[1][2]} of its size off a body")
    return wrong


# Of each plot: its title, how far it reaches below its place, the ticks of axes that are not logarithmic, and whether
# two of them on an axis read the same. Of ranges for which the nice steps 1, 2, 5 fall badly, near 0 and far from it,
# how many ticks there are at least that read differently.
PLOTS = """
const place = document.getElementById('plots').getBoundingClientRect();
const seen = page.plots.map(p => [p.what.title, p.canvas.parentElement.getBoundingClientRect().bottom - place.bottom,
  p.frame.h, Math.min(p.what.logarithmic ? 2 : p.ticksUp(p.frame.h).length, ticksOf(p.left, p.right, p.frame.w / 80).length),
  [p.textsUp(p.ticksUp(p.frame.h)), tickTexts(ticksOf(p.left, p.right, p.frame.w / 80))].some(t => new Set(t).size < t.length)]);
let fewest = Infinity;
for (let k = 0; k < 400; ++k) {
  const low = (k % 4 === 0 ? 1e4 : -3) + 0.017 * k, range = 10 ** (-4 + 0.02 * k);
  for (const parts of [0.2, 1, 3]) {
    const ticks = ticksOf(low, low + range, parts), slack = 1e-6 * range;
    const inside = ticks.every(v => v > low - slack && v < low + range + slack);
    fewest = Math.min(fewest, inside ? new Set(tickTexts(ticks)).size : 0);
  }
}
return [seen, fewest];
"""


def problems_of_plots(browser):
    seen, fewest = browser.script(PLOTS)
    wrong = [] if fewest >= 2 else [f"an axis may have {fewest} ticks within it that differ"]
    for title, below, height, ticks, alike in seen:
        if alike:
            wrong.append(f"the plot '{title}' has an axis with two ticks that read the same")
        if below > 1:
            wrong.append(f"the plot '{title}' is cut off by {below:.0f} pixels")
        if height < 20:
            wrong.append(f"the plot '{title}' is {height:.0f} pixels high")
        if ticks < 2:
            wrong.append(f"the plot '{title}' has an axis with {ticks} ticks")
    return wrong


# Each time of a frame leads to it, or to the last of those at the same time; frames of one time come in pairs, before and
# after an instant.
TIMES = """
const frames = page.times.length;
const lost = page.times.findIndex(t => (page.seek(t), page.times[page.frame] !== t));
return [lost, new Set(page.times).size, frames];
"""


def problems_of_times(browser):
    lost, different, frames = browser.script(TIMES)
    wrong = [f"the time of frame {lost} does not lead to it"] if lost >= 0 else []
    if different < frames / 2:
        wrong.append(f"{frames} frames are at {different} times")
    return wrong


# What is drawn over bodies has to be read: the legend, where it says something, has a ground of its own.
LEGEND = """
const style = getComputedStyle(document.getElementById('legend'));
return style.display === 'none' || !['transparent', 'rgba(0, 0, 0, 0)'].includes(style.backgroundColor);
"""


def problems_of_keys(browser):
    wrong = []
    dark = browser.script("return page.dark")
    browser.key("d")
    if browser.script("return page.dark") == dark:
        wrong.append("the key d does not change the theme")
    browser.script("page.toFrame(0)")
    browser.key("ArrowRight")
    if browser.script("return page.frame") != 1:
        wrong.append("the key ArrowRight does not go to the next frame")
    browser.key("Escape")  # an error in it is on the console
    return wrong


def problems_of(browser, page, has_bodies):
    """What is wrong with a page, in words."""
    wrong = []
    browser.count_script()
    browser.call("POST", "/url", {"url": "file://" + os.path.abspath(page)})
    if not browser.until("window.page"):
        return ["it does not start: " + browser.script("return document.body.innerText.slice(0, 300)")]
    browser.script("page.seek(page.times[page.times.length >> 1])")
    browser.until("page.cost.length > 0 && !page.stale")
    first = base64.b64decode(browser.call("GET", "/screenshot"))
    with open(page + ".png", "wb") as picture:
        picture.write(first)
    if browser.script("return Boolean(page.stage)") != has_bodies:
        wrong.append("it has no scene" if has_bodies else "it has a scene")
    elif has_bodies:
        for key in ("c", "f", "l"):
            browser.key(key)
        browser.until("!page.stale", 30)
        drawn = browser.script("const g = page.stage; g.draw(); g.dirty = true; g.draw(); const gl = g.renderer.getContext();"
                               "const p = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);"
                               "gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, p);"
                               "const seen = new Set(); for (let i = 0; i < p.length; i += 4) seen.add(p[i] << 16 | p[i + 1] << 8 | p[i + 2]);"
                               "return seen.size")
        if drawn < 20:
            wrong.append(f"the scene has {drawn} colours")
        wrong += problems_of_picking(browser)
        wrong += problems_of_touch(browser)
        wrong += problems_of_opening(browser)
        if not browser.script(LEGEND):
            wrong.append("the legend has no ground of its own")
    wrong += problems_of_plots(browser)
    wrong += problems_of_keys(browser)
    wrong += problems_of_times(browser)
    browser.script("page.cost.length = 0; page.toFrame(0); page.drawn = 0; window.since = performance.now()")
    browser.key(" ")
    # Software GL may take seconds for a frame of 10^4 bodies.
    browser.until("page.cost.length > 20 || (page.frame > 0 && !page.playing)", 60)
    if browser.script("return page.frame === 0 || page.cost.length < 3"):
        return wrong + ["it does not play"]
    rate = browser.script("return page.drawn / (performance.now() - window.since) * 1000")
    work = browser.own_script()
    print(f"{page}: own script {work['characters']:.0f} characters, {work['calls']:.1f} calls of canvases and "
          f"{work['milliseconds']:.2f} ms a frame, {rate:.1f} frames/s in software GL")
    wrong += problems_of_work(browser, work)
    browser.script(PASS_OVER_CURVES + "// of " + page)  # its own text: what is compiled for another page is not counted
    if not problems_of_work(browser, browser.own_script()):
        wrong.append("a pass over all curves a frame would not be seen")
    browser.script("delete page.update")
    browser.key("End")
    if not browser.until("page.frame === page.times.length - 1", 30):
        wrong.append("the key End does not go to the last frame")
    for entry in browser.call("POST", "/se/log", {"type": "browser"}):
        if entry["level"] == "SEVERE":
            wrong.append("console: " + entry["message"])
    return wrong


def main(pages):
    if not shutil.which("chromedriver"):
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    browser = Browser()
    failed = False
    try:
        has_bodies = True
        for page in pages:
            if page == "--plots":
                has_bodies = False
                continue
            for problem in problems_of(browser, page, has_bodies):
                print(f"{page}: {problem}")
                failed = True
    finally:
        browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
